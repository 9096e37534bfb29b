"""Which connectors your agents can reach. `sam deploy` ships this file; it is yours to edit.

As it stands it needs no account and no key: a weather API and AWS's own documentation. Replace both with your
own. Whatever is wrong here is said in one error, before anything is served.
"""

from typing import Annotated

from pydantic import Field

from connecta import AuthorizationServer, Bearer, Connecta, Context, api, remote_mcp

# An api() connector: each tool is a Python function. Its name, docstring and annotations are all the model gets to
# see of it; ctx.http reaches base_url and nothing else.
weather = api(
    "weather",
    title="Weather",
    description="Forecasts for any place on Earth, from Open-Meteo",
    base_url="https://api.open-meteo.com/v1",
)


@weather.tool(read_only=True)
async def forecast(
    ctx: Context,
    latitude: Annotated[float, Field(ge=-90, le=90)],
    longitude: Annotated[float, Field(ge=-180, le=180)],
    days: Annotated[int, Field(ge=1, le=16)] = 3,
) -> object:
    """Weather now, and per day the lowest and highest temperature, rain and wind, in the place's own time zone."""
    return await ctx.http.get(
        "/forecast",
        params={
            "latitude": latitude,
            "longitude": longitude,
            "current": "temperature_2m,precipitation,weather_code,wind_speed_10m",
            "daily": "temperature_2m_min,temperature_2m_max,precipitation_sum,wind_speed_10m_max",
            "forecast_days": days,
            "timezone": "auto",
        },
    )


# A remote_mcp() connector: the tools are the server's own. Where a server does not say which of them only read, the
# ones you have looked at and named in read_only={…} can be called by programs; any other is one visible call each.
aws = remote_mcp(
    "aws",
    title="AWS Knowledge",
    description="AWS documentation, API references and what's new",
    url="https://knowledge-mcp.global.api.aws",
    read_only={
        "aws___search_documentation",
        "aws___read_documentation",
        "aws___recommend",
        "aws___list_regions",
        "aws___get_regional_availability",
    },
)

deployment = Connecta(
    connectors=[weather, aws],
    # Who may come in: clients that send their person to sign in with the passphrase (claude.ai, ChatGPT), and whoever
    # sends the token in a header. template.yaml keeps both in Secrets Manager and says where.
    auth=[AuthorizationServer(), Bearer()],
)
