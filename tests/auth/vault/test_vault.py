"""Values that only their own field of their own connector can have read (auth.md, "Vault and downstream OAuth")."""

import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from connecta.auth.vault.keys import Context, DataKey, DataKeys, Unreadable
from connecta.auth.vault.kms import KmsKeys
from connecta.auth.vault.vault import Vault
from connecta.failures import Failure
from tests.auth.vault.conftest import PATIENT, Keyed
from tests.fixtures.kms import Kms

SECRET = b"recognisable-secret-\x00\xff"
UNUSABLE = {
    "code": "unavailable",
    "message": "The key that this deployment encrypts credentials with cannot be used: its owner has to look at the "
    "log.",
    "retryable": False,
}
UNREACHED = {
    "code": "unavailable",
    "message": "The key that this deployment encrypts credentials with cannot be reached. Try again shortly.",
    "retryable": True,
}


@asynccontextmanager
async def vault_of(keys: DataKeys, deployment: str = "here") -> AsyncGenerator[Vault]:
    """A vault as a process has it that starts now."""
    vault = Vault(keys, deployment, PATIENT)
    try:
        yield vault
    finally:
        await vault.close()


async def sealed_by(keyed: Keyed, plain: bytes = SECRET) -> bytes:
    async with vault_of(keyed.open()) as vault:
        return await vault.sealed("shop", "key", plain)


async def reason_why(
    keys: DataKeys, sealed: bytes, *, deployment: str = "here", connector: str = "shop", field: str = "key"
) -> str | None:
    """Why a process that starts now cannot open it; ``None`` where it can."""
    async with vault_of(keys, deployment) as vault:
        try:
            await vault.opened(connector, field, sealed)
        except Unreadable as error:
            return error.reason
        return None


def said_of(caplog: pytest.LogCaptureFixture) -> list[Mapping[str, Any]]:
    named = ("deployment", "connector", "field", "reason")
    return [{name: getattr(record, name) for name in named} for record in caplog.records]


@pytest.mark.parametrize("plain", [SECRET, b"", b"x" * 100_000])
async def test_what_one_process_seals_another_opens(keyed: Keyed, plain: bytes):
    sealed = await sealed_by(keyed, plain)
    async with vault_of(keyed.open()) as vault:
        assert await vault.opened("shop", "key", sealed) == plain


async def test_nothing_of_a_value_is_seen_in_what_is_sealed(keyed: Keyed):
    """Neither the value, nor that two of them are the same."""
    first, second = await sealed_by(keyed), await sealed_by(keyed)
    assert SECRET[:8] not in first + second
    assert first != second
    assert len(first) == len(second)


async def test_a_change_of_any_byte_is_noticed(keyed: Keyed):
    sealed = await sealed_by(keyed)
    reasons: set[str] = set()
    async with vault_of(keyed.open()) as vault:
        for place in range(len(sealed)):
            changed = bytearray(sealed)
            changed[place] ^= 1
            with pytest.raises(Unreadable) as refused:
                await vault.opened("shop", "key", bytes(changed))
            reasons.add(refused.value.reason)
        assert await vault.opened("shop", "key", sealed) == SECRET
    assert {"malformed", "unknown_format", "tampered", "wrong_key"} <= reasons


async def test_what_was_cut_or_lengthened_is_not_opened(file_keyed: Keyed):
    sealed = await sealed_by(file_keyed)
    async with vault_of(file_keyed.open()) as vault:
        for changed in [sealed[:length] for length in range(len(sealed))] + [sealed + b"\0", b"\0" + sealed]:
            with pytest.raises(Unreadable):
                await vault.opened("shop", "key", changed)


@pytest.mark.parametrize(
    "place",
    [
        {"connector": "bank"},
        {"field": "user"},
        {"deployment": "elsewhere"},
        {"connector": "sho", "field": "pkey"},
        {"connector": "key", "field": "shop"},
    ],
)
async def test_what_was_moved_to_another_place_cannot_be_opened_there(
    keyed: Keyed, place: dict[str, str], caplog: pytest.LogCaptureFixture
):
    """Bound to deployment, connector and field (auth.md); where it belongs it still opens."""
    sealed = await sealed_by(keyed)
    assert await reason_why(keyed.open(), sealed, **place) == "tampered"
    wanted = {"deployment": "here", "connector": "shop", "field": "key", **place}
    assert said_of(caplog) == [{**wanted, "reason": "tampered"}]
    assert await reason_why(keyed.open(), sealed) is None


async def test_a_process_that_opened_a_value_opens_it_in_no_other_place(keyed: Keyed):
    """Also with the unwrapped key at hand."""
    sealed = await sealed_by(keyed)
    async with vault_of(keyed.open()) as vault:
        assert await vault.opened("shop", "key", sealed) == SECRET
        for connector, field in (("bank", "key"), ("shop", "user")):
            with pytest.raises(Unreadable):
                await vault.opened(connector, field, sealed)


class Lenient:
    """Keys that do not look at what they are bound to: each wraps itself."""

    def new(self, context: Context) -> DataKey:
        return DataKey(b"k" * 32, b"k" * 32, "lenient")

    def unwrapped(self, key_id: str, wrapped: bytes, context: Context) -> bytes:
        return wrapped

    def close(self) -> None:
        """There is nothing to close."""


@pytest.mark.parametrize("place", [{"connector": "bank"}, {"field": "user"}, {"deployment": "elsewhere"}])
async def test_a_value_is_bound_to_its_place_by_itself_too(place: dict[str, str]):
    """Context and AAD (auth.md): a data key that got out opens its value in its own place only."""
    async with vault_of(Lenient()) as vault:
        sealed = await vault.sealed("shop", "key", SECRET)
    assert await reason_why(Lenient(), sealed) is None
    assert await reason_why(Lenient(), sealed, **place) == "tampered"


@pytest.mark.parametrize("place", [{"connector": "bank"}, {"field": "user"}, {"deployment": "elsewhere"}])
async def test_a_data_key_is_bound_to_its_place(keyed: Keyed, place: dict[str, str]):
    """The key's own policy can tell who asks for what."""
    keys = keyed.open()
    context = {"deployment": "here", "connector": "shop", "field": "key"}
    made = keys.new(context)
    assert keys.unwrapped(made.key_id, made.wrapped, context) == made.plain
    with pytest.raises(Unreadable) as refused:
        keys.unwrapped(made.key_id, made.wrapped, {**context, **place})
    assert refused.value.reason == "tampered"
    keys.close()


async def test_parts_of_two_values_make_no_third(keyed: Keyed):
    """The ciphertext is bound to the key that stands before it."""
    first, second = await sealed_by(keyed, b"a" * 20), await sealed_by(keyed, b"b" * 20)
    for cut in (len(first) - 20 - 16, len(first) - 20 - 16 - 12):
        assert await reason_why(keyed.open(), first[:cut] + second[cut:]) == "tampered"


async def test_a_deployment_with_another_key_says_that_it_is_another(keyed: Keyed, caplog: pytest.LogCaptureFixture):
    sealed = await sealed_by(keyed)
    other = keyed.another()
    async with vault_of(other) as vault:
        await vault.sealed("shop", "key", SECRET)
    assert await reason_why(keyed.another(), sealed) == "wrong_key"
    [record] = caplog.records
    assert getattr(record, "key", "").encode() in sealed
    assert await reason_why(keyed.open(), sealed) is None


async def test_kms_is_not_asked_for_what_another_of_its_keys_wrapped(kms: Kms, kms_keyed: Keyed):
    sealed = await sealed_by(kms_keyed)
    assert await reason_why(kms_keyed.another(), sealed) == "wrong_key"
    assert dict(kms.asked) == {"GenerateDataKey": 1}


async def test_a_missing_key_is_named_and_what_it_sealed_opens_once_it_is_back(
    keyed: Keyed, caplog: pytest.LogCaptureFixture
):
    sealed = await sealed_by(keyed)
    keyed.lose()
    assert await reason_why(keyed.open(), sealed) == "missing_key"
    assert said_of(caplog) == [{"deployment": "here", "connector": "shop", "field": "key", "reason": "missing_key"}]
    keyed.find()
    assert await reason_why(keyed.open(), sealed) is None


async def test_no_secret_is_in_the_log_or_the_error(keyed: Keyed, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG, logger="connecta")
    sealed = await sealed_by(keyed)
    for changed in (sealed[:-1] + bytes([sealed[-1] ^ 1]), sealed[:30], b"", SECRET):
        async with vault_of(keyed.open()) as vault:
            with pytest.raises(Unreadable) as refused:
                await vault.opened("shop", "key", changed)
        assert "recognisable" not in repr(refused.value)
    assert "recognisable" not in repr([vars(record) for record in caplog.records])


async def test_a_key_that_does_not_exist_is_a_missing_one(kms: Kms):
    nowhere = "arn:aws:kms:us-east-1:123456789012:key/00000000-0000-0000-0000-000000000000"
    kms.answer = ("NotFoundException", 400)
    async with vault_of(KmsKeys(nowhere, PATIENT, endpoint_url=kms.url)) as vault:
        with pytest.raises(Failure) as refused:
            await vault.sealed("shop", "key", SECRET)
    assert refused.value.envelope() == UNUSABLE


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("DisabledException", "disabled_key"),
        ("KMSInvalidStateException", "missing_key"),
        ("NotFoundException", "missing_key"),
        ("AccessDeniedException", "denied_key"),
        ("IncorrectKeyException", "wrong_key"),
        ("InvalidCiphertextException", "tampered"),
        ("ValidationException", "refused"),
    ],
)
async def test_what_kms_will_go_on_refusing_is_named_and_not_asked_for_again(
    kms: Kms, kms_keyed: Keyed, error: str, reason: str, caplog: pytest.LogCaptureFixture
):
    sealed = await sealed_by(kms_keyed)
    kms.answer, before = (error, 400), kms.asked["Decrypt"]
    assert await reason_why(kms_keyed.open(), sealed) == reason
    assert kms.asked["Decrypt"] == before + 1
    async with vault_of(kms_keyed.open()) as vault:
        with pytest.raises(Failure) as refused:
            await vault.sealed("shop", "key", SECRET)
    assert refused.value.envelope() == UNUSABLE
    assert [said["reason"] for said in said_of(caplog)] == [reason, reason]
    assert "what KMS says" not in repr([vars(record) for record in caplog.records])


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ("ThrottlingException", 400),
        ("KeyUnavailableException", 500),
        ("KMSInternalException", 500),
        ("DependencyTimeoutException", 503),
        ("ExpiredTokenException", 400),
    ],
)
async def test_what_may_get_better_is_unavailable_and_does_in_the_same_process(
    kms: Kms, kms_keyed: Keyed, error: str, status: int
):
    sealed = await sealed_by(kms_keyed)
    async with vault_of(kms_keyed.open()) as vault:
        kms.answer = (error, status)
        attempts: list[Callable[[], Any]] = [
            lambda: vault.opened("shop", "key", sealed),
            lambda: vault.sealed("shop", "key", SECRET),
        ]
        for attempt in attempts:
            with pytest.raises(Failure) as refused:
                await attempt()
            assert refused.value.envelope() == UNREACHED
        kms.answer = None
        assert await vault.opened("shop", "key", sealed) == SECRET


async def test_a_kms_out_of_reach_is_unavailable(kms_keyed: Keyed, kms: Kms):
    sealed = await sealed_by(kms_keyed)
    key = kms.new_key()
    async with vault_of(KmsKeys(key, PATIENT, endpoint_url="http://127.0.0.1:9")) as vault:
        with pytest.raises(Failure) as refused:
            await vault.sealed("shop", "key", SECRET)
        assert refused.value.envelope() == UNREACHED
    assert await reason_why(kms_keyed.open(), sealed) is None


async def test_a_disabled_key_opens_nothing_and_loses_nothing(kms: Kms):
    key = kms.new_key()
    async with AsyncExitStack() as processes:
        first = await processes.enter_async_context(vault_of(KmsKeys(key, PATIENT, endpoint_url=kms.url)))
        sealed = await first.sealed("shop", "key", SECRET)
        kms.disable(key)
        with pytest.raises(Unreadable) as refused:
            await first.opened("shop", "key", sealed)
        assert refused.value.reason == "disabled_key"
        with pytest.raises(Failure) as unsealed:
            await first.sealed("shop", "key", SECRET)
        assert unsealed.value.envelope() == UNUSABLE
        kms.enable(key)
        assert await first.opened("shop", "key", sealed) == SECRET


async def test_a_key_may_be_named_by_its_alias(kms: Kms, request: pytest.FixtureRequest):
    """What was sealed under the key the alias named before is another key's."""
    key = kms.new_key()
    alias = kms.alias(request.node.name, key)
    async with vault_of(KmsKeys(alias, PATIENT, endpoint_url=kms.url)) as vault:
        sealed = await vault.sealed("shop", "key", SECRET)
        assert await vault.opened("shop", "key", sealed) == SECRET
    assert await reason_why(KmsKeys(key, PATIENT, endpoint_url=kms.url), sealed) is None
    named_otherwise = sealed.replace(key.encode(), key[:-1].encode() + b"x")
    assert named_otherwise != sealed
    assert await reason_why(KmsKeys(alias, PATIENT, endpoint_url=kms.url), named_otherwise) == "tampered"
    other = kms.alias(f"{request.node.name}-other", kms.new_key())
    assert await reason_why(KmsKeys(other, PATIENT, endpoint_url=kms.url), sealed) == "wrong_key"
