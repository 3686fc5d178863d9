"""Operators on the bits of integers."""
import numpy as np

from forms.registry import form

UINT32, FLOAT = 12, 1


def real(g, x):
    return g("Cast", [x], to=FLOAT)


@form(18)
def bits_of_integers(g):
    for element, most in (("int64", 2 ** 22), ("int32", 1000)):
        x, y = g.input([2, 5], -most, most, element), g.input([5], -most, most, element)
        mask = g.constant(np.array([255, -1, 0, 1, 4095]), element)
        for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
            g.output(real(g, g(name, [x, y])), real(g, g(name, [x, mask])))
        g.output(real(g, g("BitwiseNot", [x])))


@form(18)
def bits_of_bytes(g):
    for element, low, high in (("uint8", 0, 255), ("int8", -128, 127)):
        x, y = g.input([3, 7], low, high, element), g.input([3, 7], low, high, element)
        mask = g.constant(g.random.randint(low, high + 1, [7]), element)
        both = [g(name, [x, y]) for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")]
        g.output(*(real(g, t) for t in both), real(g, g("BitwiseNot", [x])), real(g, g("BitwiseAnd", [mask, x])))
        # Sums of bytes wrap.
        g.output(real(g, g("Add", [both[1], g("BitwiseNot", [y])])), real(g, g("Equal", [both[0], both[1]])))


@form(18)
def bits_of_constants(g):
    x = g.input([4])
    a, b = g.constant(np.uint8([12, 255, 0, 129])), g.constant(np.uint8([10, 1, 7, 255]))
    wide = g.constant(np.array([2 ** 40 + 5, -1, 7, -2 ** 62], np.int64))
    both = [g(name, [a, b]) for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")]
    both += [g("BitwiseNot", [a]), g("BitwiseAnd", [wide, g.integers(255)]), g("BitwiseNot", [g("BitwiseNot", [b])])]
    g.output(*(g("Add", [x, real(g, y)]) for y in both))


@form()
def shifted_bits(g):
    x, by = g.input([3, 5], 0, 255, "uint8"), g.constant(np.uint8([0, 1, 3, 7, 5]))
    g.output(*(real(g, g("BitShift", [x, by], direction=d)) for d in ("LEFT", "RIGHT")))
    y = g("Cast", [g.input([3, 5], 0, 4000, "int64")], to=UINT32)
    wide = g.constant(np.uint32([0, 1, 3, 12, 5]))
    g.output(*(real(g, g("BitShift", [y, wide], direction=d)) for d in ("LEFT", "RIGHT")))
    z = g.constant(np.uint8([1, 2, 200, 255]))
    g.output(*(g("Add", [g.input([4]), real(g, g("BitShift", [z, g.constant(np.uint8([3, 0, 1, 7]))], direction=d))])
               for d in ("LEFT", "RIGHT")))


@form(18)
def bits_of_packed_weights(g):
    """Four-bit integers, two in a byte, as exporters unpack them."""
    x = g.input([2, 8], 0, 255, "uint8")
    low = g("BitwiseAnd", [x, g.constant(np.uint8(15))])
    high = g("BitShift", [x, g.constant(np.uint8(4))], direction="RIGHT")
    g.output(g("MatMul", [real(g, g("Concat", [low, high], axis=1)), g.weights([16, 3])]))


@form(18, refused="int8 to int64, uint8 or uint16")
def not_of_uint32(g):
    y = g("Cast", [g.input([3], 0, 4000, "int64")], to=UINT32)
    g.output(real(g, g("BitwiseNot", [y])))


@form(18)
def not_of_int64_in_its_place(g):
    g.output(real(g, g("BitwiseNot", [g.input([3], 0, 4000, "int64")])))
