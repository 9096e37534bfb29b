"""Search and describe over the catalogs of one request (S1 - S4), for both routes that reach them."""

import asyncio

from connecta import failures
from connecta.calls.targets import resolve
from connecta.catalog.describe import describe_miss, describe_page, describe_tool
from connecta.catalog.request import DescribeRequest, SearchRequest, describe_request, search_request
from connecta.catalog.search import search
from connecta.failures import Failure
from connecta.scope import Scope
from connecta.text import Json, JsonObject, kind_of


async def search_page(scope: Scope, request: SearchRequest) -> JsonObject:
    """One flat page (S1). Only the named connector's catalog is loaded when there is one (S1a)."""
    if request.connector is None:
        wanted = list(scope.connectors)
    else:
        wanted = [request.connector] if request.connector in scope.connectors else []
    catalogs, unavailable = await scope.available(wanted)
    return search(catalogs, unavailable, request, scope.services.deployment.connectors)


def asked_search(scope: Scope, options: Json) -> SearchRequest:
    """The options of ``connecta.search``. Raises ``invalid_args``."""
    return search_request(_options("connecta.search", options, "query, connector, safety, limit, …"), scope.limits)


async def describe(scope: Scope, options: Json) -> JsonObject:
    """``{ tools }`` in request order; a bad address carries its error and fails nothing else (S4)."""
    shape = "address, or addresses, format, fullDescriptions"
    request = describe_request(_options("connecta.describe", options, shape), scope.limits)
    entries = await asyncio.gather(*(_described(scope, address, request) for address in request.addresses))
    return describe_page(entries, scope.limits)


async def _described(scope: Scope, address: str, request: DescribeRequest) -> JsonObject:
    try:
        target = await resolve(address, scope.connectors, scope.catalog, "function")
        catalog = await scope.catalog(target.connector.id)
    except Failure as failure:
        return describe_miss(address, failures.of_operation(failure, failures.quote(address)))
    return describe_tool(catalog, target.tool, format=request.format, full=request.full_descriptions)


def _options(function: str, given: Json, shape: str) -> JsonObject:
    if not isinstance(given, dict):
        raise failures.invalid_args(f"{function} takes one object with {shape}. It got {kind_of(given)}.")
    return given
