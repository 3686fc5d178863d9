// Diagnostics: keeps errors, counts warnings, and turns warnings into errors in strict mode.
#include "base/diagnostics.h"

#include "base/variables.h"

namespace tputwin {

bool Diagnostics::strict_by_default() {
  // "forms" concerns only commands of models (isa/streams/unconfirmed.h).
  return is_on(EnvVariable::strict) && value_of(EnvVariable::strict) != "forms";
}

Status Diagnostics::report(Error error) {
  std::lock_guard lock(mutex_);
  if (error.info().level == Level::warning && !strict_) {
    auto key = std::make_pair(error.id(), error.call());
    auto [it, inserted] = warnings_.try_emplace(std::move(key), WarningCount{std::move(error), 0});
    ++it->second.count;
    return {};
  }
  if (!first_) first_ = error;
  last_ = error;
  ++errors_;
  return error;
}

void Diagnostics::add(const std::vector<WarningCount>& warnings) {
  std::lock_guard lock(mutex_);
  for (const auto& [sample, count] : warnings) {
    auto key = std::make_pair(sample.id(), sample.call());
    warnings_.try_emplace(std::move(key), WarningCount{sample, 0}).first->second.count += count;
  }
}

std::optional<Error> Diagnostics::first_error() const {
  std::lock_guard lock(mutex_);
  return first_;
}

std::optional<Error> Diagnostics::last_error() const {
  std::lock_guard lock(mutex_);
  return last_;
}

uint64_t Diagnostics::error_count() const {
  std::lock_guard lock(mutex_);
  return errors_;
}

std::vector<WarningCount> Diagnostics::warnings() const {
  std::lock_guard lock(mutex_);
  std::vector<WarningCount> list;
  for (const auto& [key, warning] : warnings_) list.push_back(warning);
  return list;
}

void Diagnostics::clear() {
  std::lock_guard lock(mutex_);
  first_.reset();
  last_.reset();
  errors_ = 0;
  warnings_.clear();
}

}  // namespace tputwin
