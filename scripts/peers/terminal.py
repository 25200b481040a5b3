"""A person at a terminal, for programs that want one: waits for words on the screen, then types.

    python3 terminal.py [--within SECONDS] STEP... -- COMMAND...

A step is `see:WORDS`, or `type:KEYS:WORDS`, which types until the words are seen: a program may
not listen yet when it is drawn. `\\r` is Enter. What a terminal answers by itself when it
is asked where its cursor is, what it is and which colours it has, is answered. Ends with what the
command ends with once all steps are done and the command was hung up on; prints what was on the
screen when a step fails.
"""

import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from fcntl import ioctl

ANSWERS = [
    (rb"\x1b\[6n", b"\x1b[1;1R"),
    (rb"\x1b\[0?c", b"\x1b[?62;c"),
    (rb"\x1b\]10;\?(\x07|\x1b\\)", b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\"),
    (rb"\x1b\]11;\?(\x07|\x1b\\)", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
]
READING = 0.6
ESCAPES = re.compile(rb"\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[\[(][0-?]*[ -/]*[@-~]|\x1b[=>78cDEHM]")


def words(screen):
    """What was written, without how, and without the spaces that a program may skip over."""
    return re.sub(rb"\s", b"", ESCAPES.sub(b"", screen))


class Terminal:
    def __init__(self, command, deadline):
        self.deadline = deadline
        self.screen = b""
        self.asked = 0
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.execvp(command[0], command)
        ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))

    def read(self, until=None):
        left = min(until or self.deadline, self.deadline) - time.monotonic()
        ready, _, _ = select.select([self.file], [], [], max(left, 0))
        if not ready:
            if time.monotonic() < self.deadline:
                return
            raise TimeoutError
        piece = os.read(self.file, 65536)
        if not piece:
            raise EOFError
        self.screen += piece
        self.answer()

    def answer(self):
        for question, answer in ANSWERS:
            for found in re.finditer(question, self.screen):
                if found.end() > self.asked:
                    os.write(self.file, answer)
        self.asked = len(self.screen)

    def see(self, wanted, keys=b""):
        wanted = re.sub(rb"\s", b"", wanted.encode())
        while wanted not in words(self.screen):
            again = time.monotonic() + 1
            if keys:
                os.write(self.file, keys)
            while wanted not in words(self.screen) and time.monotonic() < again:
                self.read(again)
        self.screen, self.asked = b"", 0

    def type(self, what):
        # A person reads first, and what answers faster than one can is taken for a machine.
        read = time.monotonic() + READING
        while time.monotonic() < read:
            self.read(read)
        keys, wanted = what.split(":", 1)
        self.see(wanted, keys.encode().decode("unicode_escape").encode())


def main():
    split = sys.argv.index("--")
    steps, command = sys.argv[1:split], sys.argv[split + 1 :]
    within = 60.0
    if steps[0] == "--within":
        within, steps = float(steps[1]), steps[2:]
    terminal = Terminal(command, time.monotonic() + within)
    try:
        for step in steps:
            verb, what = step.split(":", 1)
            {"see": terminal.see, "type": terminal.type}[verb](what)
    except (TimeoutError, EOFError, OSError) as error:
        print(f"{step!r}: {error!r}; on the screen:", file=sys.stderr)
        print(ESCAPES.sub(b" ", terminal.screen).decode(errors="replace"), file=sys.stderr)
        sys.exit(1)
    finally:
        os.kill(terminal.pid, signal.SIGHUP)
        os.close(terminal.file)
        os.waitpid(terminal.pid, 0)


main()
