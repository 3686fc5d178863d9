// Work: what a command asks of its engine, in numbers that any rates can be applied to.
#pragma once

#include <string_view>

#include "chip/timing.h"
#include "ops/contract/contract.h"

namespace tputwin::insight {

struct Work {
  enum class Kind : uint8_t {
    sums,      // of products or of elements over a window
    product,   // of matrices
    elements,  // element by element, and what else the tensor engine does
    load,      // from global memory
    store,     // into global memory
    on_chip    // transfers that do not touch it
  };
  Kind kind = Kind::elements;
  uint64_t cycles = 0;      // of the units at full rate; of transfers: beats of the bus
  uint64_t steps = 0;       // pass and tap of sums, row and factor of products
  uint64_t accesses = 1;    // of elements: operands that are read or written, one after the other
  uint64_t conflicts = 0;   // cycles of operands that share a bank
  uint64_t runs = 0;        // in global memory
  uint64_t split_runs = 0;  // that do not begin at a beat of the bus, lane by lane
  // Lanes and execution units that the full-rate cycles fill, of all there are.
  double lanes_filled = 1, units_filled = 1;

  bool is_transfer() const { return kind >= Kind::load; }
};
std::string_view to_string(Work::Kind kind);

// `operation`: its name, or that of its call.
Work work_of(std::string_view operation, Engine engine, const OperandList& operands,
             const Cost& cost, const Chip& chip);

// What a command costs, in cycles of the chip, by what they are spent on.
struct Price {
  uint64_t units = 0;  // of compute commands at full rate; of transfers the bytes
  uint64_t latency =
      0;  // taps, factors, further accesses; of transfers runs that are short or split
  uint64_t conflicts = 0;  // banks
  uint64_t setup = 0;      // of the command
  uint64_t cycles() const { return units + latency + conflicts + setup; }
};
Price price_of(const Work& work, const Chip& chip, const ChipTiming& timing);

}  // namespace tputwin::insight
