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

bool is_split(const TensorView& view, uint64_t beat) {
  const auto off = [&](uint32_t extent, uint32_t stride) {
    return extent > 1 && stride % beat != 0;
  };
  return view.address % beat != 0 || off(view.shape.n, view.stride.n) ||
         off(view.shape.c, view.stride.c) || off(view.shape.h, view.stride.h);
}

void add_transfer(Work& work, const OperandList& operands, const Chip& chip) {
  const TensorView *global = nullptr, *other = nullptr;
  for (const Operand& operand : operands) {
    const TensorView& view = *operand.view;
    if (view.space != Space::global) {
      other = &view;
    } else if (global == nullptr) {
      global = &view;
      work.kind = operand.access == Access::read ? Work::Kind::load : Work::Kind::store;
    }
  }
  if (global == nullptr || global->shape.count() == 0) return;
  const uint64_t bytes = global->shape.count() * element_bytes(global->dtype);
  const uint64_t run = std::max<uint64_t>(run_of(*global), 1);
  work.runs = ceil_div(bytes, run);
  const uint64_t chunk = other != nullptr ? std::clamp<uint64_t>(run_of(*other), 1, run) : run;
  if (is_split(*global, static_cast<uint64_t>(chip.dma_bytes_per_cycle)))
    work.split_runs = ceil_div(bytes, chunk);
}

void add_steps(Work& work, Arithmetic arithmetic, const OperandList& operands, const Cost& cost,
               const Chip& chip) {
  const TensorView& out = *operands[0].view;
  const uint32_t bytes = element_bytes(out.dtype);
  if (work.kind == Work::Kind::product) {
    const uint64_t columns = ceil_div(uint64_t{out.shape.w} * bytes, chip.eu_bytes);
    work.steps = cost.compute_cycles / std::max<uint64_t>(columns, 1);
    return;
  }
  if (!timing_of(chip).empties_after_taps) {
    // a unit of a convolution has one position, whatever the type
    constexpr uint32_t kUnitBytes = 4;
    work.steps =
        lane_passes(out.shape, chip, arithmetic == Arithmetic::convolution ? kUnitBytes : bytes);
    return;
  }
  const uint64_t channels =
      arithmetic == Arithmetic::convolution && operands.size() > 1 ? operands[1].view->shape.c : 1;
  const uint64_t sums = std::max<uint64_t>(out.shape.count() * channels, 1);
  work.steps = lane_passes(out.shape, chip, bytes) * std::max<uint64_t>(cost.macs / sums, 1);
}

void add_filling(Work& work, const OperandList& operands, const Chip& chip) {
  const TensorView& out = *operands[0].view;
  const Shape& s = out.shape;
  if (out.space != Space::local || s.count() == 0) return;
  work.lanes_filled = double(s.c) / (ceil_div(uint64_t{s.c}, chip.lanes) * chip.lanes);
  if (work.is_transfer()) return;
  const uint64_t row = uint64_t{s.h} * s.w * element_bytes(out.dtype);
  work.units_filled =
      double(row) / (ceil_div(row, uint64_t{chip.eu_bytes}) * uint64_t{chip.eu_bytes});
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
  if (engine == Engine::dma) {
    add_transfer(work, operands, chip);
  } else if (work.kind != Work::Kind::elements) {
    add_steps(work, arithmetic, operands, cost, chip);
  } else {
    work.accesses = 0;
    for (const Operand& operand : operands)
      work.accesses += operand.access == Access::read_write ? 2 : 1;
  }
  add_filling(work, operands, chip);
  return work;
}

Price price_of(const Work& work, const Chip& chip, const ChipTiming& timing) {
  const auto cycles = [&](double seconds) {
    return static_cast<uint64_t>(std::llround(seconds * chip.clock_hz));
  };
  if (!work.is_transfer()) {
    Price price{
        .units = work.cycles, .conflicts = work.conflicts, .setup = chip.compute_setup_cycles};
    if (work.kind == Work::Kind::sums) price.latency = work.steps * timing.tap_cycles;
    if (work.kind == Work::Kind::product) price.latency = work.steps * timing.factor_cycles;
    if (work.kind == Work::Kind::elements) price.latency = work.cycles * (work.accesses - 1);
    return price;
  }
  Price price{.units = work.cycles, .setup = cycles(timing.transfer_seconds)};
  if (work.kind == Work::Kind::on_chip) return price;
  const double beat =
      chip.dma_bytes_per_cycle / (work.kind == Work::Kind::load ? timing.load_bytes_per_second
                                                                : timing.store_bytes_per_second);
  price.units = cycles(double(work.cycles) * beat);
  price.latency = cycles(double(work.runs) * timing.run_seconds +
                         double(work.split_runs) * timing.split_beats * beat);
  return price;
}

}  // namespace tputwin::insight
