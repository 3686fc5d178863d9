#!/usr/bin/env python3
"""stage.py XML PAGES: writes the pages of the site to the folder PAGES, and PAGES.yml for mkdocs.

The pages are those of docs/ with changed links: files of the repository that pages link to become
pages, too. XML is the folder of Doxygen's output.
"""
import pathlib
import re
import shutil
import sys

import yaml

import headers

ROOT = pathlib.Path(__file__).resolve().parent.parent
LANGUAGES = {".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".yml": "yaml",
             ".sh": "sh", ".json": "json", ".def": "c", ".fbs": "text", ".prototxt": "text"}
PICTURES = {".png", ".svg", ".jpg"}
LINK = re.compile(r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
ITEM = re.compile(r"^([-*]|\d+\.) ")
FENCE = re.compile(r"^\s*(```|~~~)")


def page_of(path):
    """Returns the path on the site of a file of the repository."""
    relative = path.relative_to(ROOT)
    if relative == pathlib.Path("README.md"):
        return pathlib.Path("index.md")
    if relative.parts[0] == "docs":
        return pathlib.Path(*relative.parts[1:])
    if len(relative.parts) == 1 and path.suffix == ".md":
        return relative
    if path.suffix in PICTURES or path.suffix == ".md":
        return "files" / relative
    if path.is_dir():
        return "files" / relative / "README.md"
    return ("files" / relative).with_name(relative.name + ".md")


def steps_to(target, page):
    up = len(page.parent.parts)
    common = 0
    while common < min(up, len(target.parts) - 1) and page.parts[common] == target.parts[common]:
        common += 1
    return "/".join([".."] * (up - common) + list(target.parts[common:]))


class Site:
    def __init__(self, output, index):
        self.output, self.index = output, index
        self.waiting, self.done = [], set()

    def need(self, path):
        if path not in self.done:
            self.done.add(path)
            self.waiting.append(path)

    def write(self, page, text):
        target = self.output / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def build(self):
        while self.waiting:
            path = self.waiting.pop()
            page = page_of(path)
            if path.is_dir():
                self.write(page, self.folder(path, page))
            elif path.suffix == ".md":
                self.write(page, self.markdown(path, page))
            elif path.suffix in PICTURES:
                (self.output / page).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, self.output / page)
            else:
                self.write(page, self.source(path))

    @staticmethod
    def source(path):
        """Returns the page of a source file: its first comment as text, above the code."""
        name, text, words = path.relative_to(ROOT), path.read_text(), ""
        if LANGUAGES.get(path.suffix) in ("c", "cpp"):
            words, text = headers.first_comment(text)
        fence = "~~~~" if "```" in text else "```"
        return f"# {name.name}\n\n`{name}`\n\n{words}\n\n{fence}{LANGUAGES.get(path.suffix, 'text')}\n{text}\n{fence}\n"

    def folder(self, path, page):
        if (path / "README.md").exists():
            return self.markdown(path / "README.md", page)
        rows = []
        for entry in sorted(path.iterdir()):
            if entry.is_file() and (entry.suffix in LANGUAGES or entry.name == "CMakeLists.txt"):
                self.need(entry)
                rows.append(f"- [{entry.name}]({steps_to(page_of(entry), page)})")
        return f"# {path.relative_to(ROOT)}\n\n" + "\n".join(rows) + "\n"

    def markdown(self, path, page):
        lines, fenced, blocks = path.read_text().splitlines(), False, [(False, [])]
        for i, line in enumerate(lines):
            fence = FENCE.match(line) is not None
            listed = self.in_list(lines, i)
            is_code = fenced or fence or (line.startswith("    ") and not listed)
            fenced ^= fence
            if blocks[-1][0] != is_code:
                blocks.append((is_code, []))
            if not is_code:
                # Python-Markdown requires an empty line above a list, and lines of items that are
                # indented by four columns.
                before = blocks[-1][1][-1] if blocks[-1][1] else ""
                if ITEM.match(line) and before and not re.match(r"^([-*]|\d+\.|) ", before):
                    blocks[-1][1].append("")
                if listed:
                    line = re.sub(r"^ {2,3}(?=\S)", "    ", line)
            blocks[-1][1].append(line)
        texts = ("\n".join(block) if is_code else self.link(path, page, "\n".join(block)) for is_code, block in blocks)
        return "\n".join(texts) + "\n"

    @staticmethod
    def in_list(lines, i):
        """Returns true if an indented line continues an item of a list."""
        while i >= 0 and (not lines[i] or lines[i].startswith(" ")):
            i -= 1
        return i >= 0 and ITEM.match(lines[i]) is not None

    def link(self, path, page, text):
        return self.name_links(page, LINK.sub(lambda match: self.linked(path, page, match), text))

    def linked(self, path, page, match):
        picture, words, target, anchor = match[1], match[2], match[3], match[4] or ""
        if target.startswith(("http:", "https:", "mailto:")) or not target:
            return match[0]
        file = (path.parent / target).resolve()
        if ROOT not in file.parents or not file.exists():
            raise SystemExit(f"{path.relative_to(ROOT)} links to {target}, which does not exist")
        if picture and file.suffix == ".svg":
            return f'<div class="drawing">{file.read_text()}</div>'
        if file.is_dir() and (file / "README.md").exists():
            file = file / "README.md"
        self.need(file)
        return f"{picture}[{words}]({steps_to(page_of(file), page)}{anchor})"

    def name_links(self, page, text):
        """Links each `name` of an interface to its declaration."""
        def linked(match):
            where = self.index.get(match[2])
            if not where or text[:match.start()].rpartition("\n")[2].startswith("#"):
                return match[0]
            target = steps_to(pathlib.Path("api") / f"{where}.md", page)
            return f"{match[1]}[`{match[2]}`]({target}#{match[2]})"
        return re.sub(r"(^|[^\[`\w])`(\w{6,})(?:\(\))?`(?!\])", linked, text, flags=re.M)


def configuration(interfaces):
    site = ROOT / "site"
    text = (site / "mkdocs.yml").read_text()
    listed = "\n".join(f"          - api/{interface['page']}.md" for interface in interfaces)
    return text.replace("      - API: []  # site/api.yml", "      - API:\n" + listed)


def main():
    xml, output = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    interfaces = yaml.safe_load((ROOT / "site/api.yml").read_text())
    texts, index = headers.pages(interfaces, xml, ROOT / "include")
    site = Site(output, index)
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / f"{name}.md" for name in
                 ("CONTRIBUTING", "SECURITY", "CHANGELOG"))]:
        site.need(path)
    site.build()
    for page, text in texts.items():
        site.write(pathlib.Path("api") / f"{page}.md", text)
        for linked in re.findall(r"\.\./files/(\S+?)\.md", text):
            site.need(ROOT / linked)
    site.build()
    shutil.copyfile(ROOT / "site/theme.css", output / "theme.css")
    (output.parent / f"{output.name}.yml").write_text(
        configuration(interfaces).replace("../build/site", str(output.parent / "site")))
    print(f"{len(list(output.rglob('*.md')))} pages, {len(index)} names of the interfaces")


if __name__ == "__main__":
    main()
