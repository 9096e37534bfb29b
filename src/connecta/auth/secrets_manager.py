"""Reading a secret of AWS Secrets Manager."""

from collections.abc import Mapping
from typing import Protocol, cast

from connecta.failures import unavailable
from connecta.log import logger


class _SecretsManager(Protocol):
    def get_secret_value(self, *, SecretId: str) -> Mapping[str, object]: ...
    def close(self) -> None: ...


def secret_value(secret: str, otherwise: str) -> str:
    """The text of ``secret``, a name or an ARN. Blocks: call it on a thread.

    Raises ``unavailable`` with the sentence ``otherwise`` where it cannot be read.
    """
    # Imported here because boto3 costs a cold start about 160 ms, and a token in the environment needs none.
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        bounded = Config(connect_timeout=1, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 3})
        client = cast(_SecretsManager, boto3.client("secretsmanager", config=bounded))  # pyright: ignore[reportUnknownMemberType, reportCallIssue, reportArgumentType]
        try:
            return str(client.get_secret_value(SecretId=secret).get("SecretString", "")).strip()
        finally:
            client.close()
    except (BotoCoreError, ClientError) as error:
        logger.error("A secret cannot be read.", extra={"reason": type(error).__name__, "secret": secret})
        raise unavailable(otherwise) from error
