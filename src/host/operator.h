// What the operators of this folder are made of. One file per operator.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/error.h"
#include "host/array.h"
#include "host/parameters.h"

namespace tputwin::host {

// One use of an operator: its inputs, and outputs that have their type already and room for so many
// elements.
class Call {
 public:
  Call(std::string_view name, std::span<const Array> in, std::span<Array> out,
       std::span<const int64_t> room)
      : name_(name), in_(in), out_(out), room_(room) {}

  std::string_view name() const { return name_; }
  size_t inputs() const { return in_.size(); }
  size_t outputs() const { return out_.size(); }
  const Array& in(size_t i) const { return in_[i]; }
  Array& out(size_t i) { return out_[i]; }
  const Shape& shape(size_t i) const { return in_[i].shape; }

  Error fail(std::string rule) const;
  // The values of a floating-point input.
  Result<std::span<const float>> floats(size_t i) const;
  // Those of an input of positions or counts: int32, or fp32 that are integers.
  Result<std::vector<int64_t>> integers(size_t i) const;
  // The only value of an input.
  Result<float> scalar(size_t i) const;
  Status require_rank(size_t i, size_t rank) const;
  // An axis of the input, counted from the end if it is negative.
  Result<size_t> axis(size_t i, int64_t axis) const;

  // Makes an output of this shape, of zeros, if there is room for it.
  Result<std::span<float>> float_output(size_t i, Shape shape);
  // Positions, as int32 or fp32, whichever the output is of.
  Status write_integers(size_t i, Shape shape, std::span<const int64_t> values);
  // An output with the type of input `like`. Body: Status(span<const T> in, span<T> out).
  template <class Body>
  Status same_type_output(size_t i, size_t like, Shape shape, Body body) {
    TW_RETURN_IF_ERROR(make(i, std::move(shape), in_[like].type()));
    return std::visit(
        [&](const auto& from) -> Status {
          using List = std::decay_t<decltype(from)>;
          using T = typename List::value_type;
          return body(std::span<const T>(from), std::span<T>(std::get<List>(out_[i].values)));
        },
        in_[like].values);
  }

 private:
  Status make(size_t i, Shape shape, Type type);
  std::string_view name_;
  std::span<const Array> in_;
  std::span<Array> out_;
  std::span<const int64_t> room_;
};

using Body = std::function<Status(Call&)>;

// The operators, rows of operators.def: each reads its parameters and returns what computes.
#define TW_HOST_OPERATOR(name, inputs, most_inputs, outputs, most_outputs) \
  Body make_##name(Parameters& parameters);
#include "host/operators.def"

}  // namespace tputwin::host
