"""No token, verifier or client secret is anywhere but sealed (``auth.md``, "Vault and downstream OAuth")."""

import logging
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from connecta.auth.downstream.model import CallbackRefused, NotGranted
from connecta.auth.exchange import Answer, Exchange, Question
from connecta.connectors.strangers import exchange
from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.state import State
from connecta.state.client import open_client
from tests.auth.downstream.deployments import Notes, oauth_over
from tests.auth.downstream.downstreams import ORIGIN, SdkDownstream, asked, connect
from tests.fixtures.dynamodb import TABLE, Clock

SECRET = {"access_token", "refresh_token", "client_secret", "code_verifier", "code", "token"}


class Overheard:
    """Every secret that was sent or answered."""

    def __init__(self) -> None:
        self.secrets: set[str] = set()

    def __call__(self, *, allow_private: bool) -> Exchange:
        really = exchange(allow_private=allow_private)

        async def ask(asked: Question) -> Answer:
            answer = await really(asked)
            self._note(dict(parse_qsl((asked.body or b"").decode())))
            self._note(answer.json() or {})
            assert not any(secret in repr(answer) for secret in self.secrets)
            return answer

        return ask

    def _note(self, said: Mapping[str, object]) -> None:
        self.secrets |= {value for name, value in said.items() if name in SECRET and isinstance(value, str)}


def dump(endpoint_url: str) -> str:
    """All of the table, as text."""
    with closing(open_client(endpoint_url, LIMITS)) as client:
        pages = client.get_paginator("scan").paginate(TableName=TABLE)
        return "\n".join(repr(item) for page in pages for item in page["Items"])


async def test_what_is_secret_is_in_no_log_no_table_and_no_error(
    oauth_state: State,
    notes: Notes,
    desk: SdkDownstream,
    tmp_path: Path,
    moto_url: str,
    clock: Clock,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
):
    caplog.set_level(logging.INFO)
    overheard = Overheard()
    oauth = oauth_over(oauth_state, tmp_path, exchanges=overheard)
    url = await oauth.begin(notes, origin=ORIGIN, by="owner")
    shown = [url, dump(moto_url)]
    back = await desk.consent(url)
    await oauth.finish(notes, back, origin=ORIGIN)
    await connect(oauth, notes, desk)
    shown += [repr(await oauth.token(notes)), repr(await oauth.standing(notes)), dump(moto_url)]
    clock.seconds += 3_600
    used = await oauth.token(notes)
    shown += [repr(used), repr(await oauth_state.downstream_grants.read(notes.id)), dump(moto_url)]
    await desk.told(token_status=500)
    clock.seconds += 3_600
    with pytest.raises(Failure) as failed:
        await oauth.token(notes)
    await desk.told()
    await asked(f"{desk.origin}/forget", what="grants")
    with pytest.raises(NotGranted) as refused:
        await oauth.token(notes)
    with pytest.raises(CallbackRefused) as again:
        await oauth.finish(notes, back, origin=ORIGIN)
    await connect(oauth, notes, desk)
    await oauth.disconnect(notes)
    shown += [repr(error.value) for error in (failed, refused, again)]
    shown += [dump(moto_url), caplog.text, *capsys.readouterr()]
    shown += [str(record.__dict__) for record in caplog.records]
    assert len(overheard.secrets) >= 12
    for secret in overheard.secrets:
        assert not [text for text in shown if secret in text], secret
