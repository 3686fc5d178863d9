#!/usr/bin/env python3
"""containerfile.py ROOT: checks that the steps of the Containerfile fit this repository.

Building the image would need a container engine. `make test-deb` runs the second stage in a fresh
Debian."""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
KNOWN = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "CMD"}


def instructions(text):
    text = re.sub(r"^#.*\n", "", text, flags=re.M).replace("\\\n", " ")
    for line in filter(None, map(str.strip, text.splitlines())):
        word, _, rest = line.partition(" ")
        assert word in KNOWN, f"{word}: this script does not know the instruction"
        yield word, rest.strip()


def copied(rest, stages, folder):
    *sources, target = [word for word in rest.split() if not word.startswith("--")]
    origin = re.search(r"--from=(\S+)", rest)
    for source in sources:
        if origin:
            assert origin[1] in stages, f"COPY --from={origin[1]}: there is no such stage"
            assert source == f"{folder}/build/deb/*.deb", f"{source}: `make deb` writes to another path"
        else:
            assert (root / source).exists(), f"COPY {source}: the repository has no such file"
    assert target


def run(command, targets, packages):
    subprocess.run(["sh", "-n", "-c", command], check=True)
    for target in re.findall(r"(?:^|&&\s*)make (\S+)", command):
        assert target in targets, f"make {target}: the Makefile has no such target"
    for names in re.findall(r"apt-get install ([^&]*)", command):
        packages += [name for name in names.split() if not name.startswith(("-", "/"))]


stages, folder, packages = [], "", []
makefile = (root / "Makefile").read_text()
targets = {name for line in re.findall(r"^([a-z][a-z0-9 _-]*):(?!=)", makefile, re.M) for name in line.split()}
for word, rest in instructions((root / "Containerfile").read_text()):
    if word == "FROM":
        image, *name = rest.split()
        # Slim images have no /usr/share/doc, which has the examples.
        assert image == "docker.io/library/debian:12" + ("-slim" if name else ""), image
        stages.append(name[1] if name else "")
    elif word == "WORKDIR" and stages[-1] == "build":
        folder = rest
    elif word == "COPY":
        copied(rest, stages, folder)
    elif word == "RUN":
        run(rest, targets, packages)
assert stages == ["build", ""], stages
lists = [(root / name).read_text() for name in (".containerignore", ".dockerignore")]
assert lists[0] == lists[1], ".containerignore and .dockerignore differ"
# The stages may install only packages that the pages list.
page = (root / "docs/start.md").read_text() + (root / "docs/ci.md").read_text()
for package in set(packages) - {"ca-certificates", "ccache", "git"}:
    assert re.search(rf"\b{re.escape(package)}(?!\w)", page), f"no page lists {package}"
print(f"{len(stages)} stages, packages {' '.join(packages)}")
