// Comparison of compiled random nets with float execution.
#include "onnx_bm1684x/agreement.h"

#include <fmt/format.h>

#include "bmnet/targets/bm1684x/target.h"
#include "numerics/float16.h"

namespace tputwin::test {
namespace {

using namespace tputwin::net;
namespace compiled_nets = tputwin::net::testing;

// Fp16 ends at 65504, and the chip's numbers of 16 bits round to infinity from there.
constexpr double kEndOf16 = 65000;
constexpr double kEndOfBf16 = 0x1.ffp127;  // bf16 rounds it to infinity
// Returns true if values that are not finite are alike. The chips' exponential ends at 1.65e38.
bool are_alike(const std::vector<float>& actual, const std::vector<float>& expected) {
  if (actual.size() != expected.size()) return false;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i]) != std::isnan(actual[i])) return false;
    if (std::isinf(expected[i]) &&
        !(std::copysign(actual[i], expected[i]) == actual[i] && std::fabs(actual[i]) > 1e38f))
      return false;
  }
  return true;
}

// Returns the element with the largest difference or another kind of value.
std::string worst_of(const Outputs& actual, const Outputs& expected) {
  std::string text;
  double most = -1;
  for (size_t k = 0; k < expected.size(); ++k)
    for (size_t i = 0; i < expected[k].size() && i < actual[k].size(); ++i) {
      const float a = actual[k][i], e = expected[k][i];
      if (a == e || (std::isnan(a) && std::isnan(e))) continue;
      const double d = std::isfinite(a) && std::isfinite(e) ? std::fabs(double{a} - e) : INFINITY;
      if (d <= most) continue;
      most = d;
      text = fmt::format("; output {} at {}: {} instead of {}", k, i, a, e);
    }
  return text;
}

// Fp16 holds no smaller numbers. They become 0, where functions have steps.
void flush_for_fp16(compiled_nets::Values& inputs) {
  for (auto& [name, blob] : inputs)
    for (float& x : blob.data)
      if (std::fabs(x) < 1) x = round_to(x, DType::f16);
}

}  // namespace

double difference(const std::vector<float>& actual, const std::vector<float>& expected,
                  double end) {
  double most = 0, largest = 0.1;
  for (const float x : expected)
    if (std::fabs(x) < end) largest = std::max(largest, std::fabs(double{x}));
  if (actual.size() != expected.size()) return INFINITY;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!(std::fabs(expected[i]) < end)) continue;
    const double d = std::fabs(double{actual[i]} - expected[i]);
    most = std::isfinite(d) ? std::max(most, d / largest) : INFINITY;
  }
  return most;
}

Result<Outputs> floats_of(const Network& network, const compiled_nets::Values& inputs) {
  TW_ASSIGN_OR_RETURN(executor, FloatExecutor::create(network));
  TW_ASSIGN_OR_RETURN(values, executor->run(inputs));
  Outputs outputs;
  for (const std::string& name : network.outputs()) outputs.push_back(values.at(name).data);
  return outputs;
}

bool has_jumps(const std::string& about) {
  for (const char* name :
       {"Cast", "Ceil", "Floor", "Round", "Sign", "Where", "Greater", "Less", "Equal", "Not", "And",
        "Or", "Xor", "IsInf", "IsNaN", "ArgM", "TopK", "Mod"})
    if (about.rfind(name, 0) == 0) return true;
  return false;
}

RandomOperator rounded(RandomOperator one) {
  for (const auto& input : one.model.graph().input())
    if (input.type().tensor_type().elem_type() == onnx::TensorProto::FLOAT)
      for (float& x : one.inputs.at(input.name()).data) x = round_to(x, DType::bf16);
  return one;
}

Result<Network> network_of(const RandomOperator& one, bool has_subnets) {
  ImportOptions options{.has_subnets = has_subnets};
  for (const auto& input : one.model.graph().input())
    if (const auto found = one.inputs.find(input.name()); found != one.inputs.end())
      options.input_shapes.push_back(make_shape(found->second.shape));
  return import(one.model, options);
}

std::string Agreement::wrong(double tolerance) const {
  if (!run.ok()) return run.message();
  if (difference <= tolerance && are_alike) return "";
  return fmt::format("differs by {}{}{}", difference,
                     are_alike ? "" : ", and in values that are not finite", worst);
}

Agreement agreement(RandomOperator one, DType type, bool is_wide) {
  Agreement result;
  if (type == DType::f16) flush_for_fp16(one.inputs);
  auto network = network_of(one, is_wide);
  if (!network.ok()) {
    result.read = network.status();
    return result;
  }
  auto expected = floats_of(*network, one.inputs);
  if (!expected.ok()) {
    result.read = expected.status();
    return result;
  }
  const NetCalibrationParameter table = compiled_nets::largest_values(*network, one.inputs);
  auto compiled = bm1684x::compile(*network, {.type = type, .table = &table});
  if (!compiled.ok()) {
    result.compiled = compiled.status();
    return result;
  }
  auto actual = compiled_nets::run(*compiled, *network, one.inputs);
  if (!actual.ok()) {
    result.run = actual.status();
    return result;
  }
  const double end = type == DType::f16 ? kEndOf16 : type == DType::bf16 ? kEndOfBf16 : INFINITY;
  for (size_t i = 0; i < expected->size(); ++i) {
    result.difference =
        std::max(result.difference, test::difference((*actual)[i], (*expected)[i], end));
    if (is_wide && type == DType::f32)
      result.are_alike = result.are_alike && are_alike((*actual)[i], (*expected)[i]);
  }
  result.worst = worst_of(*actual, *expected);
  return result;
}

}  // namespace tputwin::test
