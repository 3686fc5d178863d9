"""A simulator of the BM1880, BM1684 and BM1684X tensor processors.

    net = tputwin.load("net.bmodel")        # any of the three chips
    outputs = net.run(image)                # numpy in, numpy out

The project's docs/python.md is a tutorial. The tests run every line of it.
"""

from .compiler import Accuracy, Calibrated, Compiled, Preparation, calibrate, compile, evaluate
from .devices import Device, DeviceArray
from .errors import Error, Rule, RuleWarning, rules
from .events import (Actor, Advice, Command, Event, Finding, Launch, Line, Operand, Placed, Profile,
                     Range, SourceLine, Watch, watch)
from .kernels import CompileError, Kernel, kernel, load_kernels
from .nets import Net, Tensor, chips, disassemble, info, load
from .pictures import Box, Class, Detections, Seen, Viewer, prepare

__all__ = [
    "Accuracy", "Actor", "Advice", "Box", "Calibrated", "Class", "Command", "CompileError", "Compiled",
    "Detections", "Device", "DeviceArray", "Error", "Event", "Finding", "Kernel", "Launch", "Line", "Net",
    "Operand", "Placed", "Preparation", "Profile", "Range", "Rule", "RuleWarning", "Seen", "SourceLine", "Tensor", "Viewer",
    "Watch", "calibrate", "chips", "compile", "disassemble", "evaluate", "info", "kernel", "load",
    "load_kernels", "prepare", "rules", "watch",
]
