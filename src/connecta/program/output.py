"""What a program delivers beside its return value: emitted blocks and at most one view (M1 - M10, U1 - U4)."""

import base64
import binascii
from dataclasses import dataclass, field
from typing import cast

from connecta import failures
from connecta.limits import Limits
from connecta.program import media
from connecta.text import Json, JsonObject, compact, kind_of, size

_SHAPES = '{ type: "text", text } or { type: "image" | "audio", data, mimeType }'


@dataclass(slots=True)
class Output:
    """Blocks and view taken so far, and the budget they share. Nothing is delivered unless the run succeeds."""

    limits: Limits
    blocks: list[JsonObject] = field(default_factory=list[JsonObject])
    view: str | None = None
    block_bytes: int = 0
    view_bytes: int = 0

    def emit(self, args: list[Json]) -> None:
        """Take one block (M1). Raises ``invalid_args`` or ``budget_exceeded``, and then takes nothing."""
        if len(args) != 1:
            raise failures.invalid_args(f"connecta.emit takes exactly one block: {_SHAPES}. It got {len(args)}.")
        block = _checked_block(args[0])
        if len(self.blocks) >= self.limits.emitted_blocks:
            raise failures.budget_exceeded(
                f"This run has emitted {len(self.blocks)} blocks, which is all of its {self.limits.emitted_blocks}. "
                "Put more into one block, or emit less."
            )
        self.block_bytes += self._spend(size(compact(block)))
        self.blocks.append(block)

    def ui(self, args: list[Json]) -> None:
        """Take the run's one view (U1, U2). Raises as ``emit`` does."""
        html = args[0] if len(args) == 1 else None
        if not isinstance(html, str) or not html:
            got = f"{len(args)} arguments" if len(args) != 1 else "an empty string" if html == "" else kind_of(html)
            raise failures.invalid_args(
                f"connecta.ui takes exactly one argument: a non-empty string of HTML. It got {got}."
            )
        if self.view is not None:
            raise failures.invalid_args("A run renders one view, and this one already has it: the first view stands.")
        self.view_bytes = self._spend(size(compact({"html": html})))
        self.view = html

    def _spend(self, cost: int) -> int:
        left = self.limits.emitted_bytes - self.block_bytes - self.view_bytes
        if cost > left:
            raise failures.budget_exceeded(
                f"That is {cost:,} bytes, and of the run's {self.limits.emitted_bytes:,} bytes for blocks and view "
                f"{left:,} are left. Emit something smaller."
            )
        return cost


def _checked_block(given: Json) -> JsonObject:
    if not isinstance(given, dict):
        raise failures.invalid_args(f"connecta.emit takes one block: {_SHAPES}. It got {kind_of(given)}.")
    kind = given.get("type")
    if kind in ("resource", "resource_link"):
        raise failures.invalid_args(f'A program cannot emit a "{kind}": it mints no address. Emit {_SHAPES}.')
    if kind not in ("text", "image", "audio"):
        raise failures.invalid_args(f'connecta.emit takes {_SHAPES}: its "type" is none of text, image, audio.')
    wanted = {"type", "text"} if kind == "text" else {"type", "data", "mimeType"}
    if set(given) != wanted or not all(isinstance(given[key], str) for key in wanted):
        fields, got = ", ".join(sorted(wanted)), failures.shape_of(given)
        raise failures.invalid_args(
            f'A block of type "{kind}" has exactly the fields {fields}, all of them strings. It got {got}.'
        )
    if kind == "text":
        return given
    return {**given, "mimeType": _checked_media_type(kind, cast(str, given["data"]), cast(str, given["mimeType"]))}


def _checked_media_type(kind: str, data: str, mime_type: str) -> str:
    """The bare media type that ``data`` really is: hosts believe it unseen, and may know it in no other form."""
    media_type = mime_type.partition(";")[0].lower()
    if media_type not in media.known(kind):
        listed = ", ".join(media.known(kind))
        raise failures.invalid_args(
            f'The mimeType of an {kind} block is one of {listed}; not "{failures.quote(mime_type)}".'
        )
    try:
        decoded = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise failures.invalid_args(
            f"The data of an {kind} block is base64 with padding, without a prefix like data:{media_type};base64, and "
            "without line breaks."
        ) from None
    if not media.KINDS[media_type](decoded):
        found = media.recognised(decoded)
        what = f"it is {found}" if found else "it is damaged, cut off or something else" if decoded else "it is empty"
        raise failures.invalid_args(f"The data of this {kind} block is not {media_type}: {what}.")
    return media_type
