"""Input schemas in the manner of real servers: what their generators and authors write, not what is easy."""

from typing import Final

from connecta.text import Json, JsonObject


def _text(about: str, **more: Json) -> JsonObject:
    return {"type": "string", "description": about, **more}


def _object(properties: JsonObject, *required: str, **more: Json) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list[Json](required), **more}


_LABEL: Final = _object(
    {"name": _text("The label."), "color": _text("Six hex digits.", pattern="^[0-9a-f]{6}$")}, "name"
)
_CARD: Final = _object(
    {"kind": {"const": "card"}, "number": _text("Digits.", minLength=12), "cvc": _text("Three.")}, "kind"
)
_BANK: Final = _object({"kind": {"const": "bank"}, "iban": _text("The account.", maxLength=34)}, "kind", "iban")
_WALLET: Final = _object({"kind": {"const": "wallet"}, "provider": {"enum": ["apple", "google", "link"]}}, "kind")


def _nested(levels: int) -> JsonObject:
    if not levels:
        return _object({"field": _text("What is compared."), "value": {"type": ["string", "number", "null"]}}, "field")
    return _object({"all": {"type": "array", "items": _nested(levels - 1)}, "not": _nested(levels - 1)})


SCHEMAS: Final[dict[str, JsonObject]] = {
    "no fields": {"type": "object", "properties": {}, "additionalProperties": False},
    "search, 4 fields": _object(
        {
            "query": _text("What to look for.", minLength=1),
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 30},
            "sort": _text("Order.", enum=["created", "updated", "comments"]),
            "after": _text("Only later ones.", format="date-time"),
        },
        "query",
        additionalProperties=False,
    ),
    "issue, nested labels": _object(
        {
            "owner": _text("The account."),
            "repo": _text("The repository."),
            "title": _text("In one line.", maxLength=256),
            "body": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "labels": {"type": "array", "items": _LABEL, "maxItems": 100},
            "assignees": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        },
        "owner",
        "repo",
        "title",
    ),
    "discriminated union": _object(
        {
            "amount": {"type": "integer", "exclusiveMinimum": 0},
            "method": {"oneOf": [_CARD, _BANK, _WALLET], "discriminator": {"propertyName": "kind"}},
        },
        "amount",
        "method",
    ),
    "draft-07, definitions": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"point": {"type": "array", "items": [{"type": "number"}, {"type": "number"}]}},
        **_object({"path": {"type": "array", "items": {"$ref": "#/definitions/point"}}}, "path"),
    },
    "allOf of 3": {
        "allOf": [
            {"$ref": "#/$defs/page"},
            {"$ref": "#/$defs/tenant"},
            _object({"status": {"enum": ["open", "done"]}}),
        ],
        "$defs": {
            "page": _object({"cursor": _text("Where to go on."), "size": {"type": "integer", "maximum": 200}}),
            "tenant": _object({"tenant": _text("Whose.", format="uuid")}, "tenant"),
        },
    },
    "cycle": {
        "$defs": {
            "node": _object(
                {"name": _text("Its name."), "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}, "name"
            )
        },
        **_object({"root": {"$ref": "#/$defs/node"}}, "root"),
    },
    "enum of 250": _object(
        {"zone": _text("The time zone.", enum=[f"Region/City_{n:03d}" for n in range(250)])}, "zone"
    ),
    "60 fields": _object(
        {f"column_{n}": _text(f"The value of column {n}.", maxLength=n + 1) for n in range(60)}, "column_7"
    ),
    "filter, 5 levels": _object({"where": _nested(5)}, "where"),
}
