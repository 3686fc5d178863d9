// Follows transfers element by element, and other operations by numbers of the results that
// overwrite sources.
#include "insight/overlaps.h"

#include <algorithm>
#include <tuple>

#include "ops/contract/kernel_steps.h"
#include "ops/dependence/dependence.h"
#include "ops/read_order.h"

namespace tputwin::insight {
namespace {

constexpr size_t kBatch = 255, kMostBatches = 32;  // a mark is a byte, and 0 none

std::vector<MarkedBytes> sorted(std::vector<MarkedBytes> bytes) {
  std::ranges::sort(bytes, {}, [](const MarkedBytes& marked) {
    const ByteRange& r = marked.bytes;
    return std::tuple(r.space, r.lane, r.begin);
  });
  return bytes;
}

// The results of an operation that overwrite sources, in batches that have one mark for each.
class Overwriting {
 public:
  Overwriting(const OperandList& list, const Chip& chip) : out_(*list[0].view) {
    std::vector<ByteRange> sources;
    for (const Operand& operand : list)
      if (operand.access == Access::read) add_ranges(*operand.view, chip, sources);
    sort_and_merge(sources);
    std::vector<MarkedBytes> marked;
    for (const ByteRange& range : sources) marked.push_back({range, Mark{1}});
    const ElementMarks shared = load_marks(out_, chip, MarkedMemory(chip, marked));
    for_each_index(out_.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      if (shared.at(n, c, h, w) != 0) elements_.push_back({n, c, h, w});
    });
  }
  size_t batches() const { return (elements_.size() + kBatch - 1) / kBatch; }
  // Returns one mark for each element of a batch, in ascending or descending order.
  ElementMarks numbers(size_t batch, bool is_ascending) const {
    ElementMarks marks(out_.shape);
    const size_t first = batch * kBatch, count = std::min(kBatch, elements_.size() - first);
    for (size_t i = 0; i < count; ++i) {
      const Shape& at = elements_[first + i];
      marks.raise(at.n, at.c, at.h, at.w, static_cast<Mark>(is_ascending ? i + 1 : count - i));
    }
    return marks;
  }

 private:
  const TensorView& out_;
  std::vector<Shape> elements_;
};

// ---- transfers ----

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

std::optional<std::vector<ByteRange>> order_dependent(const Operation& op, const Chip& chip,
                                                      const Memory& memory, MarkScratch& scratch) {
  const OperandList list = operands(op);
  const auto writes = [](const Operand& operand) { return operand.access != Access::read; };
  if (std::ranges::count_if(list, writes) != 1 || !writes(list[0])) return std::nullopt;
  const TensorView& out = *list[0].view;
  const Overwriting overwriting(list, chip);
  if (overwriting.batches() > kMostBatches) return std::nullopt;
  ElementMarks dependent(out.shape);
  // The largest of several marks stays. A result that depends on its own bytes alone keeps its
  // own mark in both orders.
  for (size_t batch = 0; batch < overwriting.batches(); ++batch)
    for (const bool is_ascending : {true, false}) {
      const ElementMarks own = overwriting.numbers(batch, is_ascending);
      std::vector<MarkedBytes> sources;
      store_marks(out, chip, own, sources);
      sources = sorted(std::move(sources));
      MarkFlow flow(chip, memory, scratch, sources);
      pass_by_index(op, flow);
      const ElementMarks passed =
          load_marks(out, chip, MarkedMemory(chip, sorted(flow.take_results())));
      for_each_index(out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
        const Mark mark = passed.at(n, c, h, w);
        if (mark != 0 && mark != own.at(n, c, h, w)) dependent.raise(n, c, h, w, 1);
      });
    }
  std::vector<MarkedBytes> bytes;
  store_marks(out, chip, dependent, bytes);
  std::vector<ByteRange> ranges;
  for (const MarkedBytes& marked : bytes) ranges.push_back(marked.bytes);
  sort_and_merge(ranges);
  return ranges;
}

}  // namespace tputwin::insight
