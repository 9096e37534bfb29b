"""Catalogs of any size, made by combining the tools of the frozen retrieval set: the same size, the same catalogs."""

import re
from collections.abc import Sequence
from typing import Final

from bench.search_quality import Golden, GoldenTool
from connecta.catalog.catalog import Catalog
from connecta.connectors.api import api
from connecta.connectors.model import Annotations, Tool
from connecta.text import Json, JsonObject

_SERVICE_WORDS: Final = """
    atlas beacon cobalt delta ember falcon garnet harbor indigo juniper keystone lumen meridian nimbus orchid pioneer
    quartz raven summit tundra
"""
_THING_WORDS: Final = """
    account alert appointment asset audit badge batch benefit board booking budget campaign candidate card cart channel
    claim cluster contract coupon course credit currency customer dashboard deal delivery deployment device discount
    domain employee event experiment expense export feature feed flag forecast form gateway goal group holiday host
    import incident inspection insurance inventory invoice job key lead lease ledger license loan location machine
    meeting member merchant milestone monitor mortgage notification objective offer order package parcel partner payment
    payroll permission pipeline plan playlist policy portfolio position prescription product profile project promotion
    property quote receipt refund region release rental report reservation review reward role route sample schedule
    segment sensor session shift shipment signature site slot sprint statement stock store subscription supplier survey
    tax team template tenant terminal thread ticket token topic transaction transfer trial vehicle vendor version
    visit voucher warehouse webhook workflow workspace zone
"""
_SERVICES: Final = _SERVICE_WORDS.split()
_THINGS: Final = _THING_WORDS.split()
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_NAMED_PARAMETERS: Final = 4


def combined_catalogs(golden: Golden, tools: int) -> list[Catalog]:
    """``tools`` tools, shared evenly by as many connectors as there are services; each a golden tool's action upon one
    thing, described by sentences of that tool and of another. At most 30,000: then names would come twice."""
    base = golden["tools"]
    sentences = [_SENTENCE.split(tool["description"]) for tool in base]
    counts = [len(range(place, tools, len(_SERVICES))) for place in range(len(_SERVICES))]
    return [
        Catalog(
            api(id, title=id.title(), description=id, base_url="https://tools.example"),
            tuple(_tool(number, place, base, sentences) for number in range(count)),
            0.0,
        )
        for place, (id, count) in enumerate(zip(_SERVICES, counts, strict=True))
    ]


def _tool(number: int, place: int, base: Sequence[GoldenTool], sentences: Sequence[Sequence[str]]) -> Tool:
    own = number % len(base)
    first = number + number // len(base) * 7 + place * 31
    thing = _THINGS[first % len(_THINGS)]
    other = sentences[(number * 13 + place) % len(base)]
    return Tool(
        f"{base[own]['name']}_{thing}",
        " ".join([*sentences[own][:2], f"Works on one {thing}.", other[number % len(other)]]),
        input_schema=_schema(first, thing),
        annotations=Annotations(read_only=number % 3 != 0),
    )


def _schema(first: int, thing: str) -> Json:
    names = [f"{thing}_id", *(_THINGS[(first * 11 + n * 17) % len(_THINGS)] for n in range(_NAMED_PARAMETERS))]
    properties: JsonObject = {name: {"type": "string", "minLength": 1, "description": f"The {name}."} for name in names}
    return {"type": "object", "properties": properties, "required": [names[0]]}
