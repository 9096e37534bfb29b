"""``search_tools``, ``skills`` and ``authorize_connector``."""

from connecta.limits import LIMITS
from connecta.tools.usage import usage, views
from tests.tools.conftest import House


async def test_search_groups_its_page_by_connector(stateless_house: House) -> None:
    page = await stateless_house.value("search_tools", {"query": "read note", "includeSchemas": "compact", "limit": 1})
    [group] = page["connectors"]
    assert (group["id"], group["title"]) == ("desk", "Front desk")
    [row] = group["tools"]
    assert row["address"] == "desk.read_note"
    assert row["inputSchema"].startswith("{ id: string")
    assert row["requiredInputKeys"] == ["id"]
    assert {"total", "offset", "limit", "hasMore"} <= set(page)


async def test_skills_are_listed_and_read_as_text(stateless_house: House) -> None:
    listed = await stateless_house.value("skills", {})
    assert [skill["name"] for skill in listed["skills"]] == ["usage", "views"]
    for name, guide in (("usage", usage(LIMITS)), ("views", views())):
        answer = await stateless_house.call("skills", {"name": name})
        assert list(answer.content) == [{"type": "text", "text": guide}]
    error = await stateless_house.error("skills", {"name": "nope"})
    assert error["message"] == 'There is no guide "nope". The guides are: usage, views.'


async def test_a_connector_that_needs_no_credential_says_so(stateless_house: House) -> None:
    value = await stateless_house.value("authorize_connector", {"connector": "desk"})
    assert value["connector"] == "desk"
    assert "recovery" not in value
    assert value["instructions"]
    error = await stateless_house.error("authorize_connector", {"connector": "nowhere"})
    assert error["code"] == "unknown_address"
