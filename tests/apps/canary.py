"""Local listeners that nothing may reach: for each name one port, on which both TCP and UDP are heard."""

import selectors
import socket
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

from tests.fixtures.processes import free_port

SWEEP_S = 0.05
HEARD_S = 30.0
ANSWER = (
    b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 0\r\nContent-Type: text/html\r\n"
    b"Connection: close\r\n\r\n"
)


@dataclass(frozen=True)
class Heard:
    """What came on one connection or in one packet: ``sent`` is empty for a connection that says nothing."""

    name: str
    sent: bytes


@dataclass(frozen=True)
class Canary:
    """Hears everything on its ports, bare connections too, and answers each request with an empty page."""

    ports: dict[str, int]
    _listeners: dict[socket.socket, str] = field(repr=False)
    _connections: dict[socket.socket, int] = field(default_factory=dict[socket.socket, int], repr=False)
    _heard: list[Heard] = field(default_factory=list[Heard], repr=False)
    _changed: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def arrived(self) -> list[Heard]:
        """Everything so far, in order."""
        with self._changed:
            self._sweep()
            return list(self._heard)

    def names(self) -> set[str]:
        """Under which something arrived, be it a connection that says nothing."""
        return {heard.name for heard in self.arrived()}

    def sent(self) -> set[str]:
        """The names under which something was said."""
        return {heard.name for heard in self.arrived() if heard.sent}

    def wait_for(self, names: Iterable[str]) -> set[str]:
        """Those of ``names`` that have not arrived within a generous time, be it on a connection that says nothing."""
        return self._wait_for(set(names), self.names)

    def wait_for_sent(self, names: Iterable[str]) -> set[str]:
        """Those of ``names`` under which nothing was said within a generous time. A browser that opens a connection
        says something on it only later, or on another one."""
        return self._wait_for(set(names), self.sent)

    def _wait_for(self, wanted: set[str], found: Callable[[], set[str]]) -> set[str]:
        with self._changed:
            self._changed.wait_for(lambda: wanted <= found(), HEARD_S)
        return wanted - found()

    def listen(self, stop: threading.Event) -> None:
        with selectors.DefaultSelector() as waiting:
            for listener in self._listeners:
                waiting.register(listener, selectors.EVENT_READ)
            while not stop.is_set():
                waiting.select(SWEEP_S)
                with self._changed:
                    self._sweep()
                    self._changed.notify_all()

    def close(self) -> None:
        for each in [*self._connections, *self._listeners]:
            each.close()

    def _sweep(self) -> None:
        for listener, name in self._listeners.items():
            with suppress(BlockingIOError):
                while True:
                    self._take(listener, name)
        for connection, index in list(self._connections.items()):
            with suppress(BlockingIOError, ConnectionError):
                self._read(connection, index)

    def _take(self, listener: socket.socket, name: str) -> None:
        if listener.type == socket.SOCK_DGRAM:
            self._heard.append(Heard(name, listener.recv(2048)))
            return
        connection, _ = listener.accept()
        connection.setblocking(False)
        self._connections[connection] = len(self._heard)
        self._heard.append(Heard(name, b""))

    def _read(self, connection: socket.socket, index: int) -> None:
        sent = connection.recv(2048)
        if sent:
            self._heard[index] = Heard(self._heard[index].name, sent)
            connection.sendall(ANSWER)
        del self._connections[connection]
        connection.close()


@contextmanager
def listening_canary(names: Iterable[str]) -> Generator[Canary]:
    stop = threading.Event()
    with ExitStack() as held:
        ports, listeners = _listeners(names)
        canary = Canary(ports, listeners)
        held.callback(canary.close)
        thread = threading.Thread(target=canary.listen, args=[stop])
        thread.start()
        held.callback(thread.join)
        held.callback(stop.set)
        yield canary


def _listeners(names: Iterable[str]) -> tuple[dict[str, int], dict[socket.socket, str]]:
    ports: dict[str, int] = {}
    listeners: dict[socket.socket, str] = {}
    for name in names:
        for listener in _pair():
            listener.setblocking(False)
            listeners[listener] = name
            ports[name] = listener.getsockname()[1]
    return ports, listeners


def _pair() -> tuple[socket.socket, socket.socket]:
    """TCP and UDP on one number."""
    while True:
        at = ("127.0.0.1", free_port())
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            udp.bind(at)
            return socket.create_server(at, backlog=64), udp
        except OSError:
            udp.close()
