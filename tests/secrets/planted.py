"""What is planted, where it is looked for, and the program that says all it hears."""

import base64
import json
from contextlib import closing
from typing import Any, Final

from connecta.limits import LIMITS
from connecta.state.client import open_client
from tests.secrets.ledger import Ledger, item_bytes
from tests.secrets.people import People

PASSPHRASE: Final = "planted passphrase of the owner"
BEARER: Final = "planted-bearer-of-callers-5d1f"
ENV_TOKEN: Final = "planted-env.token/of+the==function"
CLIENT_SECRET: Final = "planted-secret-of-our-client"
SINGLE: Final = "planted/single+slot=&\"value'<7>\\%41"
SEVERAL: Final = {
    "account": "planted-account-of-several",
    "secret": "planted secret/of?several",
    "seed": "planted\u00e9seed",
}
PAIR: Final = {"user": "planted-user@pair.example", "password": "planted:p\u00e4ssword/of+pair"}
SLOTS: Final[dict[str, dict[str, str]]] = {
    "single": {"value": SINGLE},
    "bare": {"value": f"{SINGLE}-bare"},
    "pair": PAIR,
    "api-single": {"value": f"{SINGLE}-api"},
    "api-pair": PAIR,
    "api-several": SEVERAL,
}
ENVIRON: Final = {"CONNECTA_TOKEN": BEARER, "SECRETS_ENV_TOKEN": ENV_TOKEN, "SECRETS_CLIENT": CLIENT_SECRET}
MCP: Final = ("single", "bare", "pair", "env", "notes", "other")
API: Final = ("api-single", "api-pair", "api-several", "api-env")
PROGRAM: Final = """async () => {
  const found = [];
  for (const [address, ways] of %s) {
    for (let at = 0; at < ways.length; at += 10) {
      const calls = ways.slice(at, at + 10).map((how) => ({ address, args: { how } }));
      found.push(...(await connecta.batch(calls)));
    }
  }
  const text = JSON.stringify(found);
  console.log(text);
  console.error(found.map((each) => (each.ok ? String(each.data) : each.error)).join("\\n"));
  await connecta.ui("<pre>" + text.replaceAll("<", "&lt;") + "</pre>");
  for (const each of found) {
    for (const block of (each.data && each.data.content) || []) {
      if (block.type === "image") await connecta.emit(block);
    }
  }
  try {
    await connecta.call(found[0].address, { how: "is_error" });
  } catch (error) {
    return [error.message, error.stack, error.details, found];
  }
  return found;
}"""


def planted(ledger: Ledger) -> Ledger:
    """With what is known before anything runs."""
    ledger.plant("passphrase", PASSPHRASE)
    ledger.plant("bearer", BEARER)
    ledger.plant("Token(env)", ENV_TOKEN)
    ledger.plant("client secret", CLIENT_SECRET)
    for connector, values in SLOTS.items():
        for name, value in values.items():
            ledger.plant(f"{connector}'s {name}", value)
    ledger.plant("pair's header", base64.b64encode(":".join(PAIR.values()).encode()).decode())
    return ledger


def dump(endpoint_url: str, table: str, ledger: Ledger) -> None:
    """All of the table into ``ledger``."""
    with closing(open_client(endpoint_url, LIMITS)) as client:
        for page in client.get_paginator("scan").paginate(TableName=table):
            for item in page["Items"]:
                for part in item_bytes(item):
                    ledger.note(f"table {item['pk']}", part)


def runs_a_program(people: People, token: str, calls: list[tuple[str, list[str]]]) -> None:
    answer = people.calls(token, "execute_code", {"code": PROGRAM % json.dumps(calls), "diagnostics": True})
    told: dict[str, Any] = json.loads(answer["result"]["content"][0]["text"])
    if "view" in told:
        people.calls(token, "get_result", {"id": told["view"]})
