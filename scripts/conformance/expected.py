"""The failures that are known, with their reasons; a line that is not true any more is an error."""

from fnmatch import fnmatchcase

from suite import Failed


class Expected:
    """One fact a line: so many words that say what, `*` in them for anything, then the reason."""

    def __init__(self, file, count):
        self.file, self.reasons, self.used = file, {}, set()
        for line in file.read_text().splitlines():
            if not line or line.startswith("#"):
                continue
            words = line.split(maxsplit=count)
            if len(words) != count + 1:
                raise Failed(f"{file}: no reason in: {line}")
            self.reasons[tuple(words[:count])] = words[count]

    def reason(self, *what):
        """The reason that is known; where there is none, none."""
        for known, reason in self.reasons.items():
            if all(map(fnmatchcase, what, known)):
                self.used.add(known)
                return reason
        return None

    def stale(self):
        """What is listed and did not happen."""
        return [" ".join(what) for what in self.reasons if what not in self.used]
