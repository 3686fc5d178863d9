// How the programs of an API spell what all of them have.
#pragma once

#include <span>
#include <string_view>

#include "chip/chip.h"

namespace tputwin::lift {

// A macro of argument texts, which keeps them short.
struct Macro {
  std::string_view name, definition;
};

struct Dialect {
  std::string_view header;        // "tpu_kernel.h"
  std::string_view prefix;        // "tpu", of initialize, poll, parallel_start and parallel_end
  std::string_view registration;  // the macro that makes a kernel known
  std::string_view launch;        // the host's function
  std::span<const Macro> macros;  // some use others, which come behind them
  bool has_scalars;               // scalar_t and variable_t, and not unions of every width
};

const Dialect& dialect_of(const Chip& chip);

}  // namespace tputwin::lift
