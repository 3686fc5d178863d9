// Follows a transfer element by element, with one bit for each byte that it wrote.
#include "insight/own_writes.h"

#include <algorithm>
#include <vector>

#include "ops/contract/kernel_steps.h"
#include "ops/read_order.h"

namespace tputwin::insight {
namespace {

// Returns the address of an element. Local addresses are counted from lane to lane.
uint64_t address_of(const TensorView& v, const Chip& chip, uint32_t n, uint32_t c, uint32_t h,
                    uint32_t w) {
  const uint64_t inner =
      uint64_t{n} * v.stride.n + uint64_t{h} * v.stride.h + uint64_t{w} * v.stride.w;
  if (v.space != Space::local) return v.address + inner + uint64_t{c} * v.stride.c;
  const uint64_t lane = v.address / chip.lane_bytes + c;
  return lane % chip.lanes * chip.lane_bytes + v.address % chip.lane_bytes + inner +
         lane / chip.lanes * v.stride.c;
}

// Returns the addresses of the elements in index order.
std::vector<uint64_t> addresses(const TensorView& v, const Chip& chip) {
  std::vector<uint64_t> all;
  all.reserve(v.shape.count());
  for_each_index(v.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    all.push_back(address_of(v, chip, n, c, h, w));
  });
  return all;
}

// Returns the addresses of `out` in index order of the source, whose n and c may be exchanged. No
// view describes the exchange, because local views keep their channels in lanes.
std::vector<uint64_t> addresses_by_source(const TensorView& out, bool swaps_nc, const Chip& chip) {
  if (!swaps_nc) return addresses(out, chip);
  std::vector<uint64_t> all;
  all.reserve(out.shape.count());
  const Shape source{out.shape.c, out.shape.n, out.shape.h, out.shape.w};
  for_each_index(source, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    all.push_back(address_of(out, chip, c, n, h, w));
  });
  return all;
}

bool reads_back(const TensorView& out, const TensorView& in, bool swaps_nc, const Chip& chip) {
  if (!overlap_in_part(out, in, chip) || out.shape.count() != in.shape.count()) return false;
  const std::vector<uint64_t> to = addresses_by_source(out, swaps_nc, chip);
  const std::vector<uint64_t> from = addresses(in, chip);
  const auto [least, most] = std::ranges::minmax(to);
  const uint32_t bytes = element_bytes(out.dtype);
  const uint64_t end = most + bytes;
  std::vector<bool> written(end - least);
  for (size_t i = 0; i < to.size(); ++i) {
    for (uint64_t at = std::max(from[i], least); at < std::min(from[i] + bytes, end); ++at)
      if (written[at - least]) return true;
    // An element that is copied onto itself changes nothing.
    if (to[i] != from[i]) std::fill_n(written.begin() + (to[i] - least), bytes, true);
  }
  return false;
}

}  // namespace

bool reads_own_writes(const Operation& op, const Chip& chip) {
  if (read_order(op) != ReadOrder::in_order) return false;
  if (const auto* copy = std::get_if<Copy>(&op))
    return !copy->src.is_constant && reads_back(copy->dst, copy->src.view, false, chip);
  if (const auto* moved = std::get_if<Rearrange>(&op))
    return moved->kind != Rearrange::Kind::repeat_channel &&
           reads_back(moved->out, moved->in, moved->kind == Rearrange::Kind::swap_nc, chip);
  return false;
}

}  // namespace tputwin::insight
