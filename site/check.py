#!/usr/bin/env python3
"""check.py SITE: checks the links of the built site.

Every link must lead to a page, a file or an anchor that exists. No page may load files from other
sites."""
import html.parser
import pathlib
import sys
import urllib.parse

ELSEWHERE = ("http://", "https://", "//")


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            if values["id"] in self.ids and not values["id"].startswith("__"):
                self.links.append(f"#{values['id']} twice")
            self.ids.add(values["id"])
        if tag in ("a", "area") and values.get("href") is not None:
            self.links.append(values["href"])
        for name in ("src", "srcset", "data"):
            if values.get(name) and tag != "a":
                self.loads.append(values[name])
        if tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.loads.append(values["href"])


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    wrong, count = [], 0
    for path, page in pages.items():
        name = path.relative_to(site)
        # A server shows 404.html at any address, so its links begin at the site's root.
        folder = site if name.name == "404.html" else path.parent
        for link in page.links + page.loads:
            count += 1
            if link.startswith(ELSEWHERE):
                if link in page.loads:
                    wrong.append(f"{name} loads {link}")
                continue
            if link.startswith(("mailto:", "data:", "javascript:")):
                continue
            target, _, anchor = link.partition("#")
            target = urllib.parse.unquote(target.partition("?")[0])
            file = path if not target else (site / target.lstrip("/") if target.startswith("/") else folder / target).resolve()
            if file.is_dir():
                file /= "index.html"
            if not file.exists():
                wrong.append(f"{name} links to {link}, which does not exist")
            elif anchor and file in pages and urllib.parse.unquote(anchor) not in pages[file].ids | {"__search", "__drawer"}:
                wrong.append(f"{name} links to {link}: the page has no such anchor")
    for line in wrong:
        print(line)
    print(f"{len(pages)} pages, {count} links, {len(wrong)} wrong")
    sys.exit(bool(wrong) or not pages)


if __name__ == "__main__":
    main()
