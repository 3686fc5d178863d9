// The operators that run on the host between parts of a compiled net.
//
// docs/host-operators.md says what each computes, and its parameters.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "host/array.h"

namespace tputwin::host {

class Call;

// An operator with its parameters.
struct Operator {
  std::string text;  // "topk k=5": what errors name
  std::function<Status(Call&)> body;
};

// The operator of a text, for so many inputs and outputs; what is wrong with either is an error.
Result<Operator> make_operator(std::string_view text, size_t inputs, size_t outputs);
std::vector<std::string_view> operator_names();

// Runs it. The outputs have their types, `room` the most elements that each may have. Inputs that
// it cannot take and results that do not fit are errors.
Status run(const Operator& op, std::span<const Array> inputs, std::span<Array> outputs,
           std::span<const int64_t> room);

}  // namespace tputwin::host
