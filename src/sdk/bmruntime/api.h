// The border of the C API: books errors under the name of the call, and turns them into codes.
#pragma once

#include <bmkernel/bm_kernel.h>
#include <fmt/format.h>

#include <string_view>

#include "base/error.h"
#include "base/last_error.h"

namespace tputwin::rt {

// The code of an error that came out of a runtime call.
bmerr_t code_of(const Error& error);

// Books an error of `call` unless the machine below has booked it already.
bmerr_t fail(std::string_view call, Error error, uint64_t errors_before);

// Runs the body of a call that returns a code. Body: Status().
template <class Body>
bmerr_t with_code(std::string_view call, Body body) {
  uint64_t before = thread_diagnostics().error_count();
  Status status = body();
  return status.ok() ? BM_SUCCESS : fail(call, std::move(status.error()), before);
}

// Runs the body of a call that returns a value, `fallback` on error. Body: Result<T>().
template <class T, class Body>
T with_value(std::string_view call, T fallback, Body body) {
  uint64_t before = thread_diagnostics().error_count();
  Result<T> result = body();
  if (result.ok()) return std::move(result.value());
  fail(call, result.error(), before);
  return fallback;
}

// For documented functions that the BM1880 does not have.
bmerr_t not_supported(std::string_view call);

// A null pointer for `argument`, as a Status.
Status check_pointer(const void* pointer, std::string_view argument);

}  // namespace tputwin::rt
