"""The command line: ``python -m connecta dev`` and ``python -m connecta activity``."""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from connecta.limits import LIMITS
from connecta.local.errors import CommandError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; a mistake of the caller's is one sentence on stderr."""
    arguments = _parser().parse_args(argv)
    try:
        run: Callable[[argparse.Namespace], None] = arguments.run
        run(arguments)
    except CommandError as error:
        print(f"connecta: {error}", file=sys.stderr)
        return 1
    return 0


# What a command needs is imported when it runs, so that --help answers at once.


def _dev(arguments: argparse.Namespace) -> None:
    from connecta.local.server import serve

    serve(arguments.deployment, arguments.port, Path(arguments.data))


def _activity(arguments: argparse.Namespace) -> None:
    from connecta.local.activity import Listing, show_activity

    show_activity(
        Listing(
            deployment=arguments.deployment,
            data=Path(arguments.data),
            table=arguments.table,
            connector=arguments.connector,
            outcome=arguments.outcome,
            since_s=arguments.since,
            limit=arguments.limit,
            as_json=arguments.json,
        )
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="connecta", description="Connecta for AWS Lambda, on this machine.")
    commands = parser.add_subparsers(dest="command", required=True)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--deployment", default="deployment:deployment", help="module:name of the deployment (deployment:deployment)"
    )
    shared.add_argument("--data", default=".connecta", help="the folder its state is kept in (.connecta)")
    dev = commands.add_parser(
        "dev", parents=[shared], help="serve a deployment on 127.0.0.1, with its state in a local emulator"
    )
    dev.add_argument("--port", type=_port, default=8787, help="the port to serve on (8787)")
    dev.set_defaults(run=_dev)
    activity = commands.add_parser(
        "activity", parents=[shared], help="list the calls that were attempted in the last 30 days, newest first"
    )
    activity.add_argument("--table", help="a deployed table, reached with your AWS credentials, not the local one")
    activity.add_argument("--connector", help="only calls to the connector of this id")
    activity.add_argument("--outcome", choices=["success", "error", "timeout", "cancelled"])
    activity.add_argument("--since", type=_seconds, help="how far back to look: 90s, 30m, 2h or 7d")
    listed, most = LIMITS.activity_listed, LIMITS.activity_listed_max
    activity.add_argument("--limit", type=_limit, default=listed, help=f"how many calls, at most {most} ({listed})")
    activity.add_argument("--json", action="store_true", help="one JSON object a line, with every field")
    activity.set_defaults(run=_activity)
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65_535:
        raise argparse.ArgumentTypeError("a port is a number from 1 to 65535")
    return port


def _limit(text: str) -> int:
    limit = int(text) if text.isdecimal() else 0
    if not 1 <= limit <= LIMITS.activity_listed_max:
        raise argparse.ArgumentTypeError(f"a limit is a number from 1 to {LIMITS.activity_listed_max}")
    return limit


def _seconds(text: str) -> int:
    span = re.fullmatch(r"([0-9]{1,9})([smhd])", text)
    if span is None:
        raise argparse.ArgumentTypeError("a time is a number and a unit, like 90s, 30m, 2h or 7d")
    return int(span[1]) * {"s": 1, "m": 60, "h": 3_600, "d": 86_400}[span[2]]
