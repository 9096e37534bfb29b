# pyright: basic
"""Runs one JavaScript program and exits: ``python -I -S child.py ENGINE PRELUDE_JSON NUMBERS``.

Frames on stdin and stdout are ``>I`` payload length, one type byte, payload.

====  ========  ============================================================================
type  sender    payload
====  ========  ============================================================================
Y     child     ready: a JSON object of hardening steps, each ``ok`` or a reason
P     parent    the program as ASCII JSON
C     child     ``ID\\nOPERATION\\nARGUMENTS``: a host call, arguments as a JSON array
R     parent    ``ID OK JSON``: its answer in ASCII JSON; OK is 1, or 0 for a failure
L     child     one log line as a JSON string, sent as it is written
D     child     ``CPU_US JSON``: the program's value
E     child     ``KIND CPU_US JSON``: how it ended otherwise, with what there is to say
====  ========  ============================================================================

Imports are the fewest and the lowest there are: each one is paid on every program. ``_quickjs`` is the engine
without the package that starts a thread on import.
"""

import os
import sys
from _struct import Struct
from time import process_time

sys.path += [os.path.dirname(os.path.abspath(__file__)), sys.argv[1]]

import _quickjs
import hardening

HERE = sys.path[-2]
HEADER = Struct(">IB")
RUNNING, VALUE, FAILED, SYNTAX = range(4)
JOBS = 16
"""Jobs between two looks at whether the program has ended: a look costs about as much as a job."""
READ_BYTES = 64 * 1024


def frame(kind, payload):
    return HEADER.pack(len(payload), ord(kind)) + payload


def write(data):
    try:
        while data:
            data = data[os.write(1, data) :]
    except BrokenPipeError:
        os._exit(0)  # the parent is gone, and with it whoever would read this


inbox = bytearray()


def read_exactly(count):
    while len(inbox) < count:
        part = os.read(0, READ_BYTES)
        if not part:
            os._exit(0)
        inbox.extend(part)
    taken = bytes(inbox[:count])
    del inbox[:count]
    return taken


def read(expected, bound):
    length, kind = HEADER.unpack(read_exactly(HEADER.size))
    if kind != ord(expected) or length > bound:
        os._exit(3)
    return read_exactly(length)


def another_is_here():
    """Whether a whole frame can be read without waiting."""
    return len(inbox) >= HEADER.size and len(inbox) >= HEADER.size + HEADER.unpack_from(inbox)[0]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Ending(Exception):
    """The program cannot go on: ``kind`` and, where there is one, its report as JSON."""

    def __init__(self, kind, report="{}"):
        super().__init__(kind)
        self.kind = kind
        self.report = report


class Memory:
    """Peak resident memory, from a file opened while files could still be opened.

    ``getrusage`` would also count the parent, whose memory a child started by vfork wears until its exec.
    """

    def __init__(self, heap):
        self.heap = heap
        try:
            self.fd = os.open("/proc/self/status", os.O_RDONLY)
        except OSError:
            self.fd = -1
        self.base = self.peak()

    def peak(self):
        if self.fd < 0:
            return 0
        os.lseek(self.fd, 0, 0)
        for line in os.read(self.fd, 8192).split(b"\n"):
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
        return 0

    def exhausted(self):
        # The allocation that failed may have asked for as much again as was in use.
        return self.peak() - self.base >= self.heap // 2


class Program:
    def __init__(self, harness, numbers):
        self.heap, stack, self.result_bytes, self.frame_bytes, lines = numbers
        self.context = _quickjs.Context()
        self.context.set_max_stack_size(stack)
        # The one way from the engine into Python. All it does is send a text, so that what a program has logged is out
        # whatever ends the process.
        self.context.add_callable("log", lambda line: write(frame("L", line.encode())))
        # Below the program's lines, so that a stack frame's line tells whose it is.
        harness = self.context.eval("\n" * lines + harness)
        pick = self.context.eval("(harness => name => harness[name])")(harness)
        names = ("take", "settle", "start", "state", "result", "report", "syntax")
        self.take, self.settle, self.start, self.state, self.result, self.report, self.syntax = map(pick, names)
        self.pending = 0

    def begin(self, memory):
        self.memory = memory
        self.context.set_memory_limit(self.heap)
        self.text = read("P", self.frame_bytes).decode("ascii")
        self.cpu_from = process_time()

    def cpu_us(self):
        return (process_time() - self.cpu_from) * 1e6

    def run(self):
        """The program's value as JSON. Raises ``Ending``, or what the engine raises."""
        self.start(self.text)
        while True:
            state = self.run_jobs()
            if state == VALUE:
                return self.value()
            if state == SYNTAX:
                raise Ending("syntax", self.syntax())
            if state == FAILED:
                self.failed()
            self.flush()
            if self.pending == 0:
                raise Ending("half" if self.memory.exhausted() else "stalled")
            self.receive()

    def run_jobs(self):
        """Runs what is due, and no more of it once the program has ended; what it came to so far."""
        while True:
            for _ in range(JOBS):
                if not self.context.execute_pending_job():
                    return self.state()
            state = self.state()
            if state != RUNNING:
                return state

    def value(self):
        text = self.result()
        if text[0] != "=":
            raise Ending("result", text[1:])
        encoded = text[1:].encode()
        if len(encoded) > self.result_bytes:
            raise Ending("result_bytes")
        return encoded

    def failed(self):
        self.context.set_memory_limit(self.heap * 2)  # the harness has to report, even from a full heap
        report = self.report()
        kind = {"M": "memory", "S": "stack"}.get(report[0], "error")
        if report[0] == "N" and self.memory.exhausted():
            kind = "half"
        raise Ending(kind, report[1:])

    def receive(self):
        """Waits for an answer, and takes what else has come with it: parallel calls often end together."""
        while True:
            call, ok, answer = read("R", self.frame_bytes).split(b" ", 2)
            self.pending -= 1
            self.settle(int(call), ok == b"1", answer.decode("ascii"))
            if not another_is_here():
                return

    def flush(self):
        """Sends the calls the program has queued."""
        out = []
        while calls := self.take():
            for call in calls.split("\x1e"):
                self.pending += 1
                out.append(frame("C", call.encode()))
        write(b"".join(out))

    def ending(self, error):
        """What an exception out of the engine means, on measured numbers first."""
        if isinstance(error, Ending):
            return error
        if isinstance(error, MemoryError) or self.memory.exhausted():
            return Ending("memory")
        if isinstance(error, _quickjs.StackOverflow):
            return Ending("stack")
        return Ending("memory" if "out of memory" in str(error) else "crash")

    def serve(self):
        try:
            value = self.run()
            write(frame("D", b"%d %s" % (self.cpu_us(), value)))
        except (Ending, _quickjs.JSException, MemoryError) as error:
            ending = self.ending(error)
            write(frame("E", b"%s %d %s" % (ending.kind.encode(), self.cpu_us(), ending.report.encode())))


def script(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def main():
    cpu_ms, *numbers = [int(each) for each in sys.argv[3].split(",")]
    values, source, prelude = map(script, ("values.js", "source.js", "prelude.js"))
    harness = f"((values) => ({prelude})({sys.argv[2]}, values, ({source})(values)))(({values})())"
    program = Program(harness, numbers)
    memory = Memory(program.heap)
    steps = hardening.harden(2 * program.heap + (96 << 20), cpu_ms / 1000)
    write(frame("Y", ("{" + ",".join(f"{quoted(k)}:{quoted(v)}" for k, v in steps.items()) + "}").encode()))
    program.begin(memory)
    program.serve()
    os._exit(0)


main()
