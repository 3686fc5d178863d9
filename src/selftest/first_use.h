// TPUTWIN_SELFTEST=1: the first operation of a kind proves the kind's fast body on this processor.
#pragma once

#include <optional>
#include <string>

#include "ops/operation.h"

namespace tputwin::testing {

// TPUTWIN_SELFTEST is set, and not "0".
bool proves_bodies();
// For tests: as if the variable were set or not; forgets what was proved and switched off.
void set_proves_bodies(bool proves);

// Runs random operations of that kind through its fast body, with the instruction set in force and
// one and several threads, once in a process. A body that leaves other bytes than the reference is
// switched off; the first call that finds that says how it differs.
std::optional<std::string> prove_body(const Operation& operation);

}  // namespace tputwin::testing
