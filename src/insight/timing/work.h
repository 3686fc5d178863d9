// Work: the load that a command puts on its engine, independent of the chip's rates.
#pragma once

#include <string_view>

#include "chip/timing.h"
#include "ops/contract/arithmetic.h"
#include "ops/contract/contract.h"

namespace tputwin::insight {

struct Work {
  enum class Kind : uint8_t {
    sums,      // sums of products, or over a window
    product,   // matrix products
    elements,  // all other work of the tensor engine
    load,      // from global memory
    store,     // to global memory
    on_chip    // transfers without global memory
  };
  Kind kind = Kind::elements;
  // Cycles of the units at full rate; for transfers: beats of the bus.
  uint64_t cycles = 0;
  // How often sums empty the pipeline (passes and taps, or passes); rows and factors of products.
  uint64_t steps = 0;
  // For elements: operands that are accessed in sequence.
  uint64_t accesses = 1;
  // Extra cycles of operands that share a bank.
  uint64_t conflicts = 0;
  uint64_t runs = 0;  // in global memory
  // Runs not aligned to a beat of the bus, counted lane by lane.
  uint64_t split_runs = 0;
  // Fractions of all lanes and execution units that the full-rate cycles use.
  double lanes_filled = 1, units_filled = 1;

  bool is_transfer() const { return kind >= Kind::load; }
};
std::string_view to_string(Work::Kind kind);

Work work_of(Arithmetic arithmetic, Engine engine, const OperandList& operands, const Cost& cost,
             const Chip& chip);

// The cycles of a command, by their use.
struct Price {
  // Compute commands at full rate; for transfers: bytes.
  uint64_t units = 0;
  // Taps, factors, further accesses; for transfers: short or split runs.
  uint64_t latency = 0;
  uint64_t conflicts = 0;  // of banks
  uint64_t setup = 0;      // of the command
  uint64_t cycles() const { return units + latency + conflicts + setup; }
};
Price price_of(const Work& work, const Chip& chip, const ChipTiming& timing);

}  // namespace tputwin::insight
