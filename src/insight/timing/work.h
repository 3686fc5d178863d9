// Work: the load that a command puts on its engine, independent of the rates of the clock and the
// bus.
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
  // Cycles in which the units wait: for the pipeline of sums, lanes of products, further operands.
  uint64_t latency = 0;
  // Extra cycles of operands that share a bank.
  uint64_t conflicts = 0;
  // Runs in global memory that open a page.
  uint64_t runs = 0;
  // Extra beats of runs that do not begin at a beat of the bus.
  uint64_t split_beats = 0;
  // Fractions of all lanes and execution units that the full-rate cycles use.
  double lanes_filled = 1, units_filled = 1;
  // Execution units of a lane, for elements of its type; transfers have none.
  uint32_t units = 0;

  bool is_transfer() const { return kind >= Kind::load; }
};
std::string_view to_string(Work::Kind kind);

Work work_of(Arithmetic arithmetic, Engine engine, const OperandList& operands, const Cost& cost,
             const Chip& chip);

// The cycles of a command, by their use.
struct Price {
  // Compute commands at full rate; for transfers: bytes.
  uint64_t units = 0;
  // Work::latency; for transfers: short or split runs.
  uint64_t latency = 0;
  uint64_t conflicts = 0;  // of banks
  uint64_t setup = 0;      // of the command
  uint64_t cycles() const { return units + latency + conflicts + setup; }
};
Price price_of(const Work& work, const Chip& chip, const ChipTiming& timing);

}  // namespace tputwin::insight
