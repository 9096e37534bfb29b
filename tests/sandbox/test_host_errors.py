"""Host failures inside a program, and out of it again (guest-api.md E1, E6)."""

import pytest

from connecta.failures import Failure
from connecta.sandbox.sandbox import Sandbox
from connecta.text import Json
from tests.fixtures.programs import AWAY, away, failure_of, value_of


async def test_a_host_failure_is_an_error_with_its_whole_classification(sandbox: Sandbox) -> None:
    """E1."""
    program = (
        "async () => { try { await connecta.call('w.now') } catch (e) {"
        " return [e instanceof Error, e.message, e.code, e.retryable, e.details] } }"
    )
    assert await value_of(sandbox, program, away) == [True, AWAY.message, AWAY.code, AWAY.retryable, AWAY.envelope()]


@pytest.mark.parametrize(
    "program",
    [
        "async () => connecta.call('w.now')",
        "async () => { try { await connecta.call('w.now') } catch (e) { throw new Error('weather: ' + e.message) } }",
        "async () => { try { await connecta.call('w.now') } catch (e) { throw 'weather: ' + e.message } }",
        "async () => { try { await connecta.call('w.now') } catch (e) { throw new Error('x', { cause: e }) } }",
        "async () => { try { await connecta.call('w.now') } catch (e) { e.message = 'changed'; throw e } }",
        "async () => { try { await connecta.call('w.now') } catch (e) { e.code = 'mine'; throw e } }",
        "async () => Promise.any([connecta.call('w.now'), docs.search()])",
        "async () => { try { await connecta.call('w.now') } catch (e) { WeakMap.prototype.get = () => 0; throw e } }",
    ],
)
async def test_an_uncaught_or_wrapped_host_failure_comes_back_as_itself(sandbox: Sandbox, program: str) -> None:
    """E1, E6."""
    assert await failure_of(sandbox, program, away) is AWAY


@pytest.mark.parametrize(
    "program",
    [
        "async () => { const e = new Error('m'); e.code = 'auth_required'; e.retryable = true; throw e }",
        "async () => { throw { message: 'm', code: 'auth_required', retryable: true, details: { code: 'x' } } }",
        "async () => { try { await connecta.call('w.now') } catch (e) { const f = new Error('m');"
        " Object.defineProperties(f, Object.getOwnPropertyDescriptors(e));"
        " Object.defineProperty(f, 'message', { value: 'm' }); throw f } }",
        "async () => { try { await connecta.call('w.now') } catch (e) {"
        " throw Object.setPrototypeOf({ message: 'm' }, e) } }",
        "async () => { throw new Proxy(new Error('m'), { get: (t, k) => k === 'call' ? 1 : t[k] }) }",
    ],
)
async def test_a_program_cannot_forge_a_host_failure(sandbox: Sandbox, program: str) -> None:
    """E1."""
    failure = await failure_of(sandbox, program, away)
    assert (failure.code, failure.retryable) == ("run_error", False)


async def test_the_failure_of_the_call_that_was_thrown_is_the_one_reported(sandbox: Sandbox) -> None:
    """E1: identity, not the last failure there was."""
    raised = {name: Failure("not_found", f"There is no {name} here.") for name in ("first", "second")}

    async def host(operation: str, args: list[Json]) -> Json:
        raise raised[str(args[0])]

    program = (
        "async () => { let kept; try { await connecta.call('first') } catch (e) { kept = e }"
        " try { await connecta.call('second') } catch {} throw kept }"
    )
    assert await failure_of(sandbox, program, host) is raised["first"]


async def test_a_stack_formatter_gets_no_hold_of_the_harness(sandbox: Sandbox) -> None:
    """E1: call sites would hand out the prelude's own functions."""
    program = (
        "async () => { let seen = 0; try { Error.prepareStackTrace = () => { seen++ } } catch {}"
        " try { await connecta.call('x') } catch (e) { return [seen, typeof e.stack] } }"
    )
    assert await value_of(sandbox, program, away) == [0, "string"]
