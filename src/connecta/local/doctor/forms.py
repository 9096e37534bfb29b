"""The forms of a page, as far as a person without a browser can fill them in."""

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(slots=True)
class Form:
    """``password`` is the name of its password field; ``buttons`` are name and value of what it can be sent with."""

    action: str
    hidden: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    buttons: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    password: str | None = None


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(given.get("action", "")))
            self._inside = True
        elif self._inside and tag in ("input", "button") and "name" in given:
            _add(self.forms[-1], tag, given)

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "form"


def _add(form: Form, tag: str, given: dict[str, str]) -> None:
    pair = (given["name"], given.get("value", ""))
    kind = given.get("type", "submit" if tag == "button" else "text")
    if kind == "hidden":
        form.hidden.append(pair)
    elif kind == "submit":
        form.buttons.append(pair)
    elif kind == "password":
        form.password = given["name"]


def forms_in(body: bytes) -> list[Form]:
    reading = _Forms()
    reading.feed(body.decode("utf-8", "replace"))
    reading.close()
    return reading.forms
