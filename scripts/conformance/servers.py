"""The servers that the suite is played against, with the gate in front of them or without."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from suite import LEGACY, MODERN, Failed

HERE = Path(__file__).parent


class Programs:
    """Where everything is."""

    def __init__(self):
        self.toolgate, self.everything = Path(os.environ["TOOLGATE"]), Path(os.environ["EVERYTHING"])
        self.node, self.python = Path(os.environ["NODE"]), Path(os.environ["PYTHON"])
        self.peers = Path(os.environ["PEERS"])
        self.path = os.environ["PATH"]


@dataclass(frozen=True)
class Reach:
    """How a server is reached: at a URL, and where the gate in front of it has its sockets."""

    url: str
    run: str = ""


@dataclass(frozen=True)
class Server:
    """A server behind the gate. `is_ours`: it is the scripted one, made to be right; any other is also
    tried without the gate, and the gate must not be worse."""

    name: str
    title: str
    command: tuple
    over_http: bool = False
    is_ours: bool = True
    environment: tuple = ()
    # What it speaks without the gate.
    revisions: tuple = (LEGACY, MODERN)

    def words(self, programs):
        places = {"everything": programs.everything, "node": programs.node, "python": programs.python}
        return [str(places.get(word, word)) for word in self.command]


def everything(name, title, era, over_http=False):
    return Server(name, title, ("everything", era), over_http)


def on_sdk(name, title, *command, revisions=(LEGACY, MODERN), **environment):
    variables = tuple(environment.items())
    return Server(name, title, command, True, False, variables, revisions)


def all_servers(programs):
    scripts, peers = HERE.parent.resolve() / "peers", programs.peers
    typescript, python = scripts / "everything.mjs", scripts / "everything"
    return [
        everything("legacy-stdio", "2025-11-25, stdio", "legacy"),
        everything("legacy-http", "2025-11-25, HTTP", "legacy", over_http=True),
        everything("modern-stdio", "2026-07-28, stdio", "modern"),
        everything("modern-http", "2026-07-28, HTTP", "modern", over_http=True),
        everything("both-stdio", "both, stdio", "both"),
        everything("both-http", "both, HTTP", "both", over_http=True),
        on_sdk("typescript", "TypeScript, v2", "node", typescript, SDK=str(peers / "typescript-sdk")),
        on_sdk("python-2", "Python, 2", "python", python, PYTHONPATH=str(peers / "mcp")),
        on_sdk(
            "python-1", "Python, 1", "python", python,
            PYTHONPATH=str(peers / "mcp-legacy"), revisions=(LEGACY,),
        ),
    ]


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def until(is_so, process, what, log):
    """Waits for a process to have done something."""
    deadline = time.monotonic() + 60
    while not (found := is_so()):
        if process.poll() is not None or time.monotonic() > deadline:
            raise Failed(f"{what}: {log.read_text()[-2000:]}")
        time.sleep(0.05)
    return found


@contextmanager
def started(command, folder, name, environment):
    """A process, ended in peace; gives it and the file with what it complained about."""
    log = folder / f"{name}.txt"
    with log.open("w") as complaints, (folder / f"{name}.json").open("w") as said:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=complaints
        )
    try:
        yield process, log
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def listening(server, programs, folder):
    """The server on a port of its own; gives its URL."""

    def answers():
        with socket.socket() as attempt:
            return attempt.connect_ex(("127.0.0.1", port)) == 0

    port = free_port()
    environment = {"PATH": programs.path, "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= dict(server.environment)
    with started([*server.words(programs), str(port)], folder, "server", environment) as (process, log):
        until(answers, process, f"{server.name} did not come up", log)
        yield f"http://127.0.0.1:{port}/mcp"


def endpoint(said):
    try:
        return json.loads(said.read_text()).get("endpoint")
    except ValueError:
        return None


def check_name(url, programs):
    """It is the gate that is tested, and not what stands behind it."""
    for revision in (LEGACY, MODERN):
        command = [programs.node, HERE.parent / "peers/server-info.mjs", url, revision]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        if said.stdout.strip() != "toolgate":
            raise Failed(f"it calls itself {said.stdout}{said.stderr}")


@contextmanager
def gate_before(entry, programs, folder):
    """A gate with this entry alone, under the names that the suite knows; gives how it is reached."""
    (folder / ".config/toolgate").mkdir(parents=True)
    (folder / ".config/toolgate/config.toml").write_text(
        'version = 1\n[gateway]\nauth = "none"\nnaming = "bare"\n'
        f'[servers.peer]\napproval = "approve"\nsampling = true\n{entry}'
    )
    # A socket's path has to be short.
    run = tempfile.mkdtemp()
    environment = {"PATH": programs.path, "HOME": str(folder), "XDG_RUNTIME_DIR": run}
    command = [programs.toolgate, "serve", "--listen", "127.0.0.1:0", "--json"]
    try:
        with started(command, folder, "gate", environment) as (process, log):
            url = until(lambda: endpoint(folder / "gate.json"), process, "the gate did not start", log)
            yield Reach(url, run)
    finally:
        shutil.rmtree(run, ignore_errors=True)


@contextmanager
def reached(server, programs, folder, is_direct):
    """The server as the suite reaches it; gives how."""
    folder.mkdir(parents=True)
    if server.over_http:
        with listening(server, programs, folder) as url:
            if is_direct:
                yield Reach(url)
            else:
                with gate_before(f'url = "{url}"\n', programs, folder) as gate:
                    yield gate
    else:
        program, *words = server.words(programs)
        entry = f'command = "{program}"\nargs = {json.dumps(words)}\n'
        with gate_before(entry, programs, folder) as gate:
            yield gate
