// A thread's own errors and warnings, as C functions.
#include "base/last_error.h"

#include <tputwin/error.h>

#include "base/log.h"

namespace tputwin {

Diagnostics& thread_diagnostics() {
  static thread_local Diagnostics diagnostics;
  return diagnostics;
}

Status report(Diagnostics& owner, Error error) {
  Diagnostics& mine = thread_diagnostics();
  mine.set_strict(owner.strict());
  Status status = mine.report(error);
  log(error, status.ok() ? Level::warning : Level::error);
  if (&owner != &mine) status = owner.report(std::move(error));
  return status;
}

Status report(Error error) {
  Diagnostics& mine = thread_diagnostics();
  mine.set_strict(Diagnostics::strict_by_default());
  return report(mine, std::move(error));
}

Error in_call(Error error, std::string_view call) {
  const std::string about = error.call();
  if (about.empty()) return std::move(error).in(call);
  if (about.starts_with(call)) return error;
  return std::move(error).in(std::string(call) + ": " + about);
}

Status book_again(Error error) {
  Diagnostics& mine = thread_diagnostics();
  mine.set_strict(Diagnostics::strict_by_default());
  return mine.report(std::move(error));
}

namespace {

const char* keep(std::string text) {
  static thread_local std::string kept;
  kept = std::move(text);
  return kept.c_str();
}

}  // namespace
}  // namespace tputwin

extern "C" {

const char* tputwin_last_error(void) {
  auto error = tputwin::thread_diagnostics().last_error();
  return tputwin::keep(error ? error->message() : "");
}

const char* tputwin_last_error_code(void) {
  auto error = tputwin::thread_diagnostics().last_error();
  return tputwin::keep(error ? std::string(error->code()) : "");
}

uint64_t tputwin_error_count(void) { return tputwin::thread_diagnostics().error_count(); }

uint64_t tputwin_warning_count(void) {
  uint64_t count = 0;
  for (const auto& warning : tputwin::thread_diagnostics().warnings()) count += warning.count;
  return count;
}

const char* tputwin_warning(size_t index, uint64_t* count) {
  auto warnings = tputwin::thread_diagnostics().warnings();
  if (index >= warnings.size()) return nullptr;
  if (count != nullptr) *count = warnings[index].count;
  return tputwin::keep(warnings[index].sample.message());
}

void tputwin_clear_errors(void) { tputwin::thread_diagnostics().clear(); }

}  // extern "C"
