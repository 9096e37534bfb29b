"""The command line: ``python -m connecta dev``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; a mistake of the caller's is one sentence on stderr."""
    arguments = _parser().parse_args(argv)
    # Imported here, so that --help answers at once.
    from connecta.local.server import StartError, serve

    try:
        serve(arguments.deployment, arguments.port, Path(arguments.data))
    except StartError as error:
        print(f"connecta: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="connecta", description="Connecta for AWS Lambda, on this machine.")
    commands = parser.add_subparsers(dest="command", required=True)
    dev = commands.add_parser("dev", help="serve a deployment on 127.0.0.1, with its state in a local emulator")
    dev.add_argument("--port", type=_port, default=8787, help="the port to serve on (8787)")
    dev.add_argument(
        "--deployment", default="deployment:deployment", help="module:name of the deployment (deployment:deployment)"
    )
    dev.add_argument("--data", default=".connecta", help="the folder its state is kept in (.connecta)")
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65_535:
        raise argparse.ArgumentTypeError("a port is a number from 1 to 65535")
    return port
