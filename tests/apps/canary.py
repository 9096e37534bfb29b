"""Local listeners that nothing may reach: one for TCP, one for UDP."""

import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass


@dataclass(frozen=True)
class Canary:
    """Listens on loopback. What arrives waits in the kernel until ``arrived`` looks."""

    tcp: socket.socket
    udp: socket.socket

    @property
    def ports(self) -> tuple[int, int]:
        """TCP's and UDP's."""
        return self.tcp.getsockname()[1], self.udp.getsockname()[1]

    def arrived(self) -> list[str]:
        """``tcp`` with its first line for every connection, ``udp`` for every packet, since the last look."""
        arrived: list[str] = []
        with suppress(BlockingIOError):
            while True:
                arrived.append(f"tcp {_first_line(self.tcp.accept()[0])}".strip())
        with suppress(BlockingIOError):
            while self.udp.recv(2048):
                arrived.append("udp")
        return arrived


def _first_line(connection: socket.socket) -> str:
    """What came on ``connection`` so far; closes it."""
    with connection, suppress(BlockingIOError):
        connection.setblocking(False)
        return connection.recv(2048).decode("latin-1").partition("\r\n")[0]
    return ""


@contextmanager
def listening_canary() -> Generator[Canary]:
    with (
        socket.create_server(("127.0.0.1", 0), backlog=64) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        udp.bind(("127.0.0.1", 0))
        tcp.setblocking(False)
        udp.setblocking(False)
        yield Canary(tcp, udp)
