"""A client of one service of AWS, made without reading what the SDK knows of all the others."""

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.loaders import JSONFileLoader, Loader
from botocore.session import get_session
from pydantic_core import from_json

if TYPE_CHECKING:
    from botocore.client import BaseClient
    from botocore.config import Config


class _Files(JSONFileLoader):
    """The SDK's own files, read by a parser several times as fast: reading them is half of making a client."""

    def load_file(self, file_path: str) -> object:
        plain, packed = Path(f"{file_path}.json"), Path(f"{file_path}.json.gz")
        if plain.is_file():
            return from_json(plain.read_bytes())
        return from_json(gzip.decompress(packed.read_bytes())) if packed.is_file() else None


class _OneService(Loader):
    """Knows the service it is for. The SDK would look into the folders of all 400 to see whether that one exists."""

    FILE_LOADER_CLASS = _Files

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def list_available_services(self, type_name: str) -> list[str]:
        del type_name
        return [self._service]


def open_service(
    service: str,
    config: "Config",
    *,
    endpoint_url: str | None = None,
    region: str | None = None,
    key: str | None = None,
) -> "BaseClient":
    """Region and credentials are the environment's unless given; ``key`` stands for both halves of a made-up one.

    Importing this module costs about 100 ms, and a client 30 ms more: only what talks to AWS does either.
    """
    session = get_session()
    session.register_component("data_loader", _OneService(service))
    return session.create_client(
        service,
        endpoint_url=endpoint_url,
        region_name=region,
        aws_access_key_id=key,
        aws_secret_access_key=key,
        config=config,
    )
