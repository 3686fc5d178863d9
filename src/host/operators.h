// Operators that run on the host between parts of a compiled net. docs/host-operators.md defines
// them and their parameters.
#pragma once

#include <functional>
#include <optional>
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
  std::string text;  // "topk k=5", shown in errors
  std::function<Status(Call&)> function;
};

// Creates an operator from its text. Errors: an unknown name, a wrong parameter, or a wrong number
// of inputs or outputs.
Result<Operator> make_operator(std::string_view text, size_t inputs, size_t outputs);
std::vector<std::string_view> operator_names();
// Returns the input of an operator that holds integers, most often positions; nullopt: it has none.
std::optional<size_t> integer_input(std::string_view name);

// Runs an operator. The outputs have their types, and `capacity` holds the largest number of
// elements of each. Unsuitable inputs, and results that do not fit, are errors.
Status run(const Operator& op, std::span<const Array> inputs, std::span<Array> outputs,
           std::span<const int64_t> capacity);

}  // namespace tputwin::host
