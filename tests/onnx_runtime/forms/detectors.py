"""Ends of detectors as PyTorch exports them: extents known at run time, and branches that guard."""
import numpy as np

from forms.registry import form


def scalar(g, value, element=None):
    return g.constant(np.array(value), element)


def guarded_boxes(g, boxes, scores):
    """Positions of boxes that suppression keeps, unless there are none."""
    other = g.subgraph()
    axis = other.integers(0)
    all_boxes = other("Unsqueeze", [boxes, axis])
    all_scores = other("Unsqueeze", [other("Unsqueeze", [scores, axis]), axis])
    found = other("NonMaxSuppression", [all_boxes, all_scores, scalar(other, 100), scalar(other, 0.5, "float32")])
    columns = other("Gather", [found, scalar(other, 2)], axis=1)
    other.output(other.squeeze(other("Unsqueeze", [columns, other.integers(1)]), 1), element=7)
    none = g.subgraph()
    none.output(none("Constant", [], value=np.zeros(0, np.int64)), element=7)
    count = g.reduce("ReduceProd", g("Shape", [boxes]), [0], keepdims=0)
    is_empty = g("Cast", [g("Equal", [count, scalar(g, 0)])], to=9)
    return g("If", [is_empty], then_branch=none.proto(), else_branch=other.proto())


@form(13)
def detector_of_levels(g):
    """Each level's boxes above a score; of all levels those that do not overlap."""
    levels = [g("Sigmoid", [g.input([1, count, 5], -3, 3)]) for count in (12, 7)]
    joined = g("Concat", levels, axis=1)
    boxes, scores, labels = [], [], []
    for label, (begin, end) in enumerate(((0, 12), (12, 19))):
        part = g("Slice", [joined, g.integers(begin), g.integers(end), g.integers(1)])
        rows = g("Gather", [part, scalar(g, 0)], axis=0)
        value = g("Gather", [rows, scalar(g, 4)], axis=1)
        place = g.squeeze(g("NonZero", [g("Greater", [value, scalar(g, 0.4, "float32")])]), 0)
        taken = g("Gather", [rows, place], axis=0)
        x, y, w, h, s = g.split(taken, [1, 1, 1, 1, 1], 1)
        boxes.append(g("Concat", [x, y, g("Add", [x, w]), g("Add", [y, h])], axis=1))
        scores.append(g.squeeze(s, 1))
        labels.append(g("ConstantOfShape", [g("Shape", [scores[-1]])], value=np.array([label + 1])))
    boxes, scores, labels = (g("Concat", parts, axis=0) for parts in (boxes, scores, labels))
    kept = guarded_boxes(g, boxes, scores)
    g.output(g("Gather", [boxes, kept], axis=0), g("Gather", [scores, kept], axis=0))
    g.output(g("Gather", [labels, kept], axis=0), element=7)


@form(13)
def detector_that_finds_nothing(g):
    x = g.input([6, 4], 0, 1)
    value = g.input([6], 0, 1)
    places = g("NonZero", [g("Greater", [value, scalar(g, 2, "float32")])])
    place = g.squeeze(places, 0)
    boxes, scores = g("Gather", [x, place], axis=0), g("Gather", [value, place], axis=0)
    kept = guarded_boxes(g, boxes, scores)
    g.output(g("Gather", [boxes, kept], axis=0))


@form(13)
def fractions_of_a_computed_shape(g):
    """The shape has integers, the values have none."""
    x = g.input([3, 4])
    most = g.reduce("ReduceMax", x, [1], keepdims=0)
    places = g.squeeze(g("NonZero", [g("Greater", [most, scalar(g, 0.5, "float32")])]), 0)
    rows = g("Gather", [x, places], axis=0)
    shape = g("Concat", [g.integers(-1), g.integers(2), g.integers(2)], axis=0)
    count = g("Gather", [g("Shape", [rows]), g.integers(0)], axis=0)
    folded = g("Reshape", [rows, g("Concat", [count, g.integers(2), g.integers(2)], axis=0)])
    g.output(g("Div", [folded, g.constant(np.float32(3))]), g("Div", [g("Reshape", [rows, shape]), folded]))
