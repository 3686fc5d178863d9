// Rules of the BM1684X for copies onto themselves, and for operands that share banks.
#include "ops/rules/bm1684x.h"

#include <algorithm>

namespace tputwin {
namespace {

// Returns the banks of the first and the last byte of a view, in any lane.
std::pair<uint64_t, uint64_t> banks_of(const TensorView& v, const Chip& chip) {
  const uint64_t start = v.address % chip.lane_bytes;
  const uint64_t rounds = (v.address / chip.lane_bytes + v.shape.c - 1) / chip.lanes;
  const uint64_t last = start + (v.shape.n - 1) * uint64_t{v.stride.n} + rounds * v.stride.c +
                        (v.shape.h - 1) * uint64_t{v.stride.h} +
                        (v.shape.w - 1) * uint64_t{v.stride.w} + element_bytes(v.dtype) - 1;
  return {start / chip.bank_bytes(), last / chip.bank_bytes()};
}

}  // namespace

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
