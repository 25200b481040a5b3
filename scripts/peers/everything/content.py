"""What the conformance suite wants of a server, as plain data: tools, resources and prompts."""

import json

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
ANYTHING = {"type": "object", "properties": {}}


def text(words):
    return {"type": "text", "text": words}


def embedded(uri, media, words):
    return {"type": "resource", "resource": {"uri": uri, "mimeType": media, "text": words}}


def form(message, properties, required=()):
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return "elicitation/create", {"mode": "form", "message": message, "requestedSchema": schema}


def sample(words):
    return "sampling/createMessage", {"messages": [{"role": "user", "content": text(words)}], "maxTokens": 100}


IMAGE = {"type": "image", "mimeType": "image/png", "data": PIXEL}
AUDIO = {"type": "audio", "mimeType": "audio/wav", "data": SILENCE}
ROOTS = ("roots/list", {})
NAME = form("What is your name?", {"name": {"type": "string"}}, ["name"])
COLOUR = form("What is your favorite color?", {"color": {"type": "string"}}, ["color"])
CONSENT = form("Please confirm", {"ok": {"type": "boolean"}}, ["ok"])
CAPITAL = sample("What is the capital of France?")
CHOICES = ["option1", "option2", "option3"]
TITLED = [
    {"const": "value1", "title": "First Option"},
    {"const": "value2", "title": "Second Option"},
    {"const": "value3", "title": "Third Option"},
]
DEFAULTS = form(
    "Please check these",
    {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
)
ENUMS = form(
    "Please choose",
    {
        "untitledSingle": {"type": "string", "enum": CHOICES},
        "titledSingle": {"type": "string", "oneOf": TITLED},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "enum": CHOICES}},
        "titledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"anyOf": TITLED}},
    },
)
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

# Tools that always answer the same.
PLAIN = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [AUDIO],
    "test_embedded_resource": [
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        IMAGE,
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
    "json_schema_2020_12_tool": [text("called")],
}
# Tools that ask: what is asked in each round, by key. Those with `True` keep a state between rounds.
MULTIPLE = {"user_name": NAME, "greeting": sample("Generate a greeting"), "client_roots": ROOTS}
ASKING = {
    "test_streaming_elicitation": ([{"user_name": NAME}], False),
    "test_missing_capability": ([{"capital_question": CAPITAL}], False),
    "test_input_required_result_elicitation": ([{"user_name": NAME}], False),
    "test_input_required_result_sampling": ([{"capital_question": CAPITAL}], False),
    "test_input_required_result_list_roots": ([{"client_roots": ROOTS}], False),
    "test_input_required_result_request_state": ([{"confirm": CONSENT}], True),
    "test_input_required_result_tampered_state": ([{"confirm": CONSENT}], True),
    "test_input_required_result_multiple_inputs": ([MULTIPLE], True),
    "test_input_required_result_multi_round": ([{"step1": NAME}, {"step2": COLOUR}], True),
}
# Tools that ask as servers do that were there before the modern era: in the older one alone.
PUSHING = {"test_elicitation_sep1034_defaults": DEFAULTS, "test_elicitation_sep1330_enums": ENUMS}
# The same, in the words of their arguments.
WORDED = {
    "test_sampling": ("prompt", sample),
    "test_elicitation": ("message", lambda words: form(words, {"response": {"type": "string"}}, ["response"])),
}
OTHERS = [
    "test_tool_with_logging",
    "test_logging_tool",
    "test_tool_with_progress",
    "test_error_handling",
    "test_input_required_result_capabilities",
    "wait",
    "cancellations",
    "touch",
]
WATCHED = "test://watched-resource"


def tools():
    schemas = {name: ANYTHING for name in [*PLAIN, *ASKING, *PUSHING, *OTHERS]}
    schemas["json_schema_2020_12_tool"] = SCHEMA
    for name, (argument, _) in WORDED.items():
        properties = {argument: {"type": "string"}}
        schemas[name] = {"type": "object", "properties": properties, "required": [argument]}
    return [{"name": name, "description": name, "inputSchema": schema} for name, schema in schemas.items()]


RESOURCES = {
    "test://static-text": ("text/plain", {"text": "This is the content of the static text resource."}),
    "test://static-binary": ("image/png", {"blob": PIXEL}),
    "test://watched-resource": ("text/plain", {"text": "Watched resource content"}),
}
TEMPLATE = {"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json"}


def resources():
    return [
        {"uri": uri, "name": uri.removeprefix("test://"), "mimeType": media}
        for uri, (media, _) in RESOURCES.items()
    ]


def read(uri):
    """The contents of a resource, or nothing."""
    if uri in RESOURCES:
        media, contents = RESOURCES[uri]
        return {"contents": [{"uri": uri, "mimeType": media, **contents}]}
    start, end = "test://template/", "/data"
    if not uri.startswith(start) or not uri.endswith(end):
        return None
    known = uri[len(start) : -len(end)]
    words = json.dumps({"id": known, "templateTest": True, "data": f"Data for ID: {known}"})
    return {"contents": [{"uri": uri, "mimeType": "application/json", "text": words}]}


CONTEXT = form("What context should the prompt use?", {"context": {"type": "string"}}, ["context"])
PROMPTS = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
    "test_input_required_result_prompt": [],
}


def prompts():
    return [
        {"name": name, "description": name, "arguments": [{"name": one, "required": True} for one in arguments]}
        for name, arguments in PROMPTS.items()
    ]


def prompt(name, arguments):
    """The contents of a prompt's messages; nothing where it has to ask first, or is not there."""
    arguments = arguments or {}
    if name == "test_simple_prompt":
        return [text("This is a simple prompt for testing.")]
    if name == "test_prompt_with_arguments":
        return [text(f"Prompt with arguments: arg1='{arguments['arg1']}', arg2='{arguments['arg2']}'")]
    if name == "test_prompt_with_embedded_resource":
        resource = embedded(arguments["resourceUri"], "text/plain", "Embedded resource content for testing.")
        return [resource, text("Please process the embedded resource above.")]
    if name == "test_prompt_with_image":
        return [IMAGE, text("Please analyze the image above.")]
    return None


def messages(contents):
    return {"messages": [{"role": "user", "content": content} for content in contents]}
