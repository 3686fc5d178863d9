// TPUTWIN_SELFTEST=1: before the first operation of a kind, its fast kernel is tested on this
// processor.
#pragma once

#include <optional>
#include <string>

#include "ops/operation.h"

namespace tputwin::testing {

// Returns true if TPUTWIN_SELFTEST is set, and not "0".
bool tests_kernels();
// For tests: acts as if the variable were set or not. Forgets which kernels were tested and
// switched off.
void set_tests_kernels(bool is_enabled);

// Tests the fast kernel of the operation's kind with random operations, once in a process. The test
// uses the current instruction set, and one and several threads. A kernel that leaves other bytes
// than the reference is switched off, and the first call that detects it returns the difference.
std::optional<std::string> test_kernel(const Operation& operation);

}  // namespace tputwin::testing
