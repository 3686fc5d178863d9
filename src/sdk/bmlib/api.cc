// Handles by number, and conversion of a failed call to a code and a line.
#include "sdk/bmlib/api.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/errors/bmlib.h"
#include "sdk/common/registry.h"
#include "sdk/okkernel/session.h"

namespace tputwin::bmlib {
namespace {

// Never destroyed: programs may close handles in their own static destructors.
sdk::Registry<bm_handle_t, Handle>& handles() {
  static auto& instance = *new sdk::Registry<bm_handle_t, Handle>(8);
  return instance;
}

}  // namespace

Result<bm_handle_t> open_handle(int device) {
  TW_ASSIGN_OR_RETURN(card, Card::open(device));
  return open_handle(std::move(card));
}

bm_handle_t open_handle(std::shared_ptr<Card> card) {
  auto handle = std::make_shared<Handle>();
  handle->card = std::move(card);
  return handles().add(std::move(handle));
}

Result<std::shared_ptr<Handle>> find_handle(bm_handle_t handle) {
  if (handle == nullptr) return Error(errors::bml_null).argument("handle", "NULL");
  auto found = handles().find(handle);
  if (found != nullptr && found->card->process() == getpid()) return found;
  const bool closed = found == nullptr && handles().issued(handle);
  return Error(closed ? errors::bml_handle_closed : errors::bml_handle_unknown)
      .argument("handle", fmt::format("{}", static_cast<const void*>(handle)));
}

Result<std::shared_ptr<Card>> find_card(bm_handle_t handle) {
  TW_ASSIGN_OR_RETURN(found, find_handle(handle));
  return found->card;
}

Status close_handle(bm_handle_t handle) {
  TW_ASSIGN_OR_RETURN(found, find_handle(handle));
  Status status = sync(*found);
  handles().remove(handle);
  return status;
}

Status collect(Launch& launch) {
  thread_diagnostics().add(launch.outcome.warnings);
  if (!launch.outcome.error) return {};
  const ErrorId id = launch.outcome.error->id();
  // errors of the card; others were reported when they were found
  if (id == errors::bml_timeout || id == errors::bml_device_lost)
    return report(*launch.outcome.error);
  return book_again(*launch.outcome.error);
}

Status sync(Handle& handle, const std::thread::id* caller) {
  std::vector<std::shared_ptr<Launch>> waited;
  {
    std::lock_guard lock(handle.mutex);
    auto kept = std::stable_partition(
        handle.unfinished.begin(), handle.unfinished.end(),
        [&](const auto& launch) { return caller != nullptr && launch->caller != *caller; });
    waited.assign(kept, handle.unfinished.end());
    handle.unfinished.erase(kept, handle.unfinished.end());
  }
  Status first;
  for (const auto& launch : waited) {
    handle.card->wait(launch);
    if (Status status = collect(*launch); !status.ok() && first.ok()) first = std::move(status);
  }
  return first;
}

bm_status_t code_of(const Error& error) {
  switch (error.id()) {
    case errors::bml_device:
    case errors::bml_handle_unknown:
    case errors::bml_handle_closed:
    case errors::bml_device_lost:
      return BM_ERR_DEVNOTREADY;
    case errors::bml_timeout:
      return BM_ERR_TIMEOUT;
    case errors::bml_inside_kernel:
    case errors::bml_chip_api:
      return BM_ERR_FAILURE;
    default:
      break;
  }
  if (!error.code().starts_with("TW-BML")) return BM_ERR_FAILURE;
  switch (error.info().kind) {
    case ErrorKind::contract_violation:
      return BM_ERR_PARAM;
    case ErrorKind::resource:
      return BM_ERR_NOMEM;
    case ErrorKind::unsupported:
      return BM_NOT_SUPPORTED;
    default:
      return BM_ERR_FAILURE;
  }
}

bm_status_t fail(std::string_view call, Error error, uint64_t errors_before) {
  const bm_status_t code = code_of(error);
  if (thread_diagnostics().error_count() == errors_before)
    static_cast<void>(report(in_call(std::move(error), call)));
  return code;
}

Status outside_kernel() {
  if (okk::current_session() == nullptr) return {};
  return Error(errors::bml_inside_kernel);
}

Status check_pointer(const void* pointer, std::string_view argument) {
  if (pointer != nullptr) return {};
  return Error(errors::bml_null).argument(argument, "NULL");
}

}  // namespace tputwin::bmlib
