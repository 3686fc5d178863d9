// Common parts of the host operators. Each operator has a file of its own.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/error.h"
#include "host/array.h"
#include "host/parameters.h"

namespace tputwin::host {

// One call of an operator: its inputs, and outputs with fixed types and element limits
// (`capacity`).
class Call {
 public:
  Call(std::string_view name, std::span<const Array> in, std::span<Array> out,
       std::span<const int64_t> capacity)
      : name_(name), in_(in), out_(out), capacity_(capacity) {}

  std::string_view name() const { return name_; }
  size_t inputs() const { return in_.size(); }
  size_t outputs() const { return out_.size(); }
  const Array& in(size_t i) const { return in_[i]; }
  Array& out(size_t i) { return out_[i]; }
  const Shape& shape(size_t i) const { return in_[i].shape; }

  Error fail(std::string rule) const;
  // Returns the values of a floating-point input.
  Result<std::span<const float>> floats(size_t i) const;
  // Returns positions or counts. The input must be int32, or fp32 with integer values.
  Result<std::vector<int64_t>> integers(size_t i) const;
  // Checks that an integer that was computed is a number of fp32.
  Status require_exact(double integer) const;
  // Returns the only value of an input.
  Result<float> scalar(size_t i) const;
  Status require_rank(size_t i, size_t rank) const;
  // Returns an axis of the input. A negative one counts from the end.
  Result<size_t> axis(size_t i, int64_t axis) const;

  // Creates an output of this shape, filled with zeros. Fails if it exceeds `capacity`.
  Result<std::span<float>> float_output(size_t i, Shape shape);
  // Writes positions as int32 or fp32, by the type of the output.
  Status write_integers(size_t i, Shape shape, std::span<const int64_t> values);
  // Creates an output with the type of input `like`, and calls function(span<const T> in, span<T>
  // out), which returns a Status.
  template <class Function>
  Status same_type_output(size_t i, size_t like, Shape shape, Function function) {
    TW_RETURN_IF_ERROR(make(i, std::move(shape), in_[like].type()));
    return std::visit(
        [&](const auto& from) -> Status {
          using List = std::decay_t<decltype(from)>;
          using T = typename List::value_type;
          return function(std::span<const T>(from), std::span<T>(std::get<List>(out_[i].values)));
        },
        in_[like].values);
  }

 private:
  Status make(size_t i, Shape shape, Type type);
  std::string_view name_;
  std::span<const Array> in_;
  std::span<Array> out_;
  std::span<const int64_t> capacity_;
};

using OperatorFunction = std::function<Status(Call&)>;

// Factories of the operators in operators.def. Each reads its parameters and returns the function
// that computes the operator.
#define TW_HOST_OPERATOR(name, inputs, most_inputs, outputs, most_outputs) \
  OperatorFunction make_##name(Parameters& parameters);
#include "host/operators.def"

}  // namespace tputwin::host
