"""Leaves of a profile, as llvm-profdata writes it in text, the functions that calls run through.

The rest is built as if nothing was known of it, and stays as small as it is without a profile. Reads from standard
input and writes to standard output; its argument is how often something in a function has to have happened.
"""

import sys


def main(least):
    for record in sys.stdin.read().split("\n\n"):
        lines = [line for line in record.split("\n") if line and not line.startswith("#")]
        # Before the first function it says of which kind the profile is.
        sys.stdout.writelines(f"{line}\n" for line in lines if line.startswith(":"))
        function = [line for line in lines if not line.startswith(":")]
        # A name, a hash, and how many counters follow; behind them, what was called through pointers.
        counters = function[3 : 3 + int(function[2])] if len(function) > 3 else []
        if max(map(int, counters), default=0) >= least:
            print("\n".join(function), end="\n\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
