"""The ``logs`` string of one run (R5)."""


class Logs:
    """Console lines of every level, in order, joined by newlines, and cut to ``limit`` characters with a mark."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: list[str] = []
        self._length = 0

    def add(self, line: str) -> None:
        if self._length <= self._limit + 1:  # the newline after the last line is not in the text
            self._lines.append(line[: self._limit + 1])
            self._length += len(self._lines[-1]) + 1

    @property
    def text(self) -> str:
        text = "\n".join(self._lines)
        if len(text) <= self._limit:
            return text
        mark = f"\n… [logs cut at {self._limit:,} characters]"
        return (text[: max(0, self._limit - len(mark))] + mark)[: self._limit]
