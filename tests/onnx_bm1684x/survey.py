#!/usr/bin/python3
"""survey.py BIN FOLDER... [--chips C,C] [--types T,T] [--nets PATTERN] [--reach COSINE] [--limit S]
          [--shape PATTERN=N,C,H,W]... [--least [CHIP:]TYPE=COSINE]...
compiles every net of the folders for both chips in all their types, runs each with the checks of
`tputwin check`, and compares with float execution (onnx_bm1684x).

A net is NAME.onnx, or NAME.prototxt with NAME.caffemodel. --shape gives the inputs of nets whose
names match, where the file leaves extents open. Int8 takes the largest values of one
random input as thresholds. With --reach, int8 nets below that cosine are calibrated again:
`tputwin calibrate --reach` gives layers wider numbers. So are fp16 nets below their bound.
--least gives the bound of a type, or of one on a chip: bm1684:int8=0.995.

The table has the least cosine of an output and the predicted milliseconds. The script fails if a
net is refused, has a finding, or is below its bound."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

TYPES = {"bm1684x": ["fp32", "fp16", "bf16", "int8"], "bm1684": ["fp32", "int8"]}
# The least cosine of each output. Int8 has its bound from --reach or --least; bf16 and int8 of
# random weights have none.
LEAST = {"fp32": 0.999999, "fp16": 0.9999, "bf16": 0, "int8": 0}


def nets_of(folders, pattern):
    """Returns (name, files) of the nets whose names match."""
    nets = []
    for folder in folders:
        for file in sorted(os.listdir(folder)):
            stem, extension = os.path.splitext(file)
            path = os.path.join(folder, stem)
            if not re.search(pattern, stem):
                continue
            if extension == ".onnx":
                nets.append((stem, [path + ".onnx"]))
            elif extension == ".prototxt" and os.path.exists(path + ".caffemodel"):
                nets.append((stem, [path + ".prototxt", path + ".caffemodel"]))
    return nets


def run(command, limit):
    """Returns the exit code and the text of a command."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 124, f"longer than {limit} s"


class Survey:
    """Runs of nets, and the lines of those that fail."""

    def __init__(self, options):
        self.options, self.failures = options, []

    def cell(self, name, files, chip, number_type):
        """Returns the cell of a net, as text."""
        command = [os.path.join(self.options.bin, "onnx_bm1684x")]
        command += (["--bm1684"] if chip == "bm1684" else []) + files + [number_type]
        command += self.shape(name)
        code, text = run(command, self.options.limit)
        cosines = [float(c) for c in re.findall(r"cosine (\S+),", text)]
        time = re.search(r"([0-9.]+) ms predicted", text)
        if code != 0 or not cosines or time is None:
            self.failures.append(f"{name} {chip} {number_type}: {text.strip()}")
            return "late" if code == 124 else "fails"
        least, milliseconds = min(cosines), float(time[1])
        wider = ""
        reach = self.options.reach if number_type == "int8" else 0
        wanted = reach or LEAST.get(f"{chip}:{number_type}", LEAST[number_type])
        if self.options.reach and number_type in ("fp16", "int8") and not least >= wanted:
            least, milliseconds, wider = self.reached(name, files, chip, number_type, wanted)
        if not least >= wanted:
            self.failures.append(f"{name} {chip} {number_type}: cosine {least} is below {wanted}")
        return f"{least:.6f} {milliseconds:.3f}{wider}"

    def shape(self, name):
        """Returns the options with the shape of a net's input, if there is one."""
        for one in self.options.shape:
            pattern, shape = one.rsplit("=", 1)
            if re.search(pattern, name):
                return ["--shape", shape]
        return []

    def reached(self, name, files, chip, number_type, wanted):
        """Calibrates with --reach. Returns the cosine, the time and the number of wider layers."""
        with tempfile.TemporaryDirectory() as folder:
            shape = self.shape(name)
            samples = self.samples(folder, files, shape)
            code, text = run([os.path.join(self.options.bin, "tputwin"), "calibrate"] + files +
                             ["--chip", chip, "--type", number_type, "--data", samples,
                              "--reach", str(wanted), "--output", folder] + shape,
                             10 * self.options.limit)
        # Trials: wider layers, predicted milliseconds, cosine.
        trials = re.findall(r"^ +(\d+) +([0-9.]+) +([0-9.]+)$", text, re.MULTILINE)
        if code != 0 or not trials:
            self.failures.append(f"{files[0]} {chip} {number_type} --reach {wanted}: {text.strip()}")
            return 0, 0, " (fails)"
        layers, milliseconds, cosine = trials[-1]
        return float(cosine), float(milliseconds), f" ({layers} wider)"

    @staticmethod
    def samples(folder, files, given):
        """Writes samples of random numbers, and returns their file."""
        shape = [int(d) for d in given[1].split(",")] if given else input_shape(files[0])
        path = os.path.join(folder, "samples.npy")
        np.save(path, np.random.default_rng(3).standard_normal([4] + shape[1:]).astype(np.float32))
        return path


def input_shape(file):
    """Returns the shape of the net's only input."""
    if file.endswith(".onnx"):
        import onnx  # pylint: disable=import-outside-toplevel
        graph = onnx.load(file, load_external_data=False).graph
        constants = {tensor.name for tensor in graph.initializer}
        inputs = [one for one in graph.input if one.name not in constants]
        return [d.dim_value or 1 for d in inputs[0].type.tensor_type.shape.dim]
    with open(file, encoding="ascii") as text:
        return [int(d) for d in re.findall(r"dim: *(\d+)", text.read())[:4]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", help="folder of the programs")
    parser.add_argument("folders", nargs="+", help="folders of nets")
    parser.add_argument("--chips", default="bm1684x,bm1684")
    parser.add_argument("--types", default="fp32,fp16,bf16,int8")
    parser.add_argument("--nets", default="", help="a regular expression")
    parser.add_argument("--reach", type=float, default=0, help="least cosine of int8 outputs")
    parser.add_argument("--shape", action="append", default=[], help="PATTERN=N,C,H,W")
    parser.add_argument("--least", action="append", default=[], help="[CHIP:]TYPE=COSINE")
    parser.add_argument("--limit", type=float, default=900, help="seconds for a net and type")
    options = parser.parse_args()
    for one in options.least:
        number_type, _, cosine = one.partition("=")
        LEAST[number_type] = float(cosine)
    survey = Survey(options)
    columns = [(chip, one) for chip in options.chips.split(",") for one in TYPES[chip]
               if one in options.types.split(",")]
    print("| net | " + " | ".join(f"{chip} {one}" for chip, one in columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name, files in nets_of(options.folders, options.nets):
        cells = [survey.cell(name, files, chip, one) for chip, one in columns]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    for failure in survey.failures:
        print(failure)
    return 1 if survey.failures else 0


if __name__ == "__main__":
    sys.exit(main())
