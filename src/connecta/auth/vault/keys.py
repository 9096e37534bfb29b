"""Data keys: one encrypts one value, and is kept beside it, wrapped by a key that never leaves where it is kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from connecta.failures import Failure, unavailable
from connecta.limits import LIMITS, Limits
from connecta.log import logger

KMS_VARIABLE: Final = "CONNECTA_KMS_KEY"
"""Where the template says which KMS key it is."""
FILE_VARIABLE: Final = "CONNECTA_KEY_FILE"
"""Where the local server says which file it is."""
_IN_LAMBDA: Final = "AWS_LAMBDA_FUNCTION_NAME"
KEY_BYTES: Final = 32
"""AES-256, for wrapping and for wrapped keys alike."""

_PUT_RIGHT: Final = frozenset({"disabled_key", "denied_key", "exposed_key", "broken_key", "refused"})

Context: TypeAlias = Mapping[str, str]
"""What a data key is bound to: ``{ deployment, connector, field }``. Not secret; KMS writes it to CloudTrail."""


class Unreadable(Exception):
    """What is sealed cannot be opened, and trying again will not help. ``reason`` is a word for the log:

    ``malformed`` (not one of ours), ``unknown_format`` (a later version's), ``tampered`` (changed, or sealed for
    another place), ``wrong_key``, ``missing_key``, ``disabled_key``, ``denied_key`` (a policy says no, or the mode of
    a file), ``refused`` (KMS takes the request for none), ``exposed_key`` (others may read the key's file),
    ``broken_key`` (that file holds no key).
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    @property
    def key_at_fault(self) -> bool:
        """Whether nothing is wrong with what is sealed: it opens again once the owner has put the key right."""
        return self.reason in _PUT_RIGHT


@dataclass(frozen=True, slots=True)
class DataKey:
    """A new key, the same key wrapped, and the id of the key that wrapped it."""

    plain: bytes
    wrapped: bytes
    key_id: str

    def __repr__(self) -> str:
        """Never the key: this may end up in a log."""
        return f"DataKey(key_id={self.key_id!r})"


class DataKeys(Protocol):
    """Makes and unwraps data keys. Every method blocks: call them on a thread.

    They raise ``Unreadable`` for what will not get better by itself and ``unavailable`` for what may.
    """

    def new(self, context: Context) -> DataKey: ...

    def unwrapped(self, key_id: str, wrapped: bytes, context: Context) -> bytes:
        """The key that ``key_id`` wrapped for the same ``context``."""
        ...

    def close(self) -> None:
        """Close connections; nothing is asked any more."""
        ...


def keys_in(environ: Mapping[str, str], limits: Limits = LIMITS) -> DataKeys:
    """The data keys that the environment names: KMS's, else those of a file, which only a machine of one's own has."""
    kms_key, file = environ.get(KMS_VARIABLE), environ.get(FILE_VARIABLE)
    if kms_key:
        from connecta.auth.vault.kms import KmsKeys

        return KmsKeys(kms_key, limits)
    if environ.get(_IN_LAMBDA):
        return NoKeys(f"In Lambda credentials are encrypted with a KMS key, and {KMS_VARIABLE} names none.")
    if file:
        from connecta.auth.vault.local_key import LocalKeys

        return LocalKeys(Path(file))
    return NoKeys(f"Nothing says which key credentials are encrypted with: set {KMS_VARIABLE} or {FILE_VARIABLE}.")


def has_key(environ: Mapping[str, str]) -> bool:
    """Whether the environment names a key; whether it is any good shows when it is used."""
    return bool(environ.get(KMS_VARIABLE)) or (bool(environ.get(FILE_VARIABLE)) and not environ.get(_IN_LAMBDA))


class NoKeys:
    """Stands where no key is configured, so that everything which needs none goes on working."""

    def __init__(self, why: str) -> None:
        self._why = why

    def new(self, context: Context) -> DataKey:
        raise self._refusal(context)

    def unwrapped(self, key_id: str, wrapped: bytes, context: Context) -> bytes:
        raise self._refusal(context)

    def close(self) -> None:
        """There is nothing to close."""

    def _refusal(self, context: Context) -> Failure:
        logger.error(self._why, extra=dict(context))
        return unusable()


def unusable() -> Failure:
    """The key cannot be used, and only the operator can put that right."""
    return unavailable(
        "The key that this deployment encrypts credentials with cannot be used: its owner has to look at the log.",
        retryable=False,
    )


def unreached() -> Failure:
    """The key cannot be used right now."""
    return unavailable("The key that this deployment encrypts credentials with cannot be reached. Try again shortly.")
