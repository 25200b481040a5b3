"""One request as a handler has it, in either era of the protocol and on either SDK: what it can ask,
log and report."""

import hashlib
import hmac
import json

import anyio
import content

KEY = b"a key for tests"
# How many calls of `wait` were cancelled, in this process.
cancelled = []


class Unsound(Exception):
    """A state that is not ours."""


def seal(round_number):
    state = json.dumps(round_number)
    return f"{state}.{hmac.new(KEY, state.encode(), hashlib.sha256).hexdigest()}"


def unseal(state):
    number, _, mark = state.partition(".")
    if not hmac.compare_digest(mark, hmac.new(KEY, number.encode(), hashlib.sha256).hexdigest()):
        raise Unsound
    return json.loads(number)


def said(answers):
    return {"content": [content.text(json.dumps(answers))]}


class Conversation:
    """`ask` sends a question in the middle of the request; in the modern era, where that fails, questions
    go back as the result, and `answers` and `state` are what came with this round."""

    def __init__(self, log, report, ask, is_modern=False, answers=None, state=None, can=None):
        self.log, self.report, self.ask, self.is_modern = log, report, ask, is_modern
        self.answers, self.state, self.can = answers or {}, state, can

    async def questions(self, rounds, keeps_state):
        """All answers by their keys, or the result that asks for them."""
        if not self.is_modern:
            return await self.push(rounds), None
        number = unseal(self.state) if self.state else 0
        if all(isinstance(self.answers.get(key), dict) for key in rounds[number]):
            number += 1
        if number == len(rounds):
            return self.answers, None
        requests = {key: {"method": method, "params": params} for key, (method, params) in rounds[number].items()}
        result = {"resultType": "input_required", "inputRequests": requests}
        return None, {**result, "requestState": seal(number)} if keeps_state else result

    async def call(self, name, arguments, touch):
        """Calls a tool; gives its result, or nothing where there is no such tool."""
        if name in content.PLAIN:
            return {"content": content.PLAIN[name]}
        if name in content.WORDED:
            argument, worded = content.WORDED[name]
            return said(await self.push([{"it": worded(arguments[argument])}]))
        if name in content.PUSHING:
            return said(await self.push([{"it": content.PUSHING[name]}]))
        if name in content.ASKING:
            return await self.tool(*content.ASKING[name])
        if name == "test_input_required_result_capabilities":
            asked = {"name": content.NAME} if "elicitation" in (self.can or {}) else {"ask": content.CAPITAL}
            return await self.tool([asked], False)
        if name in ("test_tool_with_logging", "test_logging_tool"):
            for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
                await self.log(words)
            return {"content": [content.text("Tool with logging executed successfully")]}
        if name == "test_tool_with_progress":
            for done in (0, 50, 100):
                await self.report(done)
            return {"content": [content.text("reported")]}
        if name == "test_error_handling":
            words = "This tool intentionally returns an error for testing"
            return {"isError": True, "content": [content.text(words)]}
        if name == "wait":
            await self.wait()
        if name == "touch":
            await touch(content.WATCHED)
            return {"content": [content.text("touched")]}
        if name == "cancellations":
            return {"content": [content.text(str(len(cancelled)))]}
        return None

    async def wait(self):
        """Reports once that it has begun, then waits to be cancelled."""
        try:
            await self.report(1)
            await anyio.sleep_forever()
        finally:
            cancelled.append(True)

    async def tool(self, rounds, keeps_state):
        answers, result = await self.questions(rounds, keeps_state)
        return result or said(answers)

    async def push(self, rounds):
        return {key: await self.ask(*one) for asked in rounds for key, one in asked.items()}

    async def prompt(self, name, arguments):
        """A prompt; nothing where there is none."""
        if name != "test_input_required_result_prompt":
            found = content.prompt(name, arguments)
            return found and content.messages(found)
        answers, result = await self.questions([{"user_context": content.CONTEXT}], False)
        return result or content.messages([content.text(json.dumps(answers))])
