// Names of an API's program text for constructs that all APIs have.
#pragma once

#include <span>
#include <string_view>

#include "chip/chip.h"

namespace tputwin::lift {

// A macro that shortens the texts of arguments.
struct Macro {
  std::string_view name, definition;
};

struct Dialect {
  std::string_view header;  // "tpu_kernel.h"
  // "tpu", as in initialize, poll, parallel_start and parallel_end.
  std::string_view prefix;
  std::string_view registration;  // the macro that registers a kernel
  std::string_view launch;        // the host's function
  std::span<const Macro> macros;  // a macro that uses another follows it
  // True: scalar_t and variable_t; false: unions of every width.
  bool has_scalars;
};

const Dialect& dialect_of(const Chip& chip);

}  // namespace tputwin::lift
