"""Results as a host passes them on, with payloads that try things."""

import json
from typing import Any

from connecta.text import JsonObject

VIEW = "v_AAAAAAAAAAAAAAAAAAAAAA"
SHOWN = "done trying"


def payload(html: str) -> dict[str, Any]:
    """A finished run's result with ``html`` as its view."""
    envelope: JsonObject = {"result": 1, "ui": True, "view": VIEW}
    return {"content": [{"type": "text", "text": json.dumps(envelope)}], "_meta": {"connecta/ui": {"html": html}}}


def trying(script: str, html: str = "") -> dict[str, Any]:
    """A view whose script runs ``script``, then says ``SHOWN`` with what ``log`` was given, one a line."""
    return payload(
        f"""{html}<pre id="out">not run</pre><script>
        const lines = [], log = (name, what) => lines.push(name + ": " + what);
        const attempt = async (name, act) => {{
          try {{ log(name, await act()); }} catch (error) {{ log(name, error.name); }}
        }};
        (async () => {{ {script}
          document.getElementById("out").textContent = ["{SHOWN}", ...lines].join("\\n");
        }})();
        </script>"""
    )
