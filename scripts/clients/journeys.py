"""What people do with clients, each journey with every client over every way to the gate."""

import json
import threading

from drive import Errand
from person import Failed, Person

FILES, EVERYTHING = "mcp-server-filesystem", "mcp-server-everything"
WAYS = ("stdio", "http")
LONG = 119808


class Journeys:
    """Each takes a client and a way, and is done or raises."""

    def __init__(self, programs):
        self.programs = programs

    def node(self, server, *arguments):
        return [str(self.programs.node), str(self.programs.npm("servers", server)), *arguments]

    def person(self, servers, keys='approval = "approve"', top="", is_known=True):
        """One whose gate has these servers, and knows their tools already or not."""
        person = Person(self.programs)
        text = top
        for name, command in servers.items():
            command = [word.replace("{work}", str(person.work)) for word in command]
            servers[name] = command
            words = json.dumps(command[1:])
            text += f'[servers.{name}]\ncommand = "{command[0]}"\nargs = {words}\n{keys}\n'
        (person.home / ".config/toolgate/config.toml").write_text(text)
        if is_known:
            # As `toolgate connect` does it.
            person.toolgate("tools")
        return person

    def first_run_ever(self, client, way):
        """Nothing was ever started: all tools are in the first list."""
        servers = {"files": self.node(FILES, "{work}")}
        with self.person(servers, is_known=False) as person:
            seen = client.run(person, way, servers, Errand(wanted=("read_text_file",)))
            need(any(name.endswith("read_text_file") for name in seen.tools), seen.tools)

    def one_that_hangs(self, client, way):
        """A server that never says anything hides nobody."""
        servers = {"fast": [str(self.programs.everything), "legacy"], "mute": ["sleep", "600"]}
        with self.person(servers, is_known=False) as person:
            seen = client.run(person, way, servers, Errand(tool="fast__test_simple_text"))
            need("simple text response" in seen.text, seen)

    def long_result(self, client, way):
        """117 KB of a tool with an output schema."""
        servers = {"files": self.node(FILES, "{work}")}
        with self.person(servers) as person:
            text = "".join(f"line {number}\n" for number in range(20000))[:LONG]
            (person.work / "long.txt").write_text(text)
            path = {"path": str(person.work / "long.txt")}
            seen = client.run(person, way, servers, Errand(tool="files__read_text_file", arguments=path))
            need("line 1\\nline 2" in seen.text or "line 1\nline 2" in seen.text, seen)
            need(not seen.is_error, seen)

    def question_of_a_server(self, client, way):
        """Whoever can ask a person does; whoever cannot is told so by the server, at once."""
        servers = {"every": self.node(EVERYTHING)}
        tool = "every__trigger-elicitation-request"
        answer = {"action": "accept", "content": {"name": "Ada"}, "after": 0.4}
        with self.person(servers) as person:
            # Questions of an older server reach nobody in the modern era yet.
            errand = Errand(tool=tool, answer=answer if client.answers else None, is_older=True)
            seen = client.run(person, way, servers, errand)
            if client.answers:
                need("Ada" in seen.text and "every" in seen.shown[0], seen)
            else:
                need("declin" in seen.text or "cancel" in seen.text, seen)

    def roots(self, client, way):
        """A server that asks for the folders is told the one that the person works in."""
        servers = {"files": self.node(FILES)}
        with self.person(servers) as person:
            errand = Errand(tool="files__list_directory", arguments={"path": str(person.work)})
            seen = client.run(person, way, servers, errand)
            need("notes.txt" in seen.text, seen)

    def approval(self, action, client, way):
        """A call that needs a person: yes, no, Esc, or nobody."""
        servers = {"fast": [str(self.programs.everything), "legacy"]}
        content = {"accept": {"decision": "once"}}.get(action)
        answer = {"action": action, "content": content, "after": 0.4}
        top = "[approval]\nunattended_ms = 1000\n"
        with self.person(servers, keys="", top=top) as person:
            errand = Errand(tool="fast__test_simple_text")
            if action == "nobody":
                seen = client.run(person, way, servers, errand)
                need("no_channel" in seen.text or "nobody" in seen.text, seen)
                return
            if client.answers:
                errand.answer = answer
                seen = client.run(person, way, servers, errand)
                need(len(seen.shown) == 1, seen)
                first = seen.shown[0].splitlines()[0]
                need("wants to call fast/test_simple_text" in first, first)
            else:
                seen = self.by_queue(action, person, client, way, servers, errand)
            said = "simple text response" in seen.text
            need(said == (action == "accept"), seen)
            wanted = "approved" if action == "accept" else "denied"
            need(person.decided().startswith(wanted), person.decided())

    def by_queue(self, action, person, client, way, servers, errand):
        """For a client that cannot ask: the person answers at a terminal."""
        config = person.home / ".config/toolgate/config.toml"
        config.write_text(config.read_text().replace("unattended_ms = 1000", "unattended_ms = 50000"))
        failure = []

        def answer():
            try:
                person.answers("approve" if action == "accept" else "deny")
            except Failed as error:
                failure.append(error)

        thread = threading.Thread(target=answer)
        thread.start()
        seen = client.run(person, way, servers, errand)
        thread.join()
        if failure:
            raise failure[0]
        return seen

    def all(self):
        """Each journey by its name."""
        return {
            "first run ever": self.first_run_ever,
            "one that hangs": self.one_that_hangs,
            "117 KB, output schema": self.long_result,
            "a server's question": self.question_of_a_server,
            "roots": self.roots,
            "approval: yes": lambda *it: self.approval("accept", *it),
            "approval: no": lambda *it: self.approval("decline", *it),
            "approval: Esc": lambda *it: self.approval("cancel", *it),
            "approval: nobody": lambda *it: self.approval("nobody", *it),
        }


def need(is_so, seen):
    if not is_so:
        raise Failed(f"saw {seen}"[:1500])
