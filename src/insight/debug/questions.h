// Questions that editors ask about a stopped device, after the Debug Adapter Protocol.
#pragma once

#include "base/checked_json.h"
#include "insight/debug/console.h"

namespace tputwin::debug {

//   {"get": "stack"}: frames of the user's source, innermost first.
//   {"get": "variables", "of": "operands" or "last"}: tensors with name, type and values.
//   {"get": "completions", "line": ...}: words.
//   {"get": "break", "file": ..., "lines": [...]}: sets all breakpoints of a file.
//   {"get": "names", "names": [...]}: sets all breakpoints of calls, operations and kernels.
//   {"get": "last"}: returns true if the program has ended.
CheckedJson answer(Console& console, Debugger& debugger, const CheckedJson& question);

}  // namespace tputwin::debug
