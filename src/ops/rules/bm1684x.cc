// Rules of the BM1684X: operands that overlap or share banks.
#include "ops/rules/bm1684x.h"

#include "base/errors/tpukernel.h"

#include <algorithm>

namespace tputwin {
namespace {

// Banks from the first to the last byte of a view, in any lane.
std::pair<uint64_t, uint64_t> banks_of(const TensorView& v, const Chip& chip) {
  const uint64_t start = v.address % chip.lane_bytes;
  const uint64_t turns = (v.address / chip.lane_bytes + v.shape.c - 1) / chip.lanes;
  const uint64_t last = start + (v.shape.n - 1) * uint64_t{v.stride.n} + turns * v.stride.c +
                        (v.shape.h - 1) * uint64_t{v.stride.h} +
                        (v.shape.w - 1) * uint64_t{v.stride.w} + element_bytes(v.dtype) - 1;
  return {start / chip.bank_bytes(), last / chip.bank_bytes()};
}

// Elements follow each other in index order without overlapping.
bool is_ascending(const TensorView& v, uint64_t turns) {
  const Stride& s = v.stride;
  const Shape& e = v.shape;
  uint64_t bytes = element_bytes(v.dtype);
  auto follows = [&](uint64_t extent, uint64_t stride) {
    if (extent > 1 && stride < bytes) return false;
    bytes += (extent - 1) * stride;
    return true;
  };
  return is_run(v) && follows(e.w, s.w) && follows(e.h, s.h) && follows(turns, s.c) &&
         follows(e.n, s.n);
}

uint64_t turns_of(const TensorView& v, const Chip& chip) {
  if (v.space != Space::local) return v.shape.c;
  return (v.address / chip.lane_bytes + v.shape.c - 1) / chip.lanes + 1;
}

// No element of `out` reaches beyond the element of `in` with its index.
bool stays_behind(const TensorView& out, const TensorView& in, const Chip& chip) {
  const bool local = in.space == Space::local;
  const uint64_t turns = turns_of(in, chip);
  auto at_most = [](uint64_t extent, uint32_t a, uint32_t b) { return extent == 1 || a <= b; };
  return out.space == in.space && out.shape == in.shape && is_run(out) &&
         (!local || same_start_lane(out, in, chip)) && out.address <= in.address &&
         element_bytes(out.dtype) <= element_bytes(in.dtype) &&
         at_most(in.shape.n, out.stride.n, in.stride.n) &&
         at_most(turns, out.stride.c, in.stride.c) &&
         at_most(in.shape.h, out.stride.h, in.stride.h) &&
         at_most(in.shape.w, out.stride.w, in.stride.w) && is_ascending(in, turns);
}

}  // namespace

Status advise_bm1684x_overlap(const OperandList& operands, const Chip& chip) {
  const TensorView& result = *operands[0].view;
  for (size_t i = 1; i < operands.size(); ++i)
    TW_RETURN_IF_ERROR(require(!overlap_in_part(result, *operands[i].view, chip),
                               errors::tpu_overlap, operands[i].name, *operands[i].view));
  return {};
}

Status advise_bm1684x_elementwise_overlap(const OperandList& operands, const Chip& chip) {
  const TensorView& result = *operands[0].view;
  for (size_t i = 1; i < operands.size(); ++i) {
    const TensorView& view = *operands[i].view;
    TW_RETURN_IF_ERROR(
        require(!overlap_in_part(result, view, chip) || stays_behind(result, view, chip),
                errors::tpu_overlap, operands[i].name, view));
  }
  return {};
}

bool repeats_itself(const TensorView& out, const TensorView& in) {
  const Shape &o = out.shape, &i = in.shape;
  auto same = [](uint32_t a, uint32_t b, uint32_t extent, uint32_t of_out) {
    return extent == 1 || a == b || (a == 0 && extent == of_out);
  };
  auto repeated = [](uint32_t extent, uint32_t of_out) { return extent == 1 || extent == of_out; };
  return out.space == in.space && out.address == in.address &&
         element_bytes(out.dtype) == element_bytes(in.dtype) && repeated(i.n, o.n) &&
         repeated(i.c, o.c) && repeated(i.h, o.h) && repeated(i.w, o.w) &&
         same(in.stride.n, out.stride.n, i.n, o.n) && same(in.stride.c, out.stride.c, i.c, o.c) &&
         same(in.stride.h, out.stride.h, i.h, o.h) && same(in.stride.w, out.stride.w, i.w, o.w);
}

Status advise_bm1684x_banks(std::string_view name, const TensorView& view, const TensorView& other,
                            const Chip& chip) {
  const auto [first, last] = banks_of(view, chip);
  const auto [other_first, other_last] = banks_of(other, chip);
  return require(last < other_first || other_last < first, errors::tpu_banks, name, view);
}

}  // namespace tputwin
