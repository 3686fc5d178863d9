// The boundary of the C API: handles, errors and codes.
#pragma once

#include <bmlib_runtime.h>
#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/last_error.h"
#include "sdk/bmlib/card.h"

namespace tputwin::bmlib {

// The object of a bm_handle_t.
struct Handle {
  std::shared_ptr<Card> card;
  // Time limit of its launches.
  const std::shared_ptr<TimeLimit> limit = std::make_shared<TimeLimit>(0);
  std::mutex mutex;
  // Asynchronous launches that were not waited for.
  std::vector<std::shared_ptr<Launch>> unfinished;
};

Result<bm_handle_t> open_handle(int device);
bm_handle_t open_handle(std::shared_ptr<Card> card);
Status close_handle(bm_handle_t handle);
Result<std::shared_ptr<Handle>> find_handle(bm_handle_t handle);
Result<std::shared_ptr<Card>> find_card(bm_handle_t handle);

// Waits for launches through a handle (only those of one thread if `caller` is given) and records
// their errors with the calling thread. Returns the first failure.
Status sync(Handle& handle, const std::thread::id* caller = nullptr);
// Records the errors and warnings of a finished launch with the calling thread.
Status collect(Launch& launch);

// Returns a launch of a kernel with a copy of its arguments.
Result<std::shared_ptr<Launch>> make_launch(std::string name, okk::KernelFunction function,
                                            const void* args, size_t size);
Status launch_sync(bm_handle_t handle, Result<std::shared_ptr<Launch>> launch);
Status launch_async(bm_handle_t handle, Result<std::shared_ptr<Launch>> launch);

// Returns the code of a failed call.
bm_status_t code_of(const Error& error);
// Records the error of `call`, unless that has been done, and returns its code.
bm_status_t fail(std::string_view call, Error error, uint64_t errors_before);
// Returns an error inside a kernel: there a function of the host would wait for its own kernel.
Status outside_kernel();

Status check_pointer(const void* pointer, std::string_view argument);

// Calls function, which returns a Status, and returns the code of the call.
template <class Function>
bm_status_t with_code(std::string_view call, Function function) {
  const uint64_t before = thread_diagnostics().error_count();
  Status status = outside_kernel();
  if (status.ok()) status = function();
  return status.ok() ? BM_SUCCESS : fail(call, std::move(status.error()), before);
}

// As above with a function that receives the name of the call.
template <class... Parameters, class... Arguments>
bm_status_t run(std::string_view call, Status (*function)(std::string_view, Parameters...),
                Arguments&&... arguments) {
  return with_code(call, [&] { return function(call, std::forward<Arguments>(arguments)...); });
}

// Calls function, which returns a Result<T>, and returns its value; `fallback` on error.
template <class T, class Function>
T with_value(std::string_view call, T fallback, Function function) {
  with_code(call, [&]() -> Status {
    Result<T> result = function();
    if (!result.ok()) return result.error();
    fallback = std::move(result.value());
    return {};
  });
  return fallback;
}

}  // namespace tputwin::bmlib
