"""Writes the C and C++ headers as pages, one for each interface of api.yml.

Doxygen lists the declarations of a header and their lines. Their text, and the comments above them,
are copied from the header.
"""
import pathlib
import re
import xml.etree.ElementTree as ElementTree

KINDS = {"function", "define", "typedef", "enum", "variable"}
CLASSES = {"struct", "class", "union"}


class Declaration:
    def __init__(self, name, kind, first, last):
        self.name, self.kind, self.first, self.last = name, kind, first, last


def place(element, include):
    """Returns (header, first line, last line or 0) of a declaration that Doxygen found."""
    location = element.find("location")
    if location is None:
        return None
    path = include.parent / (location.get("declfile") or location.get("file"))
    if include not in path.parents:
        return None
    line = int(location.get("declline") or location.get("line"))
    same_file = location.get("bodyfile") == location.get("file")
    end = int(location.get("bodyend", -1)) if same_file else -1
    return str(path.relative_to(include)), line, max(end, 0)


def declarations(xml, include):
    """Returns the declarations of every header, by its path below include/."""
    found, scopes = {}, set()
    compounds = [ElementTree.parse(path).getroot().find("compounddef") for path in sorted(xml.glob("*.xml"))
                 if path.name not in ("index.xml", "Doxyfile.xml")]
    compounds = [compound for compound in compounds if compound is not None]
    for compound in compounds:
        if compound.get("kind") in CLASSES:
            scopes.add(compound.findtext("compoundname"))
    def add(element, name, kind):
        where = place(element, include)
        if where:
            header, first, last = where
            found.setdefault(header, []).append(Declaration(name, kind, first, last))
    for compound in compounds:
        kind, name = compound.get("kind"), compound.findtext("compoundname")
        if kind in CLASSES:
            if name.rpartition("::")[0] not in scopes and "@" not in name:
                add(compound, name.rpartition("::")[2].partition("<")[0].strip(), kind)
        elif kind in ("file", "namespace"):
            for member in compound.iter("memberdef"):
                if member.get("kind") in KINDS:
                    add(member, member.findtext("name").partition("<")[0].strip(), member.get("kind"))
    return found


def end_of(lines, first):
    """Returns the last line of the declaration at line `first`: a ';' or '}' closes it there."""
    if lines[first - 1].lstrip().startswith("}"):
        return first  # the name of a type whose definition ends here
    if lines[first - 1].lstrip().startswith("#"):
        while lines[first - 1].rstrip().endswith("\\"):
            first += 1
        return first
    depth = 0
    for number in range(first, len(lines) + 1):
        text = re.sub(r"/\*.*?\*/|//.*|\"(\\.|[^\"])*\"", "", lines[number - 1])
        for c in text:
            depth += c in "({["
            depth -= c in ")}]"
            if depth == 0 and (c == ";" or (c == "}" and "=" not in text and not text.rstrip().endswith(";"))):
                return number
    return first


def comment_above(lines, first):
    """Returns (first line, text) of the comment that ends above line `first`, or (first, "")."""
    last = first - 1
    if last < 1:
        return first, ""
    above = lines[last - 1].strip()
    begin = last
    if above.endswith("*/"):
        while begin > 1 and "/*" not in lines[begin - 1]:
            begin -= 1
        if not lines[begin - 1].lstrip().startswith("/*"):
            return first, ""  # a comment after a declaration
    elif above.startswith("//"):
        while begin > 1 and lines[begin - 2].lstrip().startswith("//"):
            begin -= 1
    else:
        return first, ""
    return begin, text_of(lines[begin - 1:last])


def text_of(comment):
    """Returns the text of a comment as Markdown; indented lines become code."""
    lines = [re.sub(r"\s*\*/\s*$", "", line.rstrip()) for line in comment]
    lines = [re.sub(r"^\s*(/\*+|\*(?!/)|//+)", "", line, count=1).rstrip() for line in lines]
    lines = [line[1:] if line.startswith(" ") else line for line in lines]
    result, item = [], False
    for line in lines:
        indented, words = line.startswith("  "), line.strip()
        if words.startswith("- "):
            if result and result[-1] and not item:
                result.append("")
            item = True
        elif indented and item:
            pass  # continues the item
        elif indented:
            if result and result[-1] and not result[-1].startswith("    "):
                result.append("")
            result.append("    " + line[2:])
            continue
        else:
            item = False
            if result and result[-1].startswith("    ") and line:
                result.append("")
        result.append(re.sub(r"([*_\[])", r"\\\1", words).replace("<", "&lt;"))
    return "\n".join(result).strip("\n")


def first_comment(text):
    """Returns (the comment at the begin of a file as Markdown, the rest of the file)."""
    lines, last = text.splitlines(), 0
    while last < len(lines) and re.match(r"^\s*(/\*|\*|//)", lines[last]):
        last += 1
        if lines[last - 1].rstrip().endswith("*/"):
            break
    if last == 0:
        return "", text
    return comment_above(lines, last + 1)[1], "\n".join(lines[last:])


class Header:
    """The sections of a header, and their groups: declarations that share a comment."""

    def __init__(self, path, found):
        self.lines = path.read_text().splitlines()
        self.groups, self.sections = [], {}
        for number, line in enumerate(self.lines, 1):
            title = re.match(r"^(?:/\*|//) -{4} (.*?) -{4}( \*/)?$", line.strip())
            if title:
                self.sections[number] = title[1]
        seen, covered = set(), 0
        for declaration in sorted(found, key=lambda d: (d.first, d.kind == "typedef")):
            declaration.first = self.begin_of(declaration)
            last = max(declaration.last, end_of(self.lines, declaration.first))
            if self.is_guard(declaration) or (declaration.name, declaration.first) in seen or last <= covered:
                if declaration.name and self.groups and last <= covered and declaration.kind in ("typedef", "enum"):
                    self.name_group(declaration)
                continue
            seen.add((declaration.name, declaration.first))
            declaration.last = covered = last
            self.put(declaration)

    def name_group(self, declaration):
        # typedef struct X {...} Y is one declaration with two names.
        names = self.groups[-1]["names"]
        if declaration.name not in names and "@" not in declaration.name:
            names.append(declaration.name)

    def begin_of(self, declaration):
        first = declaration.first
        if declaration.kind == "define":
            return first
        while first > 1 and re.match(r"^\s*(template\b|typedef (struct|union|enum)\b[^;]*$)", self.lines[first - 2]):
            first -= 1
        return first

    def is_guard(self, declaration):
        line = self.lines[declaration.first - 1]
        return (declaration.kind == "define" and re.match(r"^\s*#\s*define \w+\s*$", line) is not None) \
            or declaration.name.startswith("DECL_")

    def put(self, declaration):
        begin, comment = comment_above(self.lines, declaration.first)
        if begin in self.sections or any(begin <= number < declaration.first for number in self.sections):
            begin, comment = declaration.first, ""
        previous = self.groups[-1] if self.groups else None
        section = max((number for number in self.sections if number < declaration.first), default=0)
        follows = previous and previous["section"] == section and not comment \
            and previous["declarations"][-1].last + 1 >= declaration.first \
            and (previous["comment"] or declaration.kind != "function")
        named = [] if "@" in declaration.name else [declaration.name]
        if follows:
            previous["declarations"].append(declaration)
            previous["names"] += [name for name in named if name not in previous["names"]]
        else:
            self.groups.append({"section": section, "comment": comment, "declarations": [declaration], "names": named})

    def markdown(self, language, seen):
        section, text = 0, []
        for group in self.groups:
            if group["section"] != section:
                section = group["section"]
                title = re.sub(r" \((OKKernel|TPUKernel) guide\)| \[[\d., -]+\]", "", self.sections[section])
                text.append(f"### {title}\n")
            names = [name for name in group["names"] if name not in seen]
            seen.update(names)
            if names:
                shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
                text.append(f"#### {shown} {{ #{names[0]} }}\n")
                text.append("".join(f'<span id="{name}"></span>' for name in names[1:]) + "\n")
            if group["comment"]:
                text.append(group["comment"] + "\n")
            code = "\n".join("\n".join(self.lines[d.first - 1:d.last]) for d in group["declarations"])
            text.append(f"```{language}\n{code}\n```\n")
        return "\n".join(text)


def pages(interfaces, xml, include):
    """Returns ({page: Markdown}, {name: page}) of all interfaces."""
    found, texts, index = declarations(xml, include), {}, {}
    used = set()
    for interface in interfaces:
        seen = set()
        text = [f"# {interface['title']}\n", interface["introduction"], f"Chips: {interface['chip']}.\n"]
        for header in interface["headers"]:
            used.add(header)
            parsed = Header(include / header, found.get(header, []))
            language = "cpp" if header.endswith(".hpp") or "class " in "\n".join(parsed.lines) else "c"
            text.append(f"## <{header}> {{ #{re.sub('[^a-z0-9]+', '-', header.lower())} }}\n".replace("<", "&lt;"))
            text.append(first_comment("\n".join(parsed.lines))[0] + "\n")
            text.append(parsed.markdown(language, seen))
        for name in seen:
            index.setdefault(name, interface["page"])
        texts[interface["page"]] = "\n".join(text)
    missing = sorted(set(found) - used - {header for header in found if header.endswith(".pb.h")})
    if missing:
        raise SystemExit(f"site/api.yml has no page for {', '.join(missing)}")
    return texts, index
