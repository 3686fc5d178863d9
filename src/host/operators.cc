// Finds operators by name, and implements the checks that they share.
#include "host/operators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/errors/bmrt.h"
#include "host/operator.h"

namespace tputwin::host {
namespace {

struct Row {
  std::string_view name;
  size_t inputs, most_inputs, outputs, most_outputs;
  OperatorFunction (*make)(Parameters&);
};

constexpr Row kOperators[] = {
#define TW_HOST_OPERATOR(name, inputs, most_inputs, outputs, most_outputs) \
  {#name, inputs, most_inputs, outputs, most_outputs, make_##name},
#include "host/operators.def"
};

Status check_number(const Row& row, std::string_view kind, size_t number, size_t least,
                    size_t most) {
  if (number >= least && number <= most) return {};
  return Error(errors::brt_host_parameter)
      .in(row.name)
      .argument(kind, fmt::format("{}", number))
      .detail(fmt::format("it takes {} to {}", least, most));
}

// Above 2^24, some integers are not fp32 numbers.
constexpr int64_t kExactInFloat = int64_t{1} << 24;

}  // namespace

std::vector<std::string_view> operator_names() {
  std::vector<std::string_view> names;
  for (const Row& row : kOperators) names.push_back(row.name);
  return names;
}

std::optional<size_t> integer_input(std::string_view name) {
  struct Position {
    std::string_view name;
    size_t input;
  };
  static constexpr Position kPositions[] = {
      {"embedding", 0}, {"expand", 1},  {"gather", 1},    {"gather_elements", 1},  {"gathernd", 1},
      {"onnx_nms", 2},  {"reshape", 1}, {"roi_align", 2}, {"scatter_elements", 1}, {"scatternd", 1},
      {"slice", 1},     {"topk", 1},    {"yolo_box", 1}};
  const auto* found = std::ranges::find(kPositions, name, &Position::name);
  return found != std::end(kPositions) ? std::optional(found->input) : std::nullopt;
}

Result<Operator> make_operator(std::string_view text, size_t inputs, size_t outputs) {
  TW_ASSIGN_OR_RETURN(parameters, Parameters::parse(text));
  const auto* row = std::ranges::find(kOperators, parameters.name(), &Row::name);
  if (row == std::end(kOperators))
    return Error(errors::brt_host_operator)
        .argument("operator", parameters.name())
        .detail(fmt::format("there are {}", fmt::join(operator_names(), ", ")));
  TW_RETURN_IF_ERROR(check_number(*row, "inputs", inputs, row->inputs, row->most_inputs));
  TW_RETURN_IF_ERROR(check_number(*row, "outputs", outputs, row->outputs, row->most_outputs));
  OperatorFunction function = row->make(parameters);
  TW_RETURN_IF_ERROR(parameters.status());
  return Operator{std::string(text), std::move(function)};
}

Status run(const Operator& op, std::span<const Array> inputs, std::span<Array> outputs,
           std::span<const int64_t> capacity) {
  Call call(op.text, inputs, outputs, capacity);
  return op.function(call);
}

Error Call::fail(std::string rule) const {
  std::string shapes;
  for (const Array& array : in_)
    shapes += fmt::format("{}{}{}", shapes.empty() ? "" : " ",
                          array.type() == Type::f32 ? "fp32" : "int32", describe(array.shape));
  return Error(errors::brt_host_input)
      .in(name_)
      .argument("inputs", std::move(shapes))
      .detail(std::move(rule));
}

Result<std::span<const float>> Call::floats(size_t i) const {
  if (in_[i].type() == Type::f32) return std::span<const float>(in_[i].f32());
  return fail(fmt::format("input {} is fp32", i));
}

Result<std::vector<int64_t>> Call::integers(size_t i) const {
  std::vector<int64_t> result;
  result.reserve(in_[i].size());
  if (in_[i].type() == Type::i32) {
    result.assign(in_[i].i32().begin(), in_[i].i32().end());
    return result;
  }
  for (float value : in_[i].f32()) {
    if (!(std::fabs(value) < 0x1p31f) || value != std::trunc(value))
      return fail(fmt::format("input {} holds integers, not {}", i, value));
    result.push_back(static_cast<int64_t>(value));
  }
  return result;
}

Status Call::require_exact(double integer) const {
  if (std::fabs(integer) <= static_cast<double>(kExactInFloat)) return {};
  return fail(fmt::format(
      "integers are from -2^24 to 2^24, not {:.0f}, since tensors are fp32; compute it in floats",
      integer));
}

Result<float> Call::scalar(size_t i) const {
  if (in_[i].size() != 1) return fail(fmt::format("input {} is one value", i));
  return std::visit([](const auto& list) { return static_cast<float>(list[0]); }, in_[i].values);
}

Status Call::require_rank(size_t i, size_t rank) const {
  if (in_[i].shape.size() == rank) return {};
  return fail(fmt::format("input {} has {} axes", i, rank));
}

Result<size_t> Call::axis(size_t i, int64_t axis) const {
  const auto axes = static_cast<int64_t>(in_[i].shape.size());
  if (axis < -axes || axis >= axes) return fail(fmt::format("input {} has no axis {}", i, axis));
  return static_cast<size_t>(axis < 0 ? axis + axes : axis);
}

Status Call::make(size_t i, Shape shape, Type type) {
  if (!fits(shape, capacity_[i]))
    return Error(errors::brt_host_capacity)
        .in(name_)
        .argument(fmt::format("output {}", i), describe(shape))
        .detail(fmt::format("its capacity is {} elements", capacity_[i]));
  if (out_[i].type() != type)
    return fail(fmt::format("output {} is {}", i, type == Type::f32 ? "fp32" : "int32"));
  const auto elements = static_cast<size_t>(count(shape));
  out_[i].shape = std::move(shape);
  std::visit([&](auto& list) { list.assign(elements, {}); }, out_[i].values);
  return {};
}

Result<std::span<float>> Call::float_output(size_t i, Shape shape) {
  TW_RETURN_IF_ERROR(make(i, std::move(shape), Type::f32));
  return std::span<float>(std::get<0>(out_[i].values));
}

Status Call::write_integers(size_t i, Shape shape, std::span<const int64_t> values) {
  TW_RETURN_IF_ERROR(make(i, std::move(shape), out_[i].type()));
  if (out_[i].type() == Type::i32) {
    std::ranges::transform(values, std::get<1>(out_[i].values).begin(),
                           [](int64_t value) { return static_cast<int32_t>(value); });
    return {};
  }
  for (int64_t value : values)
    if (std::abs(value) > kExactInFloat)
      return fail(fmt::format("{} is no fp32 number for sure; make output {} int32", value, i));
  std::ranges::transform(values, std::get<0>(out_[i].values).begin(),
                         [](int64_t value) { return static_cast<float>(value); });
  return {};
}

}  // namespace tputwin::host
