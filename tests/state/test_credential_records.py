"""One item per connector, written whole and read as it was written last."""

import asyncio

from connecta.state.credentials import SealedCredential
from tests.fixtures.dynamodb import Clock, StateOpener


async def test_a_credential_is_kept_until_it_is_removed(open_here: StateOpener):
    clock = Clock()
    records = open_here(now=clock).credentials
    assert await records.read("shop") is None
    await records.write("shop", {"user": b"\x00\xff", "password": b"sealed"}, "owner")
    clock.seconds += 10 * 365 * 24 * 3_600
    kept = SealedCredential({"password": b"sealed", "user": b"\x00\xff"}, Clock().seconds, "owner")
    assert await records.read("shop") == kept
    assert await records.read("bank") is None
    assert await open_here("elsewhere").credentials.read("shop") is None
    assert [await records.remove("shop"), await records.remove("shop")] == [True, False]
    assert await records.read("shop") is None


async def test_a_field_may_have_any_name(open_here: StateOpener):
    records = open_here().credentials
    fields = {
        name: name.encode() for name in ("set_at", "set_by", "connector", "field:", "pk", "sk", "expires_at", "ü")
    }
    await records.write("shop", fields, "owner")
    assert await records.read("shop") == SealedCredential(dict(sorted(fields.items())), Clock().seconds, "owner")


async def test_of_many_written_at_once_one_is_there_whole(open_here: StateOpener):
    records = open_here().credentials
    written = [{"user": b"%d" % n, "password": b"%d" % n} for n in range(10)]
    await asyncio.gather(*(records.write("shop", fields, "owner") for fields in written))
    kept = await records.read("shop")
    assert kept is not None
    assert dict(kept.fields) in written


async def test_what_is_sealed_is_not_in_its_repr():
    assert repr(SealedCredential({"key": b"sealed"}, 1.0, "owner")) == "SealedCredential(set_at=1.0, set_by='owner')"
