"""``src/deployment.py``, what ``sam deploy`` ships, over replayed answers.

Neither host can be reached from a build machine. The answers under ``fixtures/replay`` were written after the public
documentation of Open-Meteo and of the AWS Knowledge server, not recorded: these tests prove the connectors, and say
nothing of the hosts.
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

import deployment as shipped
from connecta import AuthorizationServer, Bearer
from connecta.connectors.model import Connection
from connecta.text import Json, JsonObject
from tests.fixtures.misbehaving_server import MisbehavingServer, misbehaving_server

REPLAY = Path(__file__).parent / "fixtures" / "replay"
FORECAST = (REPLAY / "open_meteo_forecast.json").read_bytes()


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MisbehavingServer]:
    async with misbehaving_server() as running:
        running.pages["/v1/forecast"] = FORECAST
        running.answers = json.loads((REPLAY / "aws_knowledge.json").read_text())
        monkeypatch.setattr(shipped.weather, "url", f"{running.url}/v1")
        monkeypatch.setattr(shipped.aws, "url", f"{running.url}/mcp")
        for connector in (shipped.weather, shipped.aws):
            monkeypatch.setattr(connector, "allow_private", True)
        yield running


async def answer(connection: Connection, name: str, args: JsonObject) -> Json:
    try:
        tools = {tool.name: tool for tool in await connection.list_tools()}
        return (await connection.call(tools[name], args, 10.0)).unwrap()
    finally:
        await connection.close()


def test_it_reaches_public_https_hosts_only_and_lets_in_who_signs_in_or_has_the_token() -> None:
    assert {c.id: (c.url, c.allow_private, c.auth) for c in (shipped.weather, shipped.aws)} == {
        "weather": ("https://api.open-meteo.com/v1", False, None),
        "aws": ("https://knowledge-mcp.global.api.aws", False, None),
    }
    assert list(shipped.deployment.by_id) == ["weather", "aws"]
    assert [type(kind) for kind in shipped.deployment.auth] == [AuthorizationServer, Bearer]


async def test_the_forecast_is_asked_for_as_open_meteo_documents_it(server: MisbehavingServer) -> None:
    args: JsonObject = {"latitude": 52.52, "longitude": 13.42, "days": 2}
    assert await answer(shipped.weather.open(), "forecast", args) == json.loads(FORECAST)
    method, path, _ = server.requests[0]
    assert (method, urlsplit(path).path) == ("GET", "/v1/forecast")
    assert parse_qs(urlsplit(path).query) == {
        "latitude": ["52.52"],
        "longitude": ["13.42"],
        "current": ["temperature_2m,precipitation,weather_code,wind_speed_10m"],
        "daily": ["temperature_2m_min,temperature_2m_max,precipitation_sum,wind_speed_10m_max"],
        "forecast_days": ["2"],
        "timezone": ["auto"],
    }


async def test_aws_documentation_is_searched_and_only_reviewed_tools_are_for_programs(
    server: MisbehavingServer,
) -> None:
    connection = shipped.aws.open()
    assert {tool.name: tool.annotations.program_may_call for tool in await connection.list_tools()} == {
        "aws___search_documentation": True,
        "aws___read_documentation": True,
        "aws___some_new_tool": False,
    }
    found = await answer(connection, "aws___search_documentation", {"search_phrase": "lambda payload limit"})
    assert found == json.loads(server.answers["tools/call"]["content"][0]["text"])
