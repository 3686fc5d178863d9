// copy: a fill, tiles where the contiguous axes of both sides differ, or runs.
#include "ops/move/copy.h"

#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/walk/copy_views.h"
#include "ops/fast/walk/transposed_copy.h"

namespace tputwin::fast {
namespace {

Declined fill(const Copy& op, const Memory& memory) {
  const TensorView& dst = op.dst;
  if (!op.src.is_constant) return "no constant";
  if (is_empty(dst.shape) || !is_writable(dst, memory)) return kNotFree;
  fill_view(dst, op.src.constant, memory);
  return kRan;
}

// Returns why elements cannot be copied in any order, or nullptr if they can.
Declined elements_decline(const Copy& op, const Memory& memory) {
  const TensorView &dst = op.dst, &src = op.src.view;
  if (op.src.is_constant || is_empty(dst.shape)) return "a constant, or no elements";
  if (!is_writable(dst, memory) || !has_plain_elements(src)) return kNotFree;
  if (dst.shape != src.shape || run_bytes(dst) != run_bytes(src)) return "shapes or types differ";
  return same_bytes(dst, src) || disjoint(dst, src, memory.local) ? kRan
                                                                  : "results overlap a source";
}

Declined tiles(const Copy& op, const Memory& memory) {
  const auto axes = crossing_axes(op.dst, op.src.view);
  if (!axes) return "no crossing axes";
  if (const Declined why = elements_decline(op, memory)) return why;
  copy_transposed(op.dst, op.src.view, *axes, memory);
  return kRan;
}

Declined runs(const Copy& op, const Memory& memory) {
  const TensorView &dst = op.dst, &src = op.src.view;
  if (!op.src.is_constant && same_bytes(dst, src)) return kRan;
  if (const Declined why = elements_decline(op, memory)) return why;
  copy_view(dst, src, memory);
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(Copy, {"fill", fill}, {"tiles", tiles}, {"runs", runs})

}  // namespace tputwin::fast
