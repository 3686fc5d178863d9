// One failing program per error id: TW_TRIGGER(symbol, lambda that returns the Status).
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "base/error.h"

namespace tputwin::testing {

struct Trigger {
  ErrorId id;
  std::function<Status()> run;
};

// All triggers linked into this program.
inline std::vector<Trigger>& triggers() {
  static std::vector<Trigger> all;
  return all;
}

struct TriggerRegistration {
  TriggerRegistration(ErrorId id, std::function<Status()> run) {
    triggers().push_back({id, std::move(run)});
  }
};

// At namespace scope; the lambda breaks exactly the rule of errors::symbol.
#define TW_TRIGGER(symbol, ...)                                             \
  static const ::tputwin::testing::TriggerRegistration tw_trigger_##symbol( \
      ::tputwin::errors::symbol, __VA_ARGS__)

}  // namespace tputwin::testing
