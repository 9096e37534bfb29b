"""What was shown is recognized in what comes back, however it is written (auth.md "Vault and downstream OAuth")."""

import base64
import json
from html import escape
from urllib.parse import quote, quote_plus

import pytest

from connecta.auth.presented import bearer

SECRET = "sk/live+\"a' <b>\\%41&é=="
HEADER = f"Bearer {SECRET}"


def in_base64(text: str, before: str = "") -> str:
    return base64.b64encode(f"{before}{text} after".encode()).decode()


@pytest.mark.parametrize(
    "text",
    [
        HEADER,
        json.dumps(json.dumps(json.dumps({"a": HEADER}))),
        json.dumps({"a": HEADER}, ensure_ascii=False).replace("/", "\\/"),
        "".join(f"\\u{ord(each):04x}" for each in SECRET),
        quote(HEADER),
        quote(quote(HEADER, safe=""), safe=""),
        quote_plus(HEADER).replace("%2F", "%2f"),
        "".join(f"%{each:02x}" for each in SECRET.encode()),
        escape(HEADER),
        "".join(f"&#x{ord(each):x};" for each in SECRET),
        "\0".join(HEADER),
        *(in_base64(HEADER, before) for before in ("", "a", "ab")),
        in_base64(HEADER).replace("+", "-").replace("/", "_"),
    ],
)
def test_a_secret_is_recognized_however_it_is_written(text: str):
    shown = bearer(SECRET)
    assert shown.in_answer(text)
    assert shown.in_answer(json.dumps([text]))
    assert shown.in_error(json.dumps({"message": f"no: {text}"}, ensure_ascii=False))


@pytest.mark.parametrize("text", ["\\" * 200_000, "&#" + "9" * 5_000 + ";", "%" * 200_000, "&#" * 100_000])
def test_what_is_nearly_written_in_some_way_is_only_read(text: str):
    """Without an error, and without looking again from each character: a quadratic look would take hours."""
    shown = bearer(SECRET)
    assert [shown.in_answer(text), shown.in_answer(text + HEADER)] == [False, True]


def test_what_only_looks_like_one_is_none():
    shown = bearer("sk-live-4711-a-long-one")
    others = [
        "sk-live-4711",
        "Bearer sk-live-4711-a-short-one",
        "%73k",
        "\\u0073k-live",
        in_base64("another"),
        "A" * 99,
    ]
    assert [shown.in_answer(each) for each in others] == [False] * len(others)
