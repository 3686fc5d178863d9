// Questions: what editors ask, of the Debug Adapter Protocol, about where a device stands.
#pragma once

#include "base/checked_json.h"
#include "insight/debug/console.h"

namespace tputwin::debug {

// {"get": "stack"}: frames of the user's source, innermost first.
// {"get": "variables", "of": "operands" or "last"}: tensors with name, type and values.
// {"get": "completions", "line": ...}: words.
// {"get": "break", "file": ..., "lines": [...]}: these are the breakpoints of a file from now on.
// {"get": "names", "names": [...]}: these those of calls, operations and kernels.
// {"get": "last"}: whether nothing more will happen.
CheckedJson answer(Console& console, Debugger& debugger, const CheckedJson& question);

}  // namespace tputwin::debug
