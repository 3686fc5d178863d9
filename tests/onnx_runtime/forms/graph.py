"""Graph: a model of one opset in the making. Its methods write operators in the opset's form."""
import zlib

import numpy as np
from onnx import AttributeProto, ModelProto, TensorProto, ValueInfoProto, helper, numpy_helper

# The version of the file format with which exporters write each opset.
IR_VERSIONS = {19: 9, 20: 9, 21: 10, 22: 10, 23: 11, 24: 11, 25: 12, 26: 13}

# Number types that the installed onnx may not know, by their numbers in onnx.proto.
FLOAT8E4M3FN, FLOAT8E5M2, UINT4, INT4 = 17, 19, 21, 22

INPUT_TYPES = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16, "uint8": TensorProto.UINT8,
               "int8": TensorProto.INT8, "int32": TensorProto.INT32, "int64": TensorProto.INT64,
               "bool": TensorProto.BOOL}


def value_info(name, dims=None, element=TensorProto.FLOAT):
    info = ValueInfoProto(name=name)
    info.type.tensor_type.elem_type = element
    if dims is not None:
        info.type.tensor_type.shape.SetInParent()
    for extent in dims or []:
        info.type.tensor_type.shape.dim.add().dim_value = extent
    return info


def graph_proto(name, nodes, inputs, outputs, constants=()):
    """A subgraph, whose values have no types."""
    graph = helper.make_graph(nodes, name, [value_info(n, d, t) for n, d, t in inputs],
                              [value_info(n, None, t) for n, t in outputs])
    graph.initializer.extend(constants)
    return graph


class Graph:
    """Nodes, constants and inputs. Equal names draw equal numbers, whatever the opset is."""

    def __init__(self, name, opset):
        self.opset = opset
        self.random = np.random.RandomState(zlib.crc32(name.encode()))
        self.nodes, self.constants, self.inputs, self.outputs = [], [], [], []
        self.functions, self.domains = [], set()
        self.data = {}
        # Values of the outputs, for graphs that ONNX Runtime does not run.
        self.expected = None
        self.count = 0

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def input(self, dims, low=-2.0, high=2.0, element="float32"):
        name = self.name("x")
        if element in ("float32", "float16"):
            values = (low + (high - low) * self.random.random_sample(dims)).astype(element)
        elif element == "bool":
            values = self.random.randint(0, 2, dims).astype(bool)
        else:
            values = self.random.randint(int(low), int(high) + 1, dims).astype(element)
        return self.input_of(values, element, name)

    def input_of(self, values, element="float32", name=None):
        """An input with these values."""
        name = name or self.name("x")
        values = np.asarray(values, element)
        self.inputs.append(value_info(name, values.shape, INPUT_TYPES[element]))
        self.data[name] = {"dims": list(values.shape), "type": element,
                           "data": [number(v) for v in values.astype(np.float64).flatten().tolist()]}
        return name

    def draw(self, dims, low=-1.0, high=1.0):
        return (low + (high - low) * self.random.random_sample(dims)).astype(np.float32)

    def weights(self, dims, low=-1.0, high=1.0):
        return self.constant(self.draw(dims, low, high))

    def constant(self, values, element=None):
        values = np.asarray(values)
        if values.dtype == np.float64:
            values = values.astype(np.float32)
        name = self.name("k")
        self.constants.append(numpy_helper.from_array(values.astype(element or values.dtype), name))
        return name

    def raw(self, data_type, dims, data):
        """A constant of a type that numpy lacks, from its bytes."""
        name = self.name("k")
        self.constants.append(TensorProto(name=name, data_type=data_type, dims=dims,
                                          raw_data=bytes(data)))
        return name

    def integers(self, *values):
        return self.constant(np.array(values, np.int64))

    def __call__(self, operator, inputs, outputs=1, domain="", **attributes):
        """Adds a node. Returns its output, or a list if there are several."""
        names = [self.name("t") for _ in range(outputs)] if isinstance(outputs, int) else outputs
        node = helper.make_node(operator, inputs, names, name=self.name("n"), domain=domain)
        for key, value in attributes.items():
            node.attribute.append(attribute(key, value))
        self.nodes.append(node)
        if domain:
            self.domains.add(domain)
        return names[0] if len(names) == 1 else names

    def microsoft(self, operator, inputs, outputs=1, **attributes):
        return self(operator, inputs, outputs, "com.microsoft", **attributes)

    def output(self, *names, element=TensorProto.FLOAT):
        for name in names:
            self.outputs.append(value_info(name, None, element))

    # ---- Branches ----

    def subgraph(self):
        """A branch of a node, which reads this graph's values, too."""
        branch = Graph("", self.opset)
        branch.name, branch.random = self.name, self.random
        return branch

    def proto(self):
        graph = helper.make_graph(self.nodes, "branch", [], self.outputs)
        graph.initializer.extend(self.constants)
        return graph

    # ---- Operators whose form depends on the opset ----

    def reduce(self, operator, x, axes, keepdims=1, **attributes):
        if self.opset >= (13 if operator == "ReduceSum" else 18):
            return self(operator, [x, self.integers(*axes)], keepdims=keepdims, **attributes)
        return self(operator, [x], axes=list(axes), keepdims=keepdims, **attributes)

    def squeeze(self, x, *axes):
        return self._by_axes("Squeeze", x, axes)

    def unsqueeze(self, x, *axes):
        return self._by_axes("Unsqueeze", x, axes)

    def _by_axes(self, operator, x, axes):
        if self.opset >= 13:
            return self(operator, [x, self.integers(*axes)])
        return self(operator, [x], axes=list(axes))

    def split(self, x, parts, axis):
        if self.opset >= 13:
            return self("Split", [x, self.integers(*parts)], len(parts), axis=axis)
        return self("Split", [x], len(parts), axis=axis, split=list(parts))

    def split_equally(self, x, count, axis):
        if self.opset >= 18:
            return self("Split", [x], count, axis=axis, num_outputs=count)
        return self("Split", [x], count, axis=axis)

    def pad(self, x, pads, value=None, mode="constant"):
        inputs = [x, self.integers(*pads)]
        if value is not None:
            inputs.append(self.constant(np.float32(value)))
        return self("Pad", inputs, mode=mode)

    def clip(self, x, low=None, high=None):
        bounds = ["" if v is None else self.constant(np.float32(v)) for v in (low, high)]
        return self("Clip", [x] + bounds)

    def dequantized(self, values, scale, zero=0, element="int8", **attributes):
        return self("DequantizeLinear", [self.constant(values, element), self.constant(np.float32(scale)),
                                         self.constant(zero, element)], **attributes)

    def quantized(self, x, scale, zero, element):
        """A QuantizeLinear and the DequantizeLinear after it."""
        s, z = self.constant(np.float32(scale)), self.constant(zero, element)
        return self("DequantizeLinear", [self("QuantizeLinear", [x, s, z]), s, z])

    def conv(self, x, channels, filters, kernel=1, group=1, **attributes):
        w = self.weights([filters, channels // group, kernel, kernel], -0.5, 0.5)
        return self("Conv", [x, w, self.weights([filters])], group=group,
                    kernel_shape=[kernel, kernel], **attributes)

    def model(self):
        model = ModelProto(ir_version=IR_VERSIONS.get(self.opset, 8), producer_name="export_forms")
        model.opset_import.add(domain="", version=self.opset)
        for domain in sorted(self.domains):
            model.opset_import.add(domain=domain, version=1)
        graph = helper.make_graph(self.nodes, "form", self.inputs, self.outputs)
        graph.initializer.extend(self.constants)
        model.graph.CopyFrom(graph)
        model.functions.extend(self.functions)
        return model


def number(value):
    """JSON has no infinities and no NaN: they are text."""
    return value if np.isfinite(value) else str(value)


def attribute(key, value):
    """An attribute. Lists may be empty, and dtypes are numbers."""
    if isinstance(value, list) and not value:
        return AttributeProto(name=key, type=AttributeProto.INTS)
    return helper.make_attribute(key, numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value)
