"""Where the references of a schema lead: inside it, to one place, or nowhere."""

import pytest

from connecta.catalog.references import References
from connecta.text import Json, JsonObject

PLACE: JsonObject = {"type": "integer"}
ANCHORED: JsonObject = {"$anchor": "here", "type": "string"}
OLD: JsonObject = {"$id": "#old", "type": "string"}
ROOT: JsonObject = {
    "$id": "https://schemas.example/root#",
    "$defs": {"a/b": PLACE, "per cent": PLACE, "anchored": ANCHORED, "old": OLD},
    "allOf": [{"properties": {"deep": {"$dynamicAnchor": "there"}}}],
    "const": {"list": [[], {"$anchor": ["no name"]}]},
}


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("#", ROOT),
        ("", ROOT),
        ("#/$defs/a~1b", PLACE),
        ("#/%24defs/per%20cent", PLACE),
        ("https://schemas.example/root#/$defs/a~1b", PLACE),
        ("https://schemas.example/root", ROOT),
        ("#/allOf/0/properties/deep", {"$dynamicAnchor": "there"}),
        ("#here", ANCHORED),
        ("#there", {"$dynamicAnchor": "there"}),
        ("#old", OLD),
        ("#nowhere", None),
        ("#/$defs/nothing", None),
        ("#/allOf/1", None),
        ("#/allOf/first", None),
        ("#/allOf/" + "9" * 5_000, None),
        ("https://schemas.example/other#/$defs/a~1b", None),
        ("other.json", None),
        (7, None),
        (None, None),
    ],
)
def test_a_reference_leads_to_a_place_inside_the_schema(reference: Json, found: Json) -> None:
    assert References(ROOT).target(reference) == found


def test_an_anchor_that_stands_twice_leads_nowhere() -> None:
    """Which of the two a validator takes is not known here."""
    twice = References({"$defs": {"a": ANCHORED, "b": {"properties": {"c": dict(ANCHORED)}}}})
    assert twice.target("#here") is None


def test_a_part_with_a_base_of_its_own_is_not_entered() -> None:
    """A reference inside it is relative to it."""
    inner: JsonObject = {"$id": "https://schemas.example/inner", "$defs": {"x": ANCHORED}}
    references = References({"$defs": {"inner": inner}})
    assert references.has_own_base(inner)
    assert [references.target(each) for each in ("#/$defs/inner", "#/$defs/inner/$defs/x", "#here")] == [None] * 3


@pytest.mark.parametrize(("dialect", "own"), [("http://json-schema.org/draft-04/schema#", True), (None, False)])
def test_what_gives_a_part_its_base_depends_on_the_dialect(dialect: str | None, own: bool) -> None:
    part: JsonObject = {"id": "https://schemas.example/part"}
    assert References({"$schema": dialect, "properties": {"a": part}}).has_own_base(part) is own


@pytest.mark.parametrize("root", [None, True, "text", 7, [{"$anchor": "x"}]])
def test_the_references_of_no_schema_lead_nowhere(root: Json) -> None:
    assert References(root).target("#/$defs/a") is None
    assert References(root).target("#gone") is None
