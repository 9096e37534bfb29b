"""Data keys of AWS KMS. The key that wraps them never leaves KMS, which writes down every use of it."""

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast

from connecta.auth.vault.keys import KEY_BYTES, Context, DataKey, Unreadable, unreached
from connecta.limits import Limits
from connecta.log import logger

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

T = TypeVar("T")

_REASONS: Final[Mapping[str, str]] = {
    "InvalidCiphertextException": "tampered",
    "IncorrectKeyException": "wrong_key",
    "NotFoundException": "missing_key",
    "KMSInvalidStateException": "missing_key",
    "DisabledException": "disabled_key",
    "AccessDeniedException": "denied_key",
    "InvalidKeyUsageException": "wrong_key",
    "ValidationException": "refused",
}
"""What KMS says by what it means. A key in the wrong state is mostly one that waits to be deleted. What is not listed
may get better."""


class _Kms(Protocol):
    """What is used of AWS's client."""

    def generate_data_key(
        self, *, KeyId: str, NumberOfBytes: int, EncryptionContext: Context
    ) -> Mapping[str, object]: ...
    def decrypt(self, *, KeyId: str, CiphertextBlob: bytes, EncryptionContext: Context) -> Mapping[str, object]: ...
    def close(self) -> None: ...


class KmsKeys:
    """Data keys under one KMS key, by its ARN. The client is made on first use."""

    def __init__(self, key_id: str, limits: Limits, *, endpoint_url: str | None = None) -> None:
        self._key_id = key_id
        self._limits = limits
        self._endpoint_url = endpoint_url
        self._lock = threading.Lock()
        self._client: _Kms | None = None

    def new(self, context: Context) -> DataKey:
        answer = self._asked(
            lambda kms: kms.generate_data_key(KeyId=self._key_id, NumberOfBytes=KEY_BYTES, EncryptionContext=context)
        )
        plain, wrapped = cast(bytes, answer["Plaintext"]), cast(bytes, answer["CiphertextBlob"])
        return DataKey(plain, wrapped, str(answer["KeyId"]))

    def unwrapped(self, key_id: str, wrapped: bytes, context: Context) -> bytes:
        """Only by the key of this deployment, whatever stands beside what is wrapped: the table can be written by
        others than KMS's administrators."""
        if _is_key(self._key_id) and key_id != self._key_id:
            raise Unreadable("wrong_key")
        answer = self._asked(
            lambda kms: kms.decrypt(KeyId=self._key_id, CiphertextBlob=wrapped, EncryptionContext=context)
        )
        return cast(bytes, answer["Plaintext"])

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()

    def _asked(self, request: Callable[[_Kms], T]) -> T:
        from botocore import exceptions as aws

        try:
            return request(self._opened())
        except aws.ClientError as error:
            raise _refusal(error) from error
        except aws.BotoCoreError as error:
            logger.error("KMS cannot be reached.", extra={"cause": type(error).__name__})
            raise unreached() from error

    def _opened(self) -> _Kms:
        with self._lock:
            if self._client is None:
                self._client = _open_client(self._endpoint_url, self._limits)
            return self._client


def _is_key(id: str) -> bool:
    """Whether ``id`` is what KMS itself calls a key, and not an alias or half an ARN."""
    return id.startswith("arn:") and ":key/" in id


def _refusal(error: "ClientError") -> Exception:
    code = error.response.get("Error", {}).get("Code", "")
    reason = _REASONS.get(code)
    if reason is not None:
        return Unreadable(reason)
    logger.error("KMS refused a request.", extra={"cause": code})
    return unreached()


def _open_client(endpoint_url: str | None, limits: Limits) -> _Kms:
    # Imported here because botocore costs a cold start about 150 ms, and many deployments keep no credential.
    from botocore.config import Config

    from connecta.state.aws import open_service

    config = Config(
        connect_timeout=limits.state_connect_s,
        read_timeout=limits.state_read_s,
        retries={"mode": "standard", "total_max_attempts": limits.state_attempts},
        max_pool_connections=limits.vault_threads,
    )
    return cast(_Kms, open_service("kms", config, endpoint_url=endpoint_url))
