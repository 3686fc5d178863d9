"""Runs the blocks of docs/python.md in order, and compares their output with the page.

TPUTWIN_REBASE=1 writes the output to the page."""

import contextlib
import io
import os
import re

from conftest import ROOT

PAGE = ROOT / "docs/python.md"
BLOCK = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```\n", re.DOTALL)


def test_tutorial(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = PAGE.read_text()
    assert page.count("```python") == len(BLOCK.findall(page)), "every block must have its output"
    names = {"__name__": "tutorial"}

    def run(match):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(match[1], str(PAGE), "exec"), names)
        return f"```python\n{match[1]}```\n\n```text\n{printed.getvalue()}```\n"
    now = BLOCK.sub(run, page)
    if os.environ.get("TPUTWIN_REBASE"):
        PAGE.write_text(now)
    else:
        assert now == page
