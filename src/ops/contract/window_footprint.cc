// The footprint of operations with a window.
#include "ops/contract/range_set.h"
#include "ops/contract/taps.h"

namespace tputwin {
namespace {

struct Run {
  uint32_t first, count;
};

// Returns the runs of touched indices.
std::vector<Run> runs_of(const std::vector<bool>& touched) {
  std::vector<Run> runs;
  for (uint32_t i = 0; i < touched.size(); ++i) {
    if (!touched[i]) continue;
    if (i == 0 || !touched[i - 1]) runs.push_back({i, 0});
    ++runs.back().count;
  }
  return runs;
}

// Replaces runs by one from the first to the last index.
void join(std::vector<Run>& runs) {
  if (runs.empty()) return;
  const Run first = runs.front(), last = runs.back();
  runs = {{first.first, last.first + last.count - first.first}};
}

// The rows and columns of an input that a window touches.
struct Touched {
  std::vector<Run> rows, columns;
};

Touched touched_by(const TensorView& in, const TensorView& out, const Window& window,
                   bool places_results) {
  constexpr size_t kMostPieces = 256;
  uint32_t height = out.shape.h, width = out.shape.w;
  if (const uint32_t whole = window.w.output(in.shape.w); places_results && whole != width) {
    height = place_in_window(window, in.shape, out.shape, height - 1, width - 1).y + 1;
    width = whole;
  }
  Touched touched{runs_of(touched_along(window.h, height, in.shape.h, window.pads)),
                  runs_of(touched_along(window.w, width, in.shape.w, window.pads))};
  if (touched.rows.size() * touched.columns.size() > kMostPieces) join(touched.columns);
  if (touched.rows.size() > kMostPieces) join(touched.rows);
  return touched;
}

void add_touched(const TensorView& in, const Touched& touched, RangeSet& ranges) {
  for (const Run& rows : touched.rows)
    for (const Run& columns : touched.columns) {
      TensorView part = in;
      part.address += uint64_t{rows.first} * in.stride.h + uint64_t{columns.first} * in.stride.w;
      part.shape.h = rows.count;
      part.shape.w = columns.count;
      ranges.add(part);
    }
}

}  // namespace

Footprint footprint_of_window(const OperandList& operands, const TensorView& in,
                              const TensorView& out, const Window& window, bool places_results,
                              const Chip& chip) {
  if (out.shape.count() == 0 || in.shape.count() == 0) return footprint_of(operands, chip);
  OperandList others;
  for (const Operand& operand : operands)
    if (operand.view != &in) others.push_back(operand);
  RangeSet reads(chip), writes(chip);
  add_operands(others, reads, writes);
  add_touched(in, touched_by(in, out, window, places_results), reads);
  return {reads.take(), writes.take()};
}

}  // namespace tputwin
