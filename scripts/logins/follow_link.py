"""A browser without a person: opens a link, fills in the forms that it meets, goes where it is sent, and
writes down what it ended on.

    python3 follow_link.py FILE LINK
"""

import os
import sys
import urllib.error
import urllib.parse
import urllib.request
from html.parser import HTMLParser
from http.cookiejar import CookieJar

# More pages than any login has.
PAGES = 8


class FirstForm(HTMLParser):
    """The first form of a page: where it goes, and its fields, those for words filled in."""

    def __init__(self, page):
        super().__init__()
        self.action, self.fields, self.is_over = None, {}, False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        has = dict(attributes)
        if self.is_over:
            return
        if tag == "form":
            self.action = has.get("action") or ""
        if tag == "input" and self.action is not None and has.get("name"):
            self.fields[has["name"]] = has.get("value") or "somebody"

    def handle_endtag(self, tag):
        self.is_over = self.is_over or tag == "form"


class Stopping(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but for those to a place that is only looked at."""

    def __init__(self, stops_at):
        self.stops_at = stops_at

    def redirect_request(self, request, file, code, message, headers, url):
        if self.stops_at and url.startswith(self.stops_at):
            raise Stopped(url)
        return super().redirect_request(request, file, code, message, headers, url)


class Stopped(Exception):
    """Where it would have ended."""


def follow(link, stops_at=None):
    """Where a link leads in the end, and what is there."""
    cookies = urllib.request.HTTPCookieProcessor(CookieJar())
    browser = urllib.request.build_opener(cookies, Stopping(stops_at))
    place, data = link, None
    for _ in range(PAGES):
        try:
            with browser.open(place, data, timeout=30) as page:
                place, seen = page.url, page.read().decode(errors="replace")
        except Stopped as stopped:
            return str(stopped), ""
        except urllib.error.HTTPError as error:
            return error.url, error.read().decode(errors="replace")
        form = FirstForm(seen)
        if form.action is None:
            return place, seen
        place = urllib.parse.urljoin(place, form.action)
        data = urllib.parse.urlencode(form.fields).encode()
    raise SystemExit(f"no end of pages at {place}")


def main():
    _, file, link = sys.argv
    try:
        ended, seen = follow(link)
    except OSError as error:
        ended, seen = link, str(error)
    # Whole or not there.
    with open(f"{file}.part", "w", encoding="utf-8") as written:
        written.write(f"{ended}\n{seen}\n")
    os.rename(f"{file}.part", file)


if __name__ == "__main__":
    main()
