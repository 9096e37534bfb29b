"""Credential slots: what the operator fills in for a connector, and what may be said about it afterwards."""

from collections.abc import Mapping
from dataclasses import dataclass
from unicodedata import category

from connecta.auth.vault.vault import Vault
from connecta.failures import quote
from connecta.limits import LIMITS, Limits
from connecta.state.credentials import CredentialRecords, SealedCredential
from connecta.text import size


class BadValue(ValueError):
    """A value that cannot be kept. ``message`` is a sentence for whoever typed it; it never quotes the value."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class Slot:
    """All that is ever shown of a filled slot. ``set_at`` is epoch seconds, ``set_by`` the operator's name."""

    fields: tuple[str, ...]
    set_at: float
    set_by: str


class Slots:
    """The slots of one deployment, one per connector."""

    def __init__(self, records: CredentialRecords, vault: Vault, limits: Limits = LIMITS) -> None:
        self._records = records
        self._vault = vault
        self._limits = limits

    async def values(self, connector: str) -> Mapping[str, str] | None:
        """The values by field, ``None`` where the slot is empty. Read anew each time, so that a value that was
        replaced is gone at the next call of every process.

        Raises ``Unreadable`` and ``unavailable`` as ``Vault.opened`` does.
        """
        kept = await self._records.read(connector)
        if kept is None:
            return None
        opened = {field: await self._vault.opened(connector, field, blob) for field, blob in kept.fields.items()}
        return {field: value.decode() for field, value in opened.items()}

    async def put(self, connector: str, values: Mapping[str, str], by: str) -> None:
        """Fill the slot, or replace all that was in it. Raises ``BadValue`` and ``unavailable``; then nothing has
        changed."""
        self.check(values)
        sealed = {field: await self._vault.sealed(connector, field, value.encode()) for field, value in values.items()}
        await self._records.write(connector, sealed, by)

    def check(self, values: Mapping[str, str], labels: Mapping[str, str] | None = None) -> None:
        """Raises ``BadValue`` where ``put`` would, about fields as ``labels`` call them."""
        if not values:
            raise BadValue("There is nothing to keep.")
        for field, value in values.items():
            self._check(field if labels is None else labels[field], value)

    async def remove(self, connector: str) -> bool:
        """Whether there was anything in the slot; now there is not."""
        return await self._records.remove(connector)

    async def standing(self, connector: str) -> Slot | None:
        """What is in the slot without its values; nothing is decrypted."""
        kept = await self._records.read(connector)
        return None if kept is None else _shown(kept)

    def _check(self, label: str, value: str) -> None:
        name = quote(label)
        if not value.strip():
            raise BadValue(f'"{name}" is empty: fill it in.')
        if size(value) > self._limits.credential_bytes:
            raise BadValue(f'"{name}" is longer than {self._limits.credential_bytes:,} bytes.')
        if any(category(character) in ("Cc", "Cs", "Zl", "Zp") for character in value):
            raise BadValue(f'"{name}" holds a line break or another control character: paste it without.')
        if value != value.strip():
            raise BadValue(f'"{name}" begins or ends with a space: paste it without.')


def _shown(kept: SealedCredential) -> Slot:
    return Slot(tuple(kept.fields), kept.set_at, kept.set_by)
