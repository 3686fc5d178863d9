// Activations of YOLO's output layers, (n, anchors * entries, h, w). The entries of an anchor are
// x, y, w, h, objectness, and one per class.
#include "bmnet/cpu_ops/operator.h"

namespace tputwin::net::cpu {
namespace {

// The entries of one anchor at one pixel, at a distance of `step`.
struct Entries {
  const float* in;
  float* out;
  int64_t step;
  void activate(int64_t begin, int64_t end) const {
    for (int64_t e = begin; e < end; ++e) out[e * step] = sigmoid(in[e * step]);
  }
};

template <class Function>
Status each_anchor(const Call& call, int64_t entries, const Function& function) {
  TW_RETURN_IF_ERROR(require(call, 1, true));
  const Shape4 shape = shape4(call.in[0]);
  if (entries < 1 || shape.c % entries != 0)
    return fail(call, std::to_string(entries) + " channels per anchor");
  std::copy_n(call.in[0].data, count(call.in[0]), call.out[0].data);
  const int64_t plane = shape.h * shape.w;
  for (int64_t a = 0; a < shape.n * shape.c / entries; ++a)
    for (int64_t i = 0; i < plane; ++i) {
      const int64_t at = a * entries * plane + i;
      function(Entries{call.in[0].data + at, call.out[0].data + at, plane});
    }
  return {};
}

}  // namespace

// Version 2, as in darknet's region layer. It may have more than four coordinates. With a
// background, a class replaces the objectness.
Status region(const Call& call) {
  const auto& param = call.op.tg_region_param();
  const int64_t coords = param.coords(), entries = coords + 1 + param.classes();
  if (coords < 2 || param.classes() < 1) return fail(call, "coords at least 2, classes at least 1");
  if (shape4(call.in[0]).c != param.num() * entries)
    return fail(call, "num * (coords + 1 + classes) channels");
  const bool background = param.background() != 0;
  const int64_t first = coords + (background ? 0 : 1);  // index of the first class
  return each_anchor(call, entries, [&](const Entries& e) {
    e.activate(0, 2);
    if (!background) e.activate(coords, coords + 1);
    if (param.softmax() != 0)
      softmax(e.in + first * e.step, e.out + first * e.step, entries - first, e.step);
    else
      e.activate(coords + 1, entries);
  });
}

// Version 3.
Status yolo(const Call& call) {
  const int64_t entries = int64_t{5} + call.op.tg_yolo_param().classes();
  return each_anchor(call, entries, [&](const Entries& e) {
    e.activate(0, 2);
    e.activate(4, entries);
  });
}

}  // namespace tputwin::net::cpu
