"""What the official conformance suite starts as its client for a scenario about logins: a person with
the real program, who lists the tools of one server and calls one, and logs in where they are told to.

    python3 conformance.py URL

Everything of OAuth is the program's. What the scenario gives its client is written into the entry.
The runner judges; this ends with an error where the tools could not be used in the end.
"""

import json
import os
import sys

from person import Failed, Person

# What a program answers with where a login is needed.
LOGIN_NEEDED = 3
# A person who has logged in so often for one command does something else.
MOST_LOGINS = 3
# The document about a client that the suite expects as its id.
CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json"


def entry(url):
    """The server as a person would write it, with what the scenario gives them."""
    scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
    given = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    oauth = {key: given[key] for key in ("client_id", "client_secret") if key in given}
    if "private_key_pem" in given:
        oauth["client_key"] = given["private_key_pem"]
    if "client-credentials" in scenario:
        oauth["grant"] = "client_credentials"
    if scenario == "auth/basic-cimd":
        oauth["client_metadata_url"] = CLIENT_DOCUMENT
    return {"url": url, "approval": "approve", **({"oauth": oauth} if oauth else {})}


def used(person, *arguments):
    """Uses a command, and logs in where it says so. What it printed."""
    for _ in range(MOST_LOGINS + 1):
        code, printed, complaint = person.command(*arguments)
        if code != LOGIN_NEEDED or "toolgate login" not in complaint:
            break
        print(complaint, file=sys.stderr)
        ended, screen = person.login("peer")
        print(screen, file=sys.stderr)
        if ended:
            raise Failed("the login did not work")
    if code:
        raise Failed(f"toolgate {' '.join(arguments)} ended with {code}: {complaint}")
    return printed


def main():
    with Person(os.environ["TOOLGATE"], {"peer": entry(sys.argv[1])}) as person:
        listed = json.loads(used(person, "tools", "--server", "peer", "--json"))
        for tool in listed["tools"]:
            used(person, "call", tool["name"])


try:
    main()
except Failed as failure:
    sys.exit(str(failure))
