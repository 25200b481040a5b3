"""A person who logs in: a home with a configuration, commands, a terminal, and a browser that is the
program `xdg-open` of their path."""

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Only something that hangs takes so long.
HANG = 60
HERE = Path(__file__).parent


class Failed(Exception):
    """Something went otherwise than a person would expect."""


def table(keys):
    """Lines of TOML, whose texts, numbers and lists are JSON's."""
    return "".join(f"{key} = {value(kept)}\n" for key, kept in keys.items())


def runs(script):
    """The words that run a script of this folder; what it needs is said, since a browser is started with
    few of the variables that a person has."""
    if script.endswith(".py"):
        return f"{sys.executable} {HERE / script}"
    needs = " ".join(f"{name}={os.environ[name]}" for name in ("PEERS", "CHROMIUM"))
    return f"env {needs} {os.environ['NODE']} {HERE / script}"


def value(kept):
    if isinstance(kept, dict):
        return "{ " + ", ".join(f"{key} = {value(one)}" for key, one in kept.items()) + " }"
    return json.dumps(kept)


class Person:
    """One with an empty home and these servers in their file, by id."""

    def __init__(self, toolgate, servers, browser="follow_link.py"):
        self.toolgate = toolgate
        self.folder = Path(tempfile.mkdtemp(prefix="toolgate-logins-"))
        self.home, self.work = self.folder / "home", self.folder / "work"
        self.run, self.bin = self.folder / "run", self.folder / "bin"
        self.configured = self.home / ".config/toolgate/config.toml"
        for folder in (self.configured.parent, self.work, self.run, self.bin):
            folder.mkdir(parents=True, mode=0o700)
        self.configure(servers)
        # What the browser was shown, and what came of it.
        self.browsed = self.folder / "browsed.txt"
        opener = self.bin / "xdg-open"
        opener.write_text(f'#!/bin/sh\nexec {runs(browser)} {self.browsed} "$@"\n')
        opener.chmod(0o700)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def configure(self, servers, **sections):
        named = {f"servers.{name}": keys for name, keys in servers.items()} | sections
        tables = [f"[{name}]\n{table(keys)}" for name, keys in named.items()]
        self.configured.write_text("\n".join(tables))

    def around(self):
        own = {"HOME": self.home, "XDG_RUNTIME_DIR": self.run, "TERM": "xterm", "DISPLAY": ":0"}
        own["PATH"] = f"{self.bin}:{os.environ['PATH']}"
        return {"cwd": self.work, "env": {name: str(value) for name, value in own.items()}}

    def command(self, *arguments):
        """What a command of theirs came to: its code, what it printed, what it complained about."""
        ran = subprocess.run(
            [self.toolgate, *arguments],
            **self.around(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=HANG,
        )
        return ran.returncode, ran.stdout, ran.stderr

    def saw(self):
        """What the browser wrote down in the end."""
        until = time.monotonic() + HANG
        while not self.browsed.exists():
            if time.monotonic() > until:
                raise Failed("the browser ended on nothing")
            time.sleep(0.05)
        return self.browsed.read_text()

    def login(self, *arguments, answer=None):
        """Logs in at a terminal, and says yes to the browser; with `--no-browser`, `answer` makes what is
        pasted of the link. Gives the code and what was on the screen."""
        terminal = Terminal([self.toolgate, "login", *arguments], **self.around())
        return terminal.answered("--no-browser" in arguments, answer)


class Terminal:
    """A program at a terminal."""

    def __init__(self, command, cwd, env):
        self.screen = ""
        self.until = time.monotonic() + HANG
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(str(command[0]), [str(word) for word in command], env)

    def answered(self, is_pasted, answer):
        """Answers what is asked until the program ends."""
        answers = {"open it in your browser?": lambda: "y", "(not shown):": lambda: ""}
        if is_pasted:
            answers["or paste the address"] = lambda: answer(self.link())
        while self.read():
            for question in [question for question in answers if question in self.screen]:
                os.write(self.file, (answers.pop(question)() + "\n").encode())
        os.close(self.file)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]), self.screen

    def link(self):
        return next(line.strip() for line in self.screen.splitlines() if line.startswith("  http"))

    def read(self):
        """More of the screen; false once there is no more."""
        left = max(self.until - time.monotonic(), 0)
        if not select.select([self.file], [], [], left)[0]:
            os.kill(self.pid, signal.SIGKILL)
            raise Failed(f"it hangs; on the screen:\n{self.screen}")
        try:
            piece = os.read(self.file, 65536)
        except OSError:
            return False
        self.screen += piece.decode(errors="replace").replace("\r\n", "\n")
        return bool(piece)
