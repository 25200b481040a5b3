"""Logs in to a server behind a real identity provider, as a person does, with the real program: without
a browser and with one, calls, renewals, logouts, and what happens when the provider ends a login. Then
clients of others log in to the gate itself.

    TOOLGATE=… NODE=… PEERS=… [CHROMIUM=…] python3 scripts/logins

`scripts/logins.sh` installs everything and says where it is.
"""

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from at_the_gate import AT_THE_GATE
from follow_link import follow
from person import Failed, Person
from provider import Provider, expect

CALLBACK = "http://localhost:"
LOGIN_NEEDED = 3
# Each waits more than it computes.
AT_ONCE = 3


@contextmanager
def scene(*flags, browser="follow_link.py", **oauth):
    """A person with one server, behind a provider of their own."""
    with Provider(*flags) as provider:
        entry = {"url": provider.addresses["mcp"], "approval": "approve"}
        entry |= {"oauth": oauth} if oauth else {}
        with Person(os.environ["TOOLGATE"], {"one": entry}, browser) as person:
            yield person, provider


def calls(person):
    code, printed, complaint = person.command("call", "one", "whoami")
    expect("the call works", code == 0, complaint)
    expect("by who logged in", "somebody who logged in" in printed, printed)


def is_told_to_log_in(person):
    code, _, complaint = person.command("call", "one", "whoami")
    expect("the call needs a login", code == LOGIN_NEEDED, (code, complaint))
    expect("and says how", "toolgate login one" in complaint, complaint)


def logs_in(person, *arguments, answer=None):
    code, screen = person.login("one", *arguments, answer=answer)
    expect("the login works", code == 0 and "logged in to one" in screen, screen)
    for secret in ("access_token", "refresh_token", "code_verifier"):
        expect(f"no {secret} is shown", secret not in screen, screen)


def pasted(link):
    """What a browser elsewhere ends on: an address of this machine that it cannot reach."""
    return follow(link, stops_at=CALLBACK)[0]


def state(person):
    return json.loads(person.command("auth", "list", "--json")[1])["logins"]


def without_a_browser():
    with scene() as (person, provider):
        is_told_to_log_in(person)
        logs_in(person, "--no-browser", answer=pasted)
        calls(person)
        kept = state(person)[0]
        expect("it is listed", kept["scope"] == "read", kept)
        expect("with its issuer", kept["issuer"] == provider.addresses["issuer"], kept)
        code, _, said = person.command("logout", "one")
        expect("the logout works", code == 0 and "the server ended the login too" in said, said)
        expect("both tokens were revoked", provider.count("/token/revocation") == 2, said)
        expect("nothing is kept", state(person) == [], state(person))
        is_told_to_log_in(person)


def in_a_browser():
    with scene() as (person, _):
        logs_in(person)
        shown = person.saw()
        expect("the page says what to do", "go back to your terminal" in shown, shown)
        calls(person)


def renewals():
    # What holds for less than a minute is renewed by every command, once.
    with scene("--lasts", "30") as (person, provider):
        logs_in(person, "--no-browser", answer=pasted)
        before = provider.count("/token")
        kept = [refresh_token(person)]
        for _ in range(3):
            calls(person)
            kept.append(refresh_token(person))
        expect("each call renewed", provider.count("/token") - before == 3, provider.control("counted"))
        expect("each with another refresh token", len(set(kept)) == 4, len(set(kept)))


def refresh_token(person):
    file = next(person.home.glob("**/mcp-auth.json"))
    expect("nobody else can read it", file.stat().st_mode & 0o77 == 0, oct(file.stat().st_mode))
    found = [value for key, value in walked(json.loads(file.read_text())) if "refresh" in key.lower()]
    expect("there is one refresh token", len(found) == 1, len(found))
    return found[0]


def walked(kept):
    for key, value in kept.items():
        if isinstance(value, dict):
            yield from walked(value)
        else:
            yield key, value


def an_expired_token():
    with scene() as (person, provider):
        logs_in(person, "--no-browser", answer=pasted)
        calls(person)
        before = provider.count("/token")
        provider.control("expire")
        calls(person)
        expect("it was renewed once", provider.count("/token") == before + 1, before)


def a_revoked_login():
    with scene() as (person, provider):
        logs_in(person, "--no-browser", answer=pasted)
        calls(person)
        provider.control("revoke")
        is_told_to_log_in(person)
        expect("the login is over", state(person)[0]["state"] == "over", state(person))
        before = provider.count("/token")
        is_told_to_log_in(person)
        expect("it was not tried again", provider.count("/token") == before, before)
        logs_in(person, "--no-browser", answer=pasted)
        calls(person)


def keys_that_rotate():
    with scene("--format", "jwt") as (person, provider):
        logs_in(person, "--no-browser", answer=pasted)
        calls(person)
        provider.control("rotate")
        calls(person)
        before = provider.count("/token")
        # The token's key is gone: refused, renewed, and signed by the new one.
        provider.control("drop")
        calls(person)
        expect("it was renewed", provider.count("/token") == before + 1, before)


def a_client_by_itself():
    given = {"client_id": "gate", "client_secret": "gate-secret", "grant": "client_credentials"}
    with scene("--format", "jwt", "--lasts", "5", **given) as (person, provider):
        calls(person)
        # There is nothing to renew it with: once it is over, it is asked for anew.
        time.sleep(5.5)
        calls(person)
        expect("it was asked for anew", provider.count("/token") >= 2, provider.control("counted"))


def nothing_published():
    with scene("--mute") as (person, _):
        code, _, complaint = person.command("call", "one", "whoami")
        expect("a key is wanted", code == LOGIN_NEEDED, complaint)
        expect("and no login offered", "headers.Authorization" in complaint, complaint)


def in_chromium():
    with scene(browser="chromium.mjs") as (person, _):
        logs_in(person)
        seen = json.loads(person.saw())
        expect("it ended on our page", "You are logged in" in seen["text"], seen)
        expect("which says what to do", "go back to your terminal" in seen["text"], seen)
        expect("and runs nothing", seen["dialogs"] == [] and seen["errors"] == [], seen)
        calls(person)


def a_refusal_in_chromium():
    """Somebody says no at the provider; what the provider says about it is on no page of ours."""
    with scene(browser="chromium.mjs") as (person, provider):
        provider.control("hostile")
        code, screen = person.login("one")
        expect("the login is refused", code == LOGIN_NEEDED, screen)
        expect("in the provider's words", "<img src=x onerror=alert(1)>" in screen, screen)
        seen = json.loads(person.saw())
        expect("it ended on our page", "The login did not work" in seen["text"], seen)
        expect("with nothing of theirs", "img" not in seen["html"], seen)
        expect("and runs nothing", seen["dialogs"] == [], seen)


JOURNEYS = [
    without_a_browser,
    in_a_browser,
    renewals,
    an_expired_token,
    a_revoked_login,
    keys_that_rotate,
    a_client_by_itself,
    nothing_published,
]


def came_of(journey):
    try:
        journey()
    except Failed as failure:
        return f"FAILED: {failure}"
    return "passed"


def main():
    journeys = [*JOURNEYS, *AT_THE_GATE]
    if os.environ.get("CHROMIUM"):
        journeys += [in_chromium, a_refusal_in_chromium]
    wanted = sys.argv[1:] or [journey.__name__ for journey in journeys]
    journeys = [journey for journey in journeys if journey.__name__ in wanted]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = list(pool.map(came_of, journeys))
    for journey, outcome in zip(journeys, outcomes):
        print(f"{journey.__name__.replace('_', ' '):<52} {outcome}")
    return int(len(journeys) < len(wanted) or any(outcome != "passed" for outcome in outcomes))


sys.exit(main())
