// Conversion of a failed call to one of the vendor's codes and a line.
#include "sdk/bmruntime/api.h"

#include "base/errors/base.h"
#include "base/errors/bmruntime.h"

namespace tputwin::rt {

namespace {

// Returns true if a broken rule concerns the arguments of the call, not the run of a program.
bool about_arguments(const Error& error) {
  return error.code().starts_with("TW-BMR") && error.id() != errors::bmr_launch_failed &&
         error.id() != errors::bmr_cpu_range && error.id() != errors::bmr_cpu_failed;
}

}  // namespace

bmerr_t code_of(const Error& error) {
  switch (error.info().kind) {
    case ErrorKind::contract_violation:
      return about_arguments(error) ? BM_ERR_INVALID_ARGUMENT : BM_ERR_FAILURE;
    case ErrorKind::unsupported:
      return BM_ERR_NOT_SUPPORTED;
    case ErrorKind::malformed:
      return BM_ERR_DATA;
    case ErrorKind::resource:
      return error.id() == errors::sys_file_read ? BM_ERR_FAILURE : BM_ERR_NOMEM;
    case ErrorKind::undefined_value:
      return BM_ERR_UNINITIALIZED;
    case ErrorKind::internal:
      return BM_ERR_FAILURE;
  }
  return BM_ERR_FAILURE;
}

bmerr_t fail(std::string_view call, Error error, uint64_t errors_before) {
  bmerr_t code = code_of(error);
  if (thread_diagnostics().error_count() == errors_before)
    (void)report(in_call(std::move(error), call));
  return code;
}

bmerr_t not_supported(std::string_view call) {
  return with_code(call, []() -> Status { return Error(errors::bmr_not_supported); });
}

Status check_pointer(const void* pointer, std::string_view argument) {
  if (pointer != nullptr) return {};
  return Error(errors::bmr_null).argument(argument, "NULL");
}

}  // namespace tputwin::rt
