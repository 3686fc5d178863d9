"""Sums of bytes, updates that combine, rows with a one, rests of divisions, and maps of three axes that grow."""
import numpy as np

from forms.registry import form


@form(16)
def scatter_that_combines(g):
    """As means of groups are computed: several updates of one position."""
    data, updates = g.input([4, 3]), g.input([5, 3])
    rows = g.constant(np.array([[0, 1, 2], [0, 3, 2], [1, 1, -1], [0, 0, 0], [3, 2, 1]]))
    pairs, values = g.constant(np.array([[0, 1], [3, -1], [0, 1], [2, 0]])), g.input([4])
    g.output(*(g("ScatterElements", [data, rows, updates], reduction=r) for r in ("add", "mul")),
             *(g("ScatterND", [data, pairs, values], reduction=r) for r in ("add", "mul")))


@form(18)
def scatter_that_keeps_extremes(g):
    data, updates = g.input([4, 3]), g.input([4, 2])
    columns = g.constant(np.array([[0, 2], [1, 1], [2, 0], [0, 0]]))
    g.output(*(g("ScatterElements", [data, columns, updates], axis=1, reduction=r) for r in ("max", "min")))


@form(13)
def one_hot_of_a_tensor(g):
    """Classes beyond the depth have no one."""
    x = g("Round", [g.input([2, 3], -6, 6)])
    classes = g("Cast", [x], to=7)
    values = g.constant(np.array([0, 1], np.float32))
    g.output(g("OneHot", [x, g.constant(np.float32(4)), values]),
             g("OneHot", [classes, g.constant(np.array(5)), g.constant(np.array([-0.5, 2], np.float32))], axis=1))


@form()
def one_hot_of_an_input_of_integers(g):
    """As an embedding that is a product: rows of a matrix."""
    x = g.input([2, 3], -1, 6, element="int64")
    rows = g("OneHot", [x, g.constant(np.array(6)), g.constant(np.array([0, 1], np.float32))])
    g.output(g("MatMul", [rows, g.weights([6, 4])]))


@form(13)
def rests_of_divisions(g):
    x, y = g.input([3, 4], -5, 5), g.input([3, 4], 0.5, 2)
    g.output(g("Mod", [x, g.constant(np.float32(0.75))], fmod=1), g("Mod", [x, y], fmod=1))


@form(13)
def resize_of_three_axes(g):
    x = g.input([1, 2, 3, 4, 5])
    scales = g.constant(np.array([1, 1, 2, 1.5, 2], np.float32))
    g.output(g("Resize", [x, "", scales], mode="linear"), g("Resize", [x, "", scales], mode="nearest"),
             g("Resize", [x, "", "", g.integers(1, 2, 6, 4, 3)], mode="linear",
               coordinate_transformation_mode="align_corners"),
             g("Resize", [x, "", "", g.integers(1, 2, 3, 8, 15)], mode="nearest",
               coordinate_transformation_mode="asymmetric", nearest_mode="floor"))


@form()
def arithmetic_of_bytes(g):
    """Sums wrap."""
    x, y = (g.input([1, 3, 4, 4], 0, 255, "uint8") for _ in range(2))
    operators = ["Max", "Min"] if g.opset < 14 else ["Max", "Min", "Add", "Sub", "Mul"]
    g.output(*(g(operator, [x, y]) for operator in operators), element=2)


@form(14)
def chains_of_bytes(g):
    """Each operation wraps before the next one."""
    for element, low, high, number in (("uint8", 0, 255, 2), ("int8", -128, 127, 3)):
        x, y = (g.input([2, 3, 5], low, high, element) for _ in range(2))
        seven, hundred, ten = (g.constant(np.array(v, element)) for v in (7, 100, 10))
        twice = g("Add", [x, x])
        g.output(g("Mul", [g("Add", [x, hundred]), seven]), g("Add", [g("Mul", [twice, seven]), x]),
                 g("Add", [twice, g("Add", [y, y])]), g("Mul", [g("Clip", [x, ten, hundred]), seven]),
                 g("Mul", [g("Max", [x, ten]), seven]), element=number)
        if element == "uint8":
            g.output(g("Sub", [g("Where", [g("Greater", [x, y]), x, seven]), y]), element=number)
        g.output(g("Cast", [g("Mul", [g("Mul", [x, seven]), y])], to=1))


@form(18)
def resize_that_keeps_the_aspect(g):
    """The factor is the policy's, not that of the rounded extents."""
    x, deep = g.input([1, 2, 7, 9]), g.input([1, 2, 6, 7, 8])
    for policy in ("not_larger", "not_smaller"):
        for mode in ("linear", "nearest"):
            g.output(g("Resize", [x, "", "", g.integers(4, 11)], mode=mode, axes=[2, 3],
                       keep_aspect_ratio_policy=policy))
        g.output(g("Resize", [deep, "", "", g.integers(3, 9, 4)], mode="linear", axes=[2, 3, 4],
                   keep_aspect_ratio_policy=policy))
