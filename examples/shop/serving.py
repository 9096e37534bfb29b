"""Serving one ASGI app on a socket that was opened for it, for as long as the process that opened it lives."""

import os
import socket
import sys
import threading

import uvicorn
from starlette.types import ASGIApp


def serve(app: ASGIApp) -> None:
    """``python -m <module> <descriptor>``: serve until told to stop, or until standard input ends, which is how a
    child learns that its parent is gone."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    listening = socket.socket(fileno=int(sys.argv[1]))
    uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listening])


def _end_with_parent() -> None:
    while os.read(0, 1024):
        pass
    os._exit(0)
