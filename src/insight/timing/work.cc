// Converts operands and costs of operations to work (docs/timing.md), and work to cycles.
#include "insight/timing/work.h"

#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "chip/timing.h"
#include "ops/contract/runs.h"
#include "ops/contract/timing.h"

namespace tputwin::insight {
namespace {

Work::Kind kind_of(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::convolution:
    case Arithmetic::window:
      return Work::Kind::sums;
    case Arithmetic::product:
      return Work::Kind::product;
    case Arithmetic::elements:
      break;
  }
  return Work::Kind::elements;
}

uint64_t beat_of(const Chip& chip) { return static_cast<uint64_t>(chip.dma_bytes_per_cycle); }

bool is_split(const TensorView& view, uint64_t beat) {
  const auto off = [&](uint32_t extent, uint32_t stride) {
    return extent > 1 && stride % beat != 0;
  };
  return view.address % beat != 0 || off(view.shape.n, view.stride.n) ||
         off(view.shape.c, view.stride.c) || off(view.shape.h, view.stride.h);
}

// Returns the extra beats of the runs in lanes, or of those in global memory.
uint64_t split_beats(const TensorView& global, const TensorView* other, uint64_t bytes,
                     const Chip& chip) {
  const ChipTiming& timing = timing_of(chip);
  const uint64_t beat = beat_of(chip);
  const Runs runs = runs_of(global);
  const uint64_t run =
      other != nullptr ? std::clamp<uint64_t>(run_of(*other), 1, runs.bytes) : runs.bytes;
  const bool is_off = is_split(global, beat) || (run < runs.bytes && run % beat != 0);
  const bool is_joined = runs.bytes == bytes && run >= timing.joined_beats * beat;
  if (!is_off || is_joined) return 0;
  return ceil_div(bytes, run) * std::min<uint64_t>(timing.split_beats, ceil_div(run, beat));
}

// Adds the runs of one side in global memory, and their extra beats.
void add_runs(Work& work, const TensorView& global, const TensorView* other, const Chip& chip) {
  const uint64_t bytes = global.shape.count() * element_bytes(global.dtype);
  if (bytes == 0) return;
  const Runs runs = runs_of(global);
  const uint64_t page = timing_of(chip).page_bytes;
  const uint64_t count = ceil_div(bytes, std::max<uint64_t>(runs.bytes, 1));
  work.runs += ceil_div(count * std::min(runs.distance == 0 ? page : runs.distance, page), page);
  work.split_beats += split_beats(global, other, bytes, chip);
}

// Copies inside global memory cross its bus twice, and have runs on both sides.
void add_transfer(Work& work, const OperandList& operands, const Chip& chip) {
  const TensorView* local = nullptr;
  bool is_loaded = false, is_stored = false;
  for (const Operand& operand : operands)
    if (operand.view->space != Space::global)
      local = operand.view;
    else
      (operand.access == Access::read ? is_loaded : is_stored) = true;
  for (const Operand& operand : operands)
    if (operand.view->space == Space::global) add_runs(work, *operand.view, local, chip);
  if (!is_loaded && !is_stored) return;
  work.kind = is_stored ? Work::Kind::store : Work::Kind::load;
  if (is_loaded && is_stored) work.cycles *= 2;
}

// Returns the bytes of an element's unit. A unit of a convolution of the BM1684X has one position
// of the output, whatever its type.
uint32_t unit_bytes(Arithmetic arithmetic, DType dtype, const Chip& chip) {
  constexpr uint32_t kPosition = 4;
  const bool by_position =
      arithmetic == Arithmetic::convolution && chip.family == ChipFamily::bm1684x;
  return by_position ? kPosition : element_bytes(dtype);
}

// Returns the elements from one position of a window to the next, by the widths of its tensors.
uint64_t stride_of(const TensorView& out, const TensorView& in) {
  if (out.shape.w < 2) return 1;
  return std::max<uint64_t>((2 * uint64_t{in.shape.w} + out.shape.w - 1) / (2 * out.shape.w), 1);
}

uint64_t sum_latency(Arithmetic arithmetic, const OperandList& operands, const Cost& cost,
                     const Chip& chip) {
  const ChipTiming& timing = timing_of(chip);
  const TensorView& out = *operands[0].view;
  const TensorView& in = *operands[operands.size() > 1 ? 1 : 0].view;
  const bool is_convolution = arithmetic == Arithmetic::convolution;
  const uint64_t channels = is_convolution ? in.shape.c : 1;
  const uint64_t sums = std::max<uint64_t>(out.shape.count() * channels, 1);
  const uint64_t taps =
      element_bytes(in.dtype) == 4 ? std::max<uint64_t>(cost.macs / sums, 1) : uint64_t{1};
  const uint64_t passes = lane_passes(out.shape, chip, unit_bytes(arithmetic, out.dtype, chip));
  const uint64_t old =
      operands[0].access == Access::read_write && is_convolution ? timing.old_result_cycles : 0;
  const uint64_t stalls = is_convolution && element_bytes(in.dtype) == 4
                              ? cost.compute_cycles * timing.stalled_percent / 100
                              : 0;
  return stalls +
         passes * (taps * (timing.tap_cycles + timing.stride_cycles * stride_of(out, in)) + old);
}

// Matrices with a row in each lane have all factors of a row in one lane.
bool has_rows_in_lanes(const TensorView& out, const TensorView& left, const Cost& cost,
                       const Chip& chip) {
  return timing_of(chip).has_row_products && out.shape.n == 1 && left.shape.n == 1 &&
         out.shape.c == left.shape.c && cost.macs == out.shape.count() * uint64_t{left.shape.w};
}

uint64_t product_latency(const OperandList& operands, const Cost& cost, const Chip& chip) {
  const ChipTiming& timing = timing_of(chip);
  const TensorView& out = *operands[0].view;
  const TensorView& left = *operands[operands.size() > 1 ? 1 : 0].view;
  const uint64_t columns = std::max<uint64_t>(
      ceil_div(uint64_t{out.shape.w} * element_bytes(out.dtype), uint64_t{chip.eu_bytes}), 1);
  const uint64_t factors = cost.compute_cycles / columns;
  if (has_rows_in_lanes(out, left, cost, chip)) return factors * timing.factor_cycles;
  const uint64_t rows = out.shape.n * ceil_div(uint64_t{out.shape.c}, uint64_t{chip.lanes});
  return factors * (columns - 1) * timing.factor_cycles +
         rows * left.shape.c * timing.left_lane_cycles;
}

// Operands are accessed one after the other. The second step of an operation, if it has more than
// one, accesses them again; further steps have their numbers in the units.
uint64_t access_latency(const OperandList& operands, const Cost& cost, const Chip& chip) {
  constexpr uint64_t kMostSteps = 2;
  uint64_t accesses = 0, widest = 1;
  for (const Operand& operand : operands) {
    const TensorView& view = *operand.view;
    const uint64_t passes = lane_passes(view.shape, chip, element_bytes(view.dtype));
    accesses += passes * (operand.access == Access::read_write ? 2 : 1);
    widest = std::max(widest, passes);
  }
  const uint64_t steps = std::clamp<uint64_t>(cost.compute_cycles / widest, 1, kMostSteps);
  const uint64_t hidden = std::min(cost.compute_cycles, steps * widest);
  return std::max(steps * accesses, hidden) - hidden;
}

uint64_t latency_of(Arithmetic arithmetic, const OperandList& operands, const Cost& cost,
                    const Chip& chip) {
  switch (kind_of(arithmetic)) {
    case Work::Kind::sums:
      return sum_latency(arithmetic, operands, cost, chip);
    case Work::Kind::product:
      return product_latency(operands, cost, chip);
    default:
      return access_latency(operands, cost, chip);
  }
}

void add_filling(Work& work, Arithmetic arithmetic, const OperandList& operands, const Chip& chip) {
  const TensorView& out = *operands[0].view;
  const Shape& s = out.shape;
  if (!work.is_transfer()) work.units = chip.eu_bytes / unit_bytes(arithmetic, out.dtype, chip);
  if (out.space != Space::local || s.count() == 0) return;
  work.lanes_filled = double(s.c) / (ceil_div(uint64_t{s.c}, chip.lanes) * chip.lanes);
  if (work.is_transfer()) return;
  const uint64_t row = uint64_t{s.h} * s.w, units = std::max(work.units, 1u);
  work.units_filled = double(row) / double(ceil_div(row, units) * units);
}

}  // namespace

std::string_view to_string(Work::Kind kind) {
  static constexpr std::string_view kNames[] = {"sums", "product", "elements",
                                                "load", "store",   "on chip"};
  return kNames[static_cast<size_t>(kind)];
}

Work work_of(Arithmetic arithmetic, Engine engine, const OperandList& operands, const Cost& cost,
             const Chip& chip) {
  Work work{.kind = engine == Engine::dma ? Work::Kind::on_chip : kind_of(arithmetic),
            .cycles = cost.compute_cycles,
            .conflicts = cost.conflict_cycles};
  if (operands.size() == 0) return work;
  if (engine == Engine::dma)
    add_transfer(work, operands, chip);
  else
    work.latency = latency_of(arithmetic, operands, cost, chip);
  add_filling(work, arithmetic, operands, chip);
  return work;
}

Price price_of(const Work& work, const Chip& chip, const ChipTiming& timing) {
  const auto cycles = [&](double seconds) {
    return static_cast<uint64_t>(std::llround(seconds * chip.clock_hz));
  };
  if (!work.is_transfer())
    return {.units = work.cycles,
            .latency = work.latency,
            .conflicts = work.conflicts,
            .setup = chip.compute_setup_cycles};
  Price price{.units = work.cycles, .setup = cycles(timing.transfer_seconds)};
  if (work.kind == Work::Kind::on_chip) return price;
  const double beat =
      chip.dma_bytes_per_cycle / (work.kind == Work::Kind::load ? timing.load_bytes_per_second
                                                                : timing.store_bytes_per_second);
  price.units = cycles(double(work.cycles) * beat);
  price.latency = cycles(double(work.runs) * timing.run_seconds + double(work.split_beats) * beat);
  return price;
}

}  // namespace tputwin::insight
