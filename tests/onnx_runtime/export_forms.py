#!/usr/bin/python3
"""export_forms.py FOLDER [--opsets 11 12 ...] [FORM...]: writes graphs as exporters write them.

Each form of forms/*.py becomes one model for each opset, with inputs and what is expected of it.
onnx_runtime_models --of and compare.mjs read the files. A form may have attributes or inputs of its
own for an opset; its numbers are the same."""
import argparse
import json
import os

from forms import FORMS
from forms.graph import Graph

OPSETS = range(11, 27)


def write(form, opset, folder):
    graph = Graph(form.name, opset)
    form.build(graph)
    stem = os.path.join(folder, f"{form.name}-{opset}")
    with open(stem + ".onnx", "wb") as file:
        file.write(graph.model().SerializeToString())
    text = {"about": f"{form.name} opset {opset}", "form": form.name, "opset": opset,
            "tolerance": form.tolerance, "inputs": graph.data}
    if graph.expected:
        text["expected"] = graph.expected
    if form.refused:
        text["must_refuse"] = form.refused
    with open(stem + ".json", "w", encoding="ascii") as file:
        json.dump(text, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--opsets", type=int, nargs="+", default=OPSETS)
    parser.add_argument("forms", nargs="*", help="default: all")
    options = parser.parse_intermixed_args()
    names = {form.name for form in FORMS}
    for name in set(options.forms) - names:
        parser.error(f"form = {name}: a form must be one of {', '.join(sorted(names))}")
    os.makedirs(options.folder, exist_ok=True)
    for form in FORMS:
        for opset in options.opsets:
            wanted = not options.forms or form.name in options.forms
            if wanted and form.first <= opset <= form.last:
                write(form, opset, options.folder)


if __name__ == "__main__":
    main()
