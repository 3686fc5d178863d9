// Memory that a launch reads first, and memory that it writes.
#include "sdk/record/launch.h"

#include <algorithm>
#include <cstring>

namespace tputwin::record {
namespace {

// Operands closer to each other than this become one tensor, if one allocation holds them.
constexpr uint64_t kNear = 4096;

Bytes extent_of(const TensorView& view, const Chip& chip) {
  std::vector<ByteRange> ranges;
  add_ranges(view, chip, ranges);
  Bytes all;
  for (const ByteRange& range : ranges) all = hull(all, {range.begin, range.end});
  return all;
}

}  // namespace

// An operation outside memory fails and makes the launch fail.
void Launch::before(const Operation& op) {
  if (!check_bounds(op, device_.chip(), device_.memories().global_bytes()).ok()) return;
  const Footprint touched = footprint(op, device_.chip());
  const uint8_t* memory = device_.memories().read_global().data();
  for (const ByteRange& range : touched.reads) {
    if (range.space != Space::global) continue;
    for (const Bytes& unwritten : written_.outside({range.begin, range.end}))
      for (const Bytes& fresh : read_.outside(unwritten)) {
        first_.push_back({fresh, {memory + fresh.begin, memory + fresh.end}});
        read_.add(fresh);
      }
  }
  for (const ByteRange& range : touched.writes)
    if (range.space == Space::global) written_.add({range.begin, range.end});
  for (const tputwin::Operand& operand : operands(op)) {
    const TensorView& view = *operand.view;
    if (view.space != Space::global) continue;
    const Bytes extent = extent_of(view, device_.chip());
    const bool dense = extent.size() == view.shape.count() * element_bytes(view.dtype);
    operands_.push_back({extent, operand.access != Access::read, view.dtype, view.shape, dense});
  }
}

// Returns the extents of operands. Overlapping ones are merged, and adjacent ones in one
// allocation.
std::vector<Bytes> Launch::joined(const ByteSet& starts) const {
  std::vector<Bytes> extents;
  for (const Operand& operand : operands_) extents.push_back(operand.extent);
  std::ranges::sort(extents, {}, &Bytes::begin);
  std::vector<Bytes> joined;
  for (const Bytes& extent : extents) {
    if (!joined.empty()) {
      Bytes& last = joined.back();
      const bool is_near =
          extent.begin < last.end + kNear && starts.inside({last.end, extent.begin + 1}).empty();
      if (extent.begin < last.end || is_near) {
        last = hull(last, extent);
        continue;
      }
    }
    joined.push_back(extent);
  }
  return joined;
}

// Returns the current bytes of memory, with those that were copied before.
Contents Launch::copy(Bytes range, const std::vector<Contents>& known) const {
  const uint8_t* memory = device_.memories().read_global().data();
  Contents contents{range, {memory + range.begin, memory + range.end}};
  for (const Contents& piece : known) {
    const Bytes both{std::max(piece.place.begin, range.begin),
                     std::min(piece.place.end, range.end)};
    if (!both.empty())
      std::memcpy(contents.bytes.data() + (both.begin - range.begin),
                  piece.bytes.data() + (both.begin - piece.place.begin), both.size());
  }
  return contents;
}

std::vector<Block> Launch::blocks(const ByteSet& starts) const {
  std::vector<Block> blocks;
  for (const Bytes& extent : joined(starts)) {
    Block block{.touched = extent};
    Bytes read, written;
    for (const Bytes& piece : read_.inside(extent)) read = hull(read, piece);
    for (const Bytes& piece : written_.inside(extent)) written = hull(written, piece);
    // Bytes between written bytes keep their values, so that they must be read.
    for (const Bytes& gap : written_.outside(written)) read = hull(read, gap);
    if (!read.empty()) block.read = copy(read, first_);
    if (!written.empty()) block.written = copy(written, {});
    bool first = true;
    for (const Operand& operand : operands_) {
      if (operand.extent.begin < extent.begin || operand.extent.end > extent.end) continue;
      block.dtype = first || block.dtype == operand.dtype ? operand.dtype : DType::b32;
      first = false;
      auto is_all = [&](Bytes range) {
        return operand.is_dense && operand.extent.begin == range.begin &&
               operand.extent.end == range.end;
      };
      if (is_all(read) && !operand.is_written) block.read_shape = operand.shape;
      if (is_all(written) && operand.is_written) block.written_shape = operand.shape;
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace tputwin::record
