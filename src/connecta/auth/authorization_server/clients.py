"""Who asks to be let in on a person's behalf: clients the deployment declares, that have a document, or registered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from connecta.auth.authorization_server.client_documents import DocumentClients, is_document_id
from connecta.auth.authorization_server.config import DeclaredClient
from connecta.auth.authorization_server.redirects import matches
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.log import logger
from connecta.state.registrations import Registrations


@dataclass(frozen=True, slots=True)
class Client:
    """A public client. ``name`` is what it calls itself; ``host`` is whose it is, proven only for one with a
    document, which had to be there. A registered client could be anybody's."""

    id: str
    name: str
    redirect_uris: tuple[str, ...]
    source: Literal["declared", "document", "registered"]
    host: str | None = None

    def redirect(self, asked: str | None) -> str | None:
        """The redirect URI to use when ``asked`` is asked for; ``None`` for one that is not the client's."""
        if asked is None:
            return self.redirect_uris[0] if len(self.redirect_uris) == 1 else None
        return asked if any(matches(asked, known) for known in self.redirect_uris) else None


class Clients:
    """The clients of one deployment."""

    def __init__(
        self,
        declared: Sequence[DeclaredClient],
        documents: DocumentClients,
        registrations: Registrations,
        limits: Limits,
    ) -> None:
        self._declared = {
            client.id: Client(client.id, client.name, tuple(client.redirect_uris), "declared") for client in declared
        }
        self._documents = documents
        self._registrations = registrations
        self._limits = limits

    async def find(self, id: str, address: str) -> Client | None:
        """The client of this id; ``None`` for one nobody knows. ``address`` is whose request it is.

        Raises ``BadMetadata`` for one whose document is none, ``OAuthError`` and ``unavailable``.
        """
        if id in self._declared:
            return self._declared[id]
        if is_document_id(id, self._limits):
            metadata = await self._documents.find(id, address)
            return Client(id, metadata.name, metadata.redirect_uris, "document", urlsplit(id).hostname)
        found = await self._registrations.find(id)
        return None if found is None else Client(found.id, found.name, found.redirect_uris, "registered")

    async def still_known(self, id: str) -> bool:
        """Whether a client that was given a code or tokens may use them. A document was read when they were given,
        and an address that is down now must end nobody's session."""
        if id in self._declared or is_document_id(id, self._limits):
            return True
        return await self._registrations.find(id) is not None

    async def note_use(self, id: str) -> None:
        """Remember a registered client that has just been given tokens. Raises nothing."""
        try:
            found = await self._registrations.find(id)
            if found is not None:
                await self._registrations.note_use(found)
        except Failure as failure:
            # It has its tokens by now; the note is made when it refreshes them.
            logger.warning("The use of a client could not be noted.", extra={"code": failure.code})
