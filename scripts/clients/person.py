"""A person who uses clients: a home, a folder they work in, a gate, and a desk to start things from."""

import fcntl
import json
import os
import shlex
import signal
import subprocess
import tempfile
import termios
import time
from pathlib import Path

# Only something that hangs takes so long.
HANG = 60


class Failed(Exception):
    """Something went otherwise than a person would expect."""


class Person:
    """One with an empty home and this global configuration."""

    def __init__(self, programs, config=""):
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="toolgate-clients-"))
        self.home, self.work = self.folder / "home", self.folder / "work"
        self.run = self.folder / "run"
        for folder in (self.home / ".config/toolgate", self.work, self.run):
            folder.mkdir(parents=True, mode=0o700)
        (self.home / ".config/toolgate/config.toml").write_text(config)
        (self.work / "notes.txt").write_text("what is in the notes\n")
        self.gate = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close_gate()
        subprocess.run([self.programs.toolgate, "stop"], **self.around(), capture_output=True)
        subprocess.run(["rm", "-rf", str(self.folder)], check=False)

    def environment(self, more=()):
        own = {"HOME": self.home, "PATH": self.programs.path, "XDG_RUNTIME_DIR": self.run}
        own |= {"TERM": "xterm-256color", **dict(more)}
        return {name: str(value) for name, value in own.items()}

    def around(self, more=()):
        return {"cwd": self.work, "env": self.environment(more)}

    def toolgate(self, *arguments):
        """What a command of theirs says; an error where it fails."""
        command = [self.programs.toolgate, *arguments]
        ran = subprocess.run(command, **self.around(), capture_output=True, text=True, timeout=HANG)
        if ran.returncode:
            raise Failed(f"toolgate {' '.join(arguments)}: {ran.stderr}")
        return ran.stdout

    def token(self, client):
        """A token of this client: the person's word that a person sees what it shows. Made before the
        gate is there, which takes somebody who used a command lately for near."""
        kept = self.folder / f"{client}.token"
        if not kept.exists():
            made = self.toolgate("token", "create", client, "--forms", "--json")
            kept.write_text(json.loads(made)["token"])
        return kept.read_text()

    def open_gate(self):
        """The endpoint of `toolgate serve`."""
        command = [self.programs.toolgate, "serve", "--listen", "127.0.0.1:0", "--json"]
        self.gate = subprocess.Popen(
            command, **self.around(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        text = ""
        for line in self.gate.stdout:
            text += line
            try:
                said = json.loads(text)
            except ValueError:
                continue
            return said["endpoint"]
        raise Failed(f"the gate did not start: {text}")

    def close_gate(self):
        if self.gate:
            self.gate.terminate()
            self.gate.wait()
            self.gate = None

    def decided(self):
        """How the last question was answered, by which channel."""
        lines = [json.loads(line) for line in self.toolgate("audit", "export").splitlines()]
        decisions = [line for line in lines if line.get("kind") == "decision"]
        if not decisions:
            return "nothing was asked"
        approval = decisions[-1]["body"].get("approval") or {}
        words = [decisions[-1]["outcome"], approval.get("choice"), approval.get("channel")]
        return " ".join(word for word in words if word)

    def answers(self, verb):
        """Answers the call that waits in the queue, from a terminal of their own."""
        until = time.monotonic() + HANG
        while time.monotonic() < until:
            try:
                waiting = json.loads(self.toolgate("approvals", "--json"))["approvals"]
            except Failed:
                # The client has not started the daemon yet.
                waiting = []
            if waiting:
                seen = ["--seen", waiting[0]["seen"]] if verb == "approve" else []
                return self.toolgate(verb, waiting[0]["ref"], *seen)
            time.sleep(0.05)
        raise Failed("nothing waits in the queue")


class Desk:
    """A terminal with a shell that runs one program, as people start agents: whatever is above an
    agent up to such a shell counts as the agent, and this program is the person."""

    def __init__(self, person, command, more=(), name="client"):
        self.out, self.err = (person.folder / f"{name}.{kind}" for kind in ("out", "err"))
        script = person.folder / f"{name}.sh"
        line = shlex.join(str(word) for word in command)
        script.write_text(f"{line} </dev/null >{self.out} 2>{self.err}\nexit $?\n")
        self.far, near = os.openpty()
        os.set_inheritable(near, True)

        def lead():
            os.setsid()
            fcntl.ioctl(near, termios.TIOCSCTTY, 0)

        self.began = time.time()
        streams = {"stdin": near, "stdout": near, "stderr": near}
        self.shell = subprocess.Popen(
            ["sh", str(script)], **person.around(more), **streams, preexec_fn=lead
        )
        os.close(near)

    def ended(self):
        """What it wrote; an error where it failed."""
        try:
            code = self.shell.wait(HANG)
        except subprocess.TimeoutExpired:
            os.killpg(self.shell.pid, signal.SIGKILL)
            self.shell.wait()
            code = "nothing"
        os.close(self.far)
        if code != 0:
            words = self.err.read_text()[-2000:] + self.out.read_text()[-2000:]
            raise Failed(f"it ended with {code}: {words}")
        return self.out.read_text()
