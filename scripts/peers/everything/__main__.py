"""What the conformance suite wants of a server, on whichever version of PyPI's `mcp` is in the path.

    python3 everything PORT     at http://127.0.0.1:PORT/mcp, in every era that the SDK serves
    python3 everything          on the standard streams
"""

import importlib.util
import sys

if importlib.util.find_spec("mcp_types"):
    import sdk_two as sdk
else:
    import sdk_one as sdk

if len(sys.argv) > 1:
    sdk.over_http(int(sys.argv[1]))
else:
    sdk.over_stdio()
