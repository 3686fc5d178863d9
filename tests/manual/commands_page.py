#!/usr/bin/env python3
"""commands_page.py BIN PAGE: compares docs/commands.md with the commands' tables.

TPUTWIN_REBASE=1 writes the page."""

import json
import os
import subprocess
import sys
from pathlib import Path

TOOLS = ("tputwin bintool bm_builder.bin bm_model.bin bmrt_test calibration_caffe.bin model_runner "
         "test_bmnet_bmodel tpu_model").split()

HEAD = """# All commands

This page lists every command with its options. It is generated from the tables that parse command
lines (`--help-as json`), and a test compares it with them. [cli.md](cli.md) describes the purpose
of the commands, with examples of their results.

`--help` prints a command's part of this page. `PROGRAM --help-as man|json|bash|zsh` prints that of
a program as a manual page, as JSON, or as completion for a shell
(`source <(tputwin --help-as bash)`). The Debian packages contain all of them.

Commands of `tputwin` print their results as JSON with `--json`. `print` always does; `record`
writes a file, and `debug` uses JSON with `--dap`. The tools with the vendor's names have the
vendor's options. With `--json`, errors are still printed on standard error, and exit codes are the
same. A command refuses an unknown word and suggests a similar one. Output has colours only in
terminals, and never if the environment has `NO_COLOR` with a value
([no-color.org](https://no-color.org)) or `TERM=dumb`.

## Exit codes

| code | meaning |
|---|---|
{codes}
`tputwin check`, `record` and `profile` end with the exit code of the program that they ran, unless
one of these codes applies. `bm_builder.bin` has the vendor's codes: 255 for an invalid command
line, and 1 for any other failure.
"""


def cell(text):
    return text.replace("|", "\\|")


def heading(option):
    names = ", ".join(option["names"])
    return f"{names} {option['value']}" if option["value"] and names.startswith("-") else names


def synopsis(command):
    words = [command["name"], "[OPTIONS]"]
    words += [f"{o['names'][-1]} {o['value']}" for o in command["options"] if o["required"]]
    for positional in command["positionals"]:
        name = positional["names"][0] + ("..." if positional["repeatable"] else "")
        words.append(name if positional["required"] else f"[{name}]")
    return " ".join(words + (["COMMAND ..."] if command["commands"] else []))


def section(command, level):
    text = f"\n{'#' * level} {command['name']}\n\n{command['summary']}.\n\n    {synopsis(command)}\n\n"
    rows = [o for o in command["positionals"] + command["options"] if "--help" not in o["names"]]
    if rows:
        text += "| argument | meaning |\n|---|---|\n"
    for option in rows:
        needed = "; required" if option["required"] else ""
        text += f"| `{cell(heading(option))}` | {cell(option['description'])}{needed} |\n"
    examples = [line for line in command["help"].split("\n") if line.startswith("  ")]
    if examples:
        text += "\nExamples:\n\n" + "".join(f"  {line}\n" for line in examples)
    return text + "".join(section(sub, level + 1) for sub in command["commands"])


def main(folder, page):
    tables = [json.loads(subprocess.run([folder / tool, "--help-as", "json"], check=True,
                                        capture_output=True).stdout) for tool in TOOLS]
    codes = "".join(f"| {row['code']} | {row['meaning']} |\n" for row in tables[0]["exit_codes"])
    text = HEAD.format(codes=codes) + "".join(section(table, 2) for table in tables)
    if os.environ.get("TPUTWIN_REBASE"):
        page.write_text(text)
    elif page.read_text() != text:
        sys.exit(f"{page} differs from the commands' tables; TPUTWIN_REBASE=1 writes it")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
