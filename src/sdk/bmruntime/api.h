// The boundary of the C API: records errors under the name of the call, and converts them to codes.
#pragma once

#include <bmkernel/bm_kernel.h>
#include <fmt/format.h>

#include <string_view>

#include "base/error.h"
#include "base/last_error.h"

namespace tputwin::rt {

// Returns the code of an error of a runtime call.
bmerr_t code_of(const Error& error);

// Records an error of `call` unless the machine has recorded it already.
bmerr_t fail(std::string_view call, Error error, uint64_t errors_before);

// Calls function, which returns a Status, and returns the code of the call.
template <class Function>
bmerr_t with_code(std::string_view call, Function function) {
  uint64_t before = thread_diagnostics().error_count();
  Status status = function();
  return status.ok() ? BM_SUCCESS : fail(call, std::move(status.error()), before);
}

// Calls function, which returns a Result<T>, and returns its value; `fallback` on error.
template <class T, class Function>
T with_value(std::string_view call, T fallback, Function function) {
  uint64_t before = thread_diagnostics().error_count();
  Result<T> result = function();
  if (result.ok()) return std::move(result.value());
  fail(call, result.error(), before);
  return fallback;
}

// For documented functions that the BM1880 does not have.
bmerr_t not_supported(std::string_view call);

// Returns an error if the pointer for `argument` is null.
Status check_pointer(const void* pointer, std::string_view argument);

}  // namespace tputwin::rt
