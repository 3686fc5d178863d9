// Functions of one value on both chips, at numbers where they end, jump or are not defined.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "bmnet/float/execute.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/forms.h"
#include "bmnet_bm1684x/support.h"
#include "host/functions.h"
#include "numerics/float16.h"

namespace tputwin::net::testing {
namespace {

using bm1684x::Target;

struct FunctionCase {
  const char* name;
  std::vector<float> arguments;  // of the function
  float least, most;             // of random values
  std::vector<float> values;     // further ones
};
void PrintTo(const FunctionCase& c, std::ostream* out) { *out << c.name; }

const std::vector<FunctionCase>& function_cases() {
  static const std::vector<FunctionCase> all = {
      {"acos", {}, -1, 1, {-1, 0, 1}},
      {"acosh", {}, 1, 50, {1, 1e6f, 1e18f}},
      {"asin", {}, -1, 1, {-1, 0, 1}},
      {"shrink", {0.5f, 0.25f}, -2, 2, {0.5f, -0.5f, 0, INFINITY, -INFINITY}},
      {"shrink", {-0.5f, 0.25f}, -2, 2, {0.5f, -0.5f, 0}},
      {"softplus", {}, -20, 20, {84, 85, 90, 1e4f, 1e30f, INFINITY, -100}},
      {"asinh", {}, -50, 50, {0, 1e-3f, -1e6f, 1e18f}},
      {"atan", {}, -20, 20, {-1, 0, 1, 1e-3f, 1e10f, -1e30f, 3e38f}},
      {"atanh", {}, -0.99f, 0.99f, {0, 0.999f, -0.999f}},
      {"sinh", {}, -6, 6, {0, 0.5f, -0.5f, 0.49f}},
      {"cosh", {}, -6, 6, {0}},
      {"tan", {}, -1.4f, 1.4f, {0}},
      {"ceil", {}, -20, 20, {-1, 0, 1, 4194304.5f, -4194304.5f, 8388609, 1e9f, -2.5f}},
      {"floor", {}, -20, 20, {-1, 0, 1, 4194304.5f, -4194304.5f, 8388609, -1e9f, 2.5f}},
      {"round", {}, -20, 20, {0.5f, 1.5f, -0.5f, -2.5f, 4194304.5f, 4194305.5f, 16777216}},
      {"integer", {32, 1, 0}, -300, 300, {0.99f, -0.99f, 16777216, -4194304.5f}},
      {"integer", {8, 1, 0}, -300, 300, {127.5f, -128.5f, 128}},
      {"integer", {8, 0, 1}, -300, 300, {255.5f, -0.5f, 256}},
      {"sign", {}, -2, 2, {0}},
      {"is_zero", {}, -2, 2, {0, -0.0f, 1, 1e-30f, INFINITY}},
      {"is_not_zero", {}, -2, 2, {0, -0.0f, 1, 1e-30f, INFINITY}},
      {"is_positive", {}, -2, 2, {0, -0.0f, 1, INFINITY, -INFINITY}},
      {"is_not_negative", {}, -2, 2, {0, -0.0f, 1, INFINITY, -INFINITY}},
      {"is_infinite", {1, 1}, -2, 2, {INFINITY, -INFINITY, 3e38f}},
      {"is_infinite", {0, 1}, -2, 2, {INFINITY, -INFINITY, 3e38f}},
      {"log", {}, 0.01f, 50, {1, 1e-30f, 1e30f, INFINITY}},
      {"thresholded_relu", {0.5f}, -2, 2, {0.5f, 0.50001f, 0, INFINITY, -INFINITY}},
      {"sqrt", {}, 0, 50, {0, 1, 1e-30f, 1e30f, INFINITY}},
  };
  return all;
}

Network net_of_function(const FunctionCase& c, int64_t count) {
  TensorOp op;
  set_type(op, Op::function);
  op.mutable_tg_function_param()->set_name(c.name);
  for (const float a : c.arguments) op.mutable_tg_function_param()->add_arg(a);
  return *layer_net(op, {{1, count}}, {});
}

Blob values_of(const FunctionCase& c) {
  Blob blob = random_blob({1, 100}, 7, c.least, c.most);
  blob.data.insert(blob.data.end(), c.values.begin(), c.values.end());
  blob.shape = {1, static_cast<int64_t>(blob.data.size())};
  return blob;
}

std::vector<const Target*> targets() {
  return {&bm1684x::bm1684x_target(), &bm1684::bm1684_target()};
}

class FunctionOfOneValue : public ::testing::TestWithParam<FunctionCase> {};

TEST_P(FunctionOfOneValue, HasTheValuesOfFloatExecution) {
  const Values inputs{{"x0", values_of(GetParam())}};
  const Network network = net_of_function(GetParam(), inputs.at("x0").shape[1]);
  const auto expected = (*FloatExecutor::create(network))->run(inputs);
  ASSERT_TRUE(expected.ok());
  const std::vector<float>& y = expected->begin()->second.data;
  for (const Target* target : targets()) {
    const bm1684x::ScopedTarget scope(*target);
    const auto compiled = bm1684x::compile(network, {.target = target});
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    const auto actual = run(*compiled, network, inputs);
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    for (size_t i = 0; i < y.size(); ++i) {
      const float x = inputs.at("x0").data[i];
      if (std::isinf(y[i])) {
        EXPECT_EQ((*actual)[0][i], y[i]) << target->chip.name << " " << x;
      } else {
        EXPECT_NEAR((*actual)[0][i], y[i], 2e-5f * std::max(1.0f, std::fabs(y[i])))
            << target->chip.name << " " << x;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FunctionOfOneValue, ::testing::ValuesIn(function_cases()));

// A value where a function ends, and numbers for which it is not defined.
struct DomainCase {
  const char* name;
  float edge, value;
  std::vector<float> outside;
};

TEST(FunctionsOutsideTheirDomain, AreNan) {
  const std::vector<DomainCase> cases = {
      {"log", 0, -INFINITY, {-1, -1e-3f}},     {"sqrt", 0, 0, {-1, -1e-3f}},
      {"acosh", 1, 0, {0.75f, 0, -2}},         {"acos", 1, 0, {1.25f, -1.25f, 2, -50}},
      {"asin", 0, 0, {1.25f, -1.25f, 2, -50}}, {"atanh", 0, 0, {1.25f, -1.25f, 2, -50}}};
  for (const DomainCase& c : cases) {
    std::vector<float> x = c.outside;
    x.push_back(c.edge);
    const auto count = static_cast<int64_t>(x.size());
    const Network network = net_of_function({c.name, {}, 0, 1, {}}, count);
    for (const Target* target : targets())
      for (const DType type : {DType::f32, DType::f16}) {
        if (!target->has_type(type)) continue;
        const bm1684x::ScopedTarget scope(*target);
        const auto compiled = bm1684x::compile(network, {.target = target, .type = type});
        ASSERT_TRUE(compiled.ok()) << compiled.status().message();
        const auto y = run(*compiled, network, {{"x0", {{1, count}, x}}});
        ASSERT_TRUE(y.ok()) << y.status().message();
        for (size_t i = 0; i < c.outside.size(); ++i)
          EXPECT_TRUE(std::isnan((*y)[0][i])) << c.name << " " << target->chip.name << " " << x[i];
        EXPECT_TRUE((*y)[0].back() == c.value || std::fabs((*y)[0].back() - c.value) < 1e-6f)
            << c.name << " " << target->chip.name << " " << (*y)[0].back();
      }
  }
}

// NaN is no number, and not equal to one.
TEST(ConditionsOfNan, AreThoseOfFloatExecution) {
  const struct {
    const char* name;
    float wanted;
  } kConditions[] = {{"is_nan", 1},
                     {"is_zero", 0},
                     {"is_not_zero", 1},
                     {"is_positive", 0},
                     {"thresholded_relu", 0}};
  for (const auto& condition : kConditions) {
    const Network network = net_of_function(
        {condition.name,
         std::vector<float>(static_cast<size_t>(host::function_arguments(condition.name))),
         0,
         1,
         {}},
        2);
    for (const Target* target : targets()) {
      const bm1684x::ScopedTarget scope(*target);
      const auto compiled = bm1684x::compile(network, {.target = target});
      ASSERT_TRUE(compiled.ok()) << compiled.status().message();
      const auto y = run(*compiled, network, {{"x0", {{1, 2}, {NAN, 1}}}});
      ASSERT_TRUE(y.ok()) << y.status().message();
      EXPECT_EQ((*y)[0][0], condition.wanted) << condition.name << " " << target->chip.name;
    }
  }
}

TEST(WholePowers, HaveTheValuesOfFloatExecution) {
  for (const float power : {-4.0f, -3.0f, -2.0f, 3.0f, 5.0f, 7.0f, 10.0f, 20.0f}) {
    TensorOp op;
    set_type(op, Op::power);
    op.mutable_tg_power_param()->set_power(power);
    op.mutable_tg_power_param()->set_scale(0.5f);
    op.mutable_tg_power_param()->set_shift(1.25f);
    const Network network = *layer_net(op, {{2, 3, 4, 5}}, {});
    for (const Target* target : targets()) {
      const bm1684x::ScopedTarget scope(*target);
      EXPECT_EQ(compare(network, DType::f32, 2e-5f, 3), "") << power << " " << target->chip.name;
    }
  }
}

// Numbers of 16 bits beside a threshold that they do not hold.
TEST(FunctionOfHalves, ComparesWithTheExactThreshold) {
  for (const DType type : {DType::f16, DType::bf16})
    for (const float threshold : {0.6157895f, -0.1f, 0.1f, 1e-9f, -1e-9f, 0.5f, -1001.3f}) {
      Blob x{{1, 0}, {}};
      for (float k = -4; k <= 4; ++k)
        x.data.push_back(round_to(threshold * (1 + k * 0x1p-9f), type));
      x.shape[1] = static_cast<int64_t>(x.data.size());
      const FunctionCase c{"thresholded_relu", {threshold}, 0, 0, {}};
      EXPECT_EQ(compare(net_of_function(c, x.shape[1]), type, 0, Values{{"x0", x}}), "")
          << threshold << " " << to_string(type);
    }
}

// Adds an operation after the last one of a net of one output.
void append(Network& network, TensorOp op, const char* name) {
  TensorOp& end = network.ops.back();
  op.set_name(name);
  op.add_bottom(end.bottom(0));
  op.add_top(name);
  *op.add_input_shape() = end.input_shape(0);
  *op.add_output_shape() = end.input_shape(0);
  end.set_bottom(0, name);
  network.ops.insert(network.ops.end() - 1, std::move(op));
}

// floor((x + 0.5) / 3) of whole numbers: bf16 would round x + 0.5 from 128 on.
TEST(IntegersOfHalves, HaveExactQuotients) {
  Blob x{{1, 256}, {}};
  for (int i = 0; i < 256; ++i) x.data.push_back(static_cast<float>(i));
  TensorOp power, floor;
  set_type(power, Op::power);
  power.mutable_tg_power_param()->set_power(1);
  power.mutable_tg_power_param()->set_scale(1.0f / 3);
  power.mutable_tg_power_param()->set_shift(0.5f / 3);
  set_type(floor, Op::function);
  floor.mutable_tg_function_param()->set_name("floor");
  Network network = net_of_function({"integer", {32, 1, 0}, 0, 0, {}}, 256);
  append(network, power, "quotient");
  append(network, floor, "whole");
  for (const DType type : {DType::f32, DType::f16, DType::bf16})
    EXPECT_EQ(compare(network, type, 0, Values{{"x0", x}}), "") << to_string(type);
}

// Powers that are no whole numbers: 0 for a base of 0, infinity if the power is negative, and NaN
// for negative bases.
TEST(BrokenPowers, HaveTheValuesOfFloatExecution) {
  const std::vector<float> x = {-3, -0.5f, 0, 1e-3f, 0.5f, 1, 2, 30};
  for (const float power : {0.1f, 0.5f, 1.5f, 2.9f, -0.5f, -1.5f})
    for (const auto& [scale, shift] : {std::pair(1.0f, 0.0f), {2.0f, 0.0f}, {-1.0f, 0.5f}}) {
      TensorOp op;
      set_type(op, Op::power);
      op.mutable_tg_power_param()->set_power(power);
      op.mutable_tg_power_param()->set_scale(scale);
      op.mutable_tg_power_param()->set_shift(shift);
      const Network network = *layer_net(op, {{1, 8}}, {});
      for (const Target* target : targets()) {
        const bm1684x::ScopedTarget scope(*target);
        const auto compiled = bm1684x::compile(network, {.target = target});
        ASSERT_TRUE(compiled.ok()) << compiled.status().message();
        const auto y = run(*compiled, network, {{"x0", {{1, 8}, x}}});
        ASSERT_TRUE(y.ok()) << y.status().message();
        for (size_t i = 0; i < x.size(); ++i) {
          const float wanted = std::pow(scale * x[i] + shift, power), actual = (*y)[0][i];
          const std::string where =
              fmt::format("({} * {} + {})^{} {}", scale, x[i], shift, power, target->chip.name);
          const bool is_equal =
              std::isnan(wanted)
                  ? std::isnan(actual)
                  : actual == wanted ||
                        std::fabs(actual - wanted) <= 1e-4f * std::max(1.0f, std::fabs(wanted));
          EXPECT_TRUE(is_equal) << where << ": " << actual << " instead of " << wanted;
        }
      }
    }
}

// x * g(x), with functions that are gates themselves, look at their argument, destroy it, or have
// no steps.
TEST(Gates, HaveTheValuesOfFloatExecution) {
  const std::vector<std::vector<const char*>> gates = {
      {"hard_swish", "hard_swish"}, {"sin"},    {"softplus", "sqrt"}, {"atan"},
      {"softplus", "cos"},          {"shrink"}, {"softplus", "log"},  {"tan", "hard_swish"}};
  for (const auto& names : gates) {
    TensorOp op;
    set_type(op, Op::function);
    op.mutable_tg_function_param()->set_name("gate");
    for (const char* name : names) {
      TensorOp& step = *op.mutable_tg_function_param()->add_gate();
      set_type(step, Op::function);
      step.mutable_tg_function_param()->set_name(name);
      if (std::string(name) == "shrink")
        for (const float a : {0.5f, 0.25f}) step.mutable_tg_function_param()->add_arg(a);
    }
    const Network network = *layer_net(op, {{2, 3, 4, 5}}, {});
    for (const Target* target : targets()) {
      const bm1684x::ScopedTarget scope(*target);
      for (const auto& [type, tolerance] :
           {std::pair(DType::f32, 2e-5f), {DType::f16, 4e-3f}, {DType::i8, 0.05f}}) {
        if (!target->has_type(type)) continue;
        EXPECT_EQ(compare(network, type, tolerance, 3), "")
            << fmt::format("{} {} {}", fmt::join(names, ", "), target->chip.name, to_string(type));
      }
    }
  }
}

// Every function, with arguments for which it is defined.
std::vector<FunctionCase> all_functions() {
  std::vector<FunctionCase> all;
  for (const std::string_view name : host::function_names()) {
    FunctionCase c{name.data(), {0.5f, 0.25f, 1}, 0, 1, {}};
    if (name == "integer") c.arguments = {8, 1, 0};
    c.arguments.resize(static_cast<size_t>(host::function_arguments(name)));
    all.push_back(std::move(c));
  }
  return all;
}

// Commands of functions have forms that recordings have, in every type. Values are finite.
TEST(FunctionForms, AreAllRecorded) {
  std::vector<FunctionCase> all = all_functions();
  ASSERT_GT(all.size(), 30u);
  all.insert(all.end(), function_cases().begin(), function_cases().end());
  const Values inputs{{"x0", random_blob({1, 8}, 1, 0.25f, 0.75f)}};
  for (const FunctionCase& c : all) {
    const Network network = net_of_function(c, 8);
    const NetCalibrationParameter table = largest_values(network, inputs);
    for (const Target* target : targets())
      for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::i8}) {
        if (!target->has_type(type)) continue;
        const bm1684x::ScopedTarget scope(*target);
        const auto compiled =
            bm1684x::compile(network, {.target = target, .type = type, .table = &table});
        ASSERT_TRUE(compiled.ok()) << compiled.status().message();
        const auto program = transmitted(*compiled);
        ASSERT_TRUE(program.ok()) << program.status().message();
        EXPECT_EQ(unrecorded_form(*program), "")
            << c.name << " in " << to_string(type) << " on the " << target->chip.name;
      }
  }
}

}  // namespace
}  // namespace tputwin::net::testing
