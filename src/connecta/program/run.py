"""One run of one program: admitted, executed, and gathered into what its answer is made of."""

from dataclasses import dataclass
from time import perf_counter
from typing import cast

from connecta.failures import Failure
from connecta.program.admission import RunAdmission
from connecta.program.functions import GuestFunctions
from connecta.program.output import Output
from connecta.sandbox.sandbox import Sandbox
from connecta.scope import Scope
from connecta.text import Json, JsonObject


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run that ended. ``failure`` is ``None`` on success; ``output`` is delivered only then."""

    value: Json
    failure: Failure | None
    logs: str
    output: Output
    diagnostics: JsonObject


class Programs:
    """Where programs run in this process: one sandbox, one admission."""

    def __init__(self, sandbox: Sandbox, admission: RunAdmission) -> None:
        self.sandbox = sandbox
        self._admission = admission

    async def run(self, code: str, scope: Scope, *, measured: bool = False) -> RunResult:
        """Run ``code``; ``measured`` where diagnostics are asked for.

        Raises only what keeps a run from starting; what the program does comes back as a result.
        """
        output = Output(scope.limits)
        started = perf_counter()
        async with self._admission.slot():
            admission_ms = (perf_counter() - started) * 1000
            deadline_s = min(scope.limits.run_s, scope.remaining_s())
            functions = GuestFunctions(scope, output, measured=measured)
            ran = await self.sandbox.run(code, functions, deadline_s=deadline_s)
        diagnostics: JsonObject = {
            "admissionMs": round(admission_ms, 1),
            "sandboxStartMs": round(ran.start_ms, 1),
            "wallMs": round(ran.wall_ms, 1),
            "guestCpuMs": round(ran.cpu_ms, 1),
            **scope.timings.report(),
        }
        if output.blocks:
            diagnostics["emitted"] = {"count": len(output.blocks), "bytes": output.block_bytes}
        if output.view is not None:
            diagnostics["ui"] = {"bytes": output.view_bytes}
        value = None if ran.failure else cast(Json, ran.value)
        return RunResult(value, functions.typed(ran.failure, ran.said), ran.logs, output, diagnostics)
