// onnx_bm1684x [--bm1684] ...: the same for the BM1684, in fp32 and int8.
// onnx_bm1684x --random COUNT [SEED [FIRST]]: compiles random models for the BM1684X in all
// types, runs them on the simulator, and compares with float execution. Prints refusals by reason.
// onnx_bm1684x --wide COUNT [SEED [FIRST]]: the same with graphs and with unusual forms, values and
// extents. It also counts the models that the import refuses, and commands without a recorded form.
// onnx_bm1684x --forms WORD: the recorded forms of commands that contain this.
// onnx_bm1684x --masks: nets with masks, in int8 (masks.h).
// onnx_bm1684x --tensors SEED INDEX: how much each tensor of a random model differs in fp32.
// onnx_bm1684x FILE.onnx TYPE [--shape N,C,H,W] [--no-run] [--cosines]: one model, with its
// predicted time; or FILE.prototxt FILE.caffemodel TYPE .... Inputs are those of FILE.json, as
// tests/onnx_runtime writes it, or random.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "bmnet/caffe/import.h"
#include "bmnet/onnx/load.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/forms.h"
#include "bmnet_bm1684x/support.h"
#include "bmnet_onnx/random_net.h"
#include "numerics/float16.h"
#include "onnx_bm1684x/masks.h"
#include "onnx_runtime/random_operator.h"

namespace {

using namespace tputwin;
using namespace tputwin::net;
namespace compiled_nets = tputwin::net::testing;

using Outputs = std::vector<std::vector<float>>;

// Returns true if values that are not finite are alike. The chips' exponential ends at 1.65e38.
bool are_alike(const std::vector<float>& actual, const std::vector<float>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i]) != std::isnan(actual[i])) return false;
    if (std::isinf(expected[i]) &&
        !(std::copysign(actual[i], expected[i]) == actual[i] && std::fabs(actual[i]) > 1e38f))
      return false;
  }
  return true;
}

// The largest difference in units of the largest magnitude, of values below `end`.
double difference(const std::vector<float>& actual, const std::vector<float>& expected,
                  double end = INFINITY) {
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

// The element with the largest difference or another kind of value.
std::string worst(const Outputs& actual, const Outputs& expected) {
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

Result<Outputs> floats_of(const Network& network, const compiled_nets::Values& inputs) {
  TW_ASSIGN_OR_RETURN(executor, FloatExecutor::create(network));
  TW_ASSIGN_OR_RETURN(values, executor->run(inputs));
  Outputs outputs;
  for (const std::string& name : network.outputs()) outputs.push_back(values.at(name).data);
  return outputs;
}

std::string name_of(DType type) {
  return type == DType::f32   ? "fp32"
         : type == DType::f16 ? "fp16"
         : type == DType::i8  ? "int8"
                              : "bf16";
}

DType type_of(const std::string& name) {
  return name == "fp32"   ? DType::f32
         : name == "fp16" ? DType::f16
         : name == "int8" ? DType::i8
                          : DType::bf16;
}

// The message without the layer and without numbers.
std::string reason_of(std::string message) {
  std::string reason;
  if (const size_t layer = message.find("layer "); layer != std::string::npos)
    message = message.substr(0, layer) +
              message.substr(std::min(message.find(':', layer), message.size()));
  for (const char c : message)
    if (c < '0' || c > '9')
      reason += c;
    else if (reason.empty() || reason.back() != '#')
      reason += '#';
  return reason.substr(0, 150);
}

// Lists parts of the messages of allowed refusals.
constexpr std::string_view kListed[] = {"so that a right shift exists"};

struct Tally {
  bool wide = false;
  int agree = 0, wrong = 0, unlisted = 0;
  std::map<std::string, std::pair<int, std::string>> refusals;  // count and an example by reason

  void add_refusal(const Status& status, const std::string& about, uint64_t seed, uint64_t index) {
    auto& [count, example] = refusals[reason_of(status.message())];
    if (count++ == 0) example = fmt::format("{} ({} {})", about, seed, index);
  }
};

// Fp16 rounds inputs, weights and every result, bf16 to an eighth of its digits.
constexpr double kTolerance32 = 1e-4, kTolerance16 = 5e-2, kMostRatio = 40;
// Fp16 ends at 65504, and the chip's numbers of 16 bits round to infinity from there.
constexpr double kEndOf16 = 65000;
// Bytes have steps of the largest value / 128.
constexpr double kToleranceBytes = 0.5;

// Functions with jumps, across which bytes may be rounded.
bool has_jumps(const std::string& about) {
  for (const char* name :
       {"Cast", "Ceil", "Floor", "Round", "Sign", "Where", "Greater", "Less", "Equal", "Not", "And",
        "Or", "Xor", "IsInf", "IsNaN", "ArgM", "TopK", "Mod"})
    if (about.rfind(name, 0) == 0) return true;
  return false;
}

const compiled_nets::Forms& known_forms(const bm1684x::Target& target) {
  static const compiled_nets::Forms forms = &target == &bm1684::bm1684_target()
                                                ? compiled_nets::recorded_forms_of_bm1684()
                                                : compiled_nets::recorded_forms();
  return forms;
}

// Returns the first command of a compiled net that has no recorded form; "" if there is none.
std::string unrecorded(const bm1684x::CompiledStream& net) {
  const compiled_nets::Forms& forms = known_forms(*net.target);
  const bm1684x::ScopedTarget scope(*net.target);
  std::vector<const std::vector<Instruction>*> programs{&net.program};
  for (const bm1684x::StreamSubnet& subnet : net.subnets) programs.push_back(&subnet.program);
  for (const auto* program : programs) {
    const auto commands = compiled_nets::transmitted(*program);
    if (!commands.ok()) return commands.status().message();
    for (const Instruction& i : *commands)
      if (!forms.contains(compiled_nets::form_of(i))) return compiled_nets::form_of(i);
  }
  return "";
}

test::RandomOperator draw(uint64_t seed, uint64_t index, bool wide = false) {
  tputwin::testing::Rng rng(seed, index);
  if (wide) return test::random_wide_operator(rng);
  if (index % 4 != 3) return test::random_operator(rng);
  test::RandomNet net = test::random_net(rng);
  return {std::move(net.model), net.samples.front(), "net" + net.about};
}

// Rounds inputs to numbers of all types, so that functions with steps have equal results.
test::RandomOperator rounded(test::RandomOperator one) {
  for (const auto& input : one.model.graph().input())
    if (input.type().tensor_type().elem_type() == onnx::TensorProto::FLOAT)
      for (float& x : one.inputs.at(input.name()).data) x = round_to(x, DType::bf16);
  return one;
}

Result<Network> network_of(const test::RandomOperator& one, bool has_subnets = false) {
  ImportOptions options{.has_subnets = has_subnets};
  for (const auto& input : one.model.graph().input())
    if (const auto found = one.inputs.find(input.name()); found != one.inputs.end())
      options.input_shapes.push_back(make_shape(found->second.shape));
  return test::import(one.model, options);
}

// Returns the difference, which may be `tolerance`.
double check(const test::RandomOperator& one, uint64_t seed, uint64_t index, DType type,
             double tolerance, Tally& tally) {
  auto network = network_of(one, tally.wide);
  if (!network.ok()) {
    if (tally.wide && type == DType::f32)
      tally.add_refusal(network.status(), one.about, seed, index);
    return 0;
  }
  auto expected = floats_of(*network, one.inputs);
  if (!expected.ok()) {
    if (tally.wide && type == DType::f32)
      tally.add_refusal(expected.status(), one.about, seed, index);
    return 0;
  }
  const std::string where = fmt::format("{} {} ({} {})", one.about, name_of(type), seed, index);
  const NetCalibrationParameter table = compiled_nets::largest_values(*network, one.inputs);
  auto compiled = bm1684x::compile(*network, {.type = type, .table = &table});
  if (!compiled.ok()) {
    tally.add_refusal(compiled.status(), where, seed, index);
    const std::string message = compiled.status().message();
    const bool is_listed = std::ranges::any_of(
        kListed, [&](std::string_view part) { return message.find(part) != std::string::npos; });
    if (!is_listed) std::printf("%s: %s\n", where.c_str(), message.c_str());
    tally.unlisted += is_listed ? 0 : 1;
    return 0;
  }
  if (const std::string form = tally.wide ? unrecorded(*compiled) : ""; !form.empty()) {
    ++tally.wrong;
    std::printf("%s: no recorded form: %s\n", where.c_str(), form.c_str());
  }
  auto actual = compiled_nets::run(*compiled, *network, one.inputs);
  const double end = type == DType::f16 ? kEndOf16 : INFINITY;
  double most = 0;
  for (size_t i = 0; actual.ok() && i < expected->size(); ++i)
    most = std::max(most, difference((*actual)[i], (*expected)[i], end));
  bool alike = true;
  for (size_t i = 0; tally.wide && type == DType::f32 && actual.ok() && i < expected->size(); ++i)
    alike = alike && are_alike((*actual)[i], (*expected)[i]);
  const bool agrees = actual.ok() && most <= tolerance && alike;
  ++(agrees ? tally.agree : tally.wrong);
  if (!agrees)
    std::printf("%s: %s\n", where.c_str(),
                actual.ok() ? fmt::format("differs by {}{}{}", most,
                                          alike ? "" : ", and in values that are not finite",
                                          worst(*actual, *expected))
                                  .c_str()
                            : actual.status().message().c_str());
  return most;
}

// Prints how much each tensor of a random model differs in fp32, if all tensors are kept.
Status print_tensors(uint64_t seed, uint64_t index) {
  const test::RandomOperator one = draw(seed, index);
  TW_ASSIGN_OR_RETURN(network, network_of(one));
  TW_ASSIGN_OR_RETURN(compiled, bm1684x::compile(network, {.keep_all = true}));
  TW_ASSIGN_OR_RETURN(executor, FloatExecutor::create(network));
  test::Blobs all;
  TW_ASSIGN_OR_RETURN(ends, executor->run(one.inputs, [&](const std::string& t, const Blob& value) {
    all[network.blob_name(t)] = value;
  }));
  compiled.outputs = compiled.kept;
  TW_ASSIGN_OR_RETURN(actual, compiled_nets::run(compiled, network, one.inputs));
  std::printf("%s\n%s\n", one.about.c_str(), compiled.explanation.c_str());
  for (const TensorOp& op : network.ops)
    for (const std::string& t : op.top())
      for (size_t i = 0; i < actual.size(); ++i)
        if (compiled.kept[i].name == network.blob_name(t))
          std::printf("%s %s %s: %g\n", op.type().c_str(), t.c_str(),
                      describe(*network.shape_of(t)).c_str(),
                      difference(actual[i], all[network.blob_name(t)].data));
  return {};
}

int run_random(uint64_t count, uint64_t seed, uint64_t first, bool wide) {
  Tally tally{.wide = wide};
  for (uint64_t i = first; i < first + count; ++i) {
    const test::RandomOperator one = rounded(draw(seed, i, wide));
    check(one, seed, i, DType::f32, kTolerance32, tally);
    if (bm1684x::target().has_type(DType::f16)) {
      const double half = check(one, seed, i, DType::f16, kTolerance16, tally);
      check(one, seed, i, DType::bf16, kMostRatio * std::max(half, kTolerance16 / 8), tally);
    }
    if (!has_jumps(one.about)) check(one, seed, i, DType::i8, kToleranceBytes, tally);
  }
  std::printf("%d agree, %d wrong, %d refused for unlisted reasons\n", tally.agree, tally.wrong,
              tally.unlisted);
  for (const auto& [reason, example] : tally.refusals)
    std::printf("%6d refused: %s\n        %s\n", example.first, reason.c_str(),
                example.second.c_str());
  const bool fails = tally.wrong + tally.unlisted != 0;
  if (fails)
    std::printf("run again: onnx_bm1684x --%s %llu %llu %llu\n", wide ? "wide" : "random",
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(first));
  return fails ? 1 : 0;
}

std::vector<int64_t> numbers(const std::string& text) {
  std::vector<int64_t> all;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    all.push_back(std::stoll(text.substr(at, end - at)));
    at = end + 1;
  }
  return all;
}

// Prints the cosine of each tensor that is kept.
Status print_cosines(const Network& network, bm1684x::CompiledStream compiled,
                     const compiled_nets::Values& inputs) {
  TW_ASSIGN_OR_RETURN(executor, FloatExecutor::create(network));
  test::Blobs all;
  TW_ASSIGN_OR_RETURN(ends, executor->run(inputs, [&](const std::string& t, const Blob& value) {
    all[network.blob_name(t)] = value;
  }));
  compiled.outputs = compiled.kept;
  TW_ASSIGN_OR_RETURN(actual, compiled_nets::run(compiled, network, inputs));
  for (size_t i = 0; i < actual.size(); ++i)
    if (const auto found = all.find(compiled.kept[i].name); found != all.end())
      std::printf("  %.6f %s %s\n", test::cosine(actual[i], found->second.data),
                  to_string(compiled.kept[i].type), compiled.kept[i].name.c_str());
  return {};
}

// Returns the inputs of the file beside a net, or random ones.
compiled_nets::Values inputs_of(std::filesystem::path path, const Network& network) {
  path.replace_extension(".json");
  if (!std::filesystem::exists(path)) return compiled_nets::random_inputs(network, 1);
  compiled_nets::Values inputs;
  const nlohmann::json text = nlohmann::json::parse(std::ifstream(path));
  for (const auto& [name, values] : text.at("inputs").items())
    inputs[name] = {.shape = values.at("dims").get<std::vector<int64_t>>(),
                    .data = values.at("data").get<std::vector<float>>()};
  return inputs;
}

// A net is FILE.onnx, or FILE.prototxt and FILE.caffemodel.
Status run_file(const std::string& path, const std::string& weights, DType type,
                const ImportOptions& options, bool runs, bool explains, bool keeps) {
  const bool is_onnx = weights.empty();
  TW_ASSIGN_OR_RETURN(ready, prepare_float({.prototxt = is_onnx ? "" : path,
                                            .caffemodel = is_onnx ? path : weights,
                                            .table = std::nullopt,
                                            .import = options}));
  const Network& network = ready.network;
  const compiled_nets::Values inputs = inputs_of(path, network);
  NetCalibrationParameter table;
  if (type == DType::i8) table = compiled_nets::largest_values(network, inputs);
  TW_ASSIGN_OR_RETURN(compiled,
                      bm1684x::compile(network, {.type = type,
                                                 .table = type == DType::i8 ? &table : nullptr,
                                                 .keep_all = keeps}));
  if (explains) std::printf("%s\n", compiled.explanation.c_str());
  std::printf("%s %s: %zu commands, %.3f ms predicted, %.1f MB moved\n", path.c_str(),
              name_of(type).c_str(), compiled.program.size(),
              static_cast<double>(compiled.predicted_cycles) / 1e6,
              static_cast<double>(compiled.global_bytes) / 1e6);
  std::fflush(stdout);
  if (keeps) return print_cosines(network, compiled, inputs);
  if (!runs) return {};
  TW_ASSIGN_OR_RETURN(expected, floats_of(network, inputs));
  TW_ASSIGN_OR_RETURN(actual, compiled_nets::run(compiled, network, inputs));
  for (size_t i = 0; i < expected.size(); ++i)
    std::printf("  output %zu: cosine %.7f, largest difference %.5f\n", i,
                test::cosine(actual[i], expected[i]), difference(actual[i], expected[i]));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::optional<bm1684x::ScopedTarget> scope;
  if (!arguments.empty() && arguments[0] == "--bm1684") {
    scope.emplace(bm1684::bm1684_target());
    arguments.erase(arguments.begin());
  }
  const auto number = [&](size_t i, uint64_t otherwise) {
    return arguments.size() > i ? std::stoull(arguments[i]) : otherwise;
  };
  if (arguments.size() == 1 && arguments[0] == "--masks") return test::run_masks();
  if (arguments.size() < 2) {
    std::fprintf(stderr,
                 "Usage: %s --random|--wide COUNT [SEED [FIRST]] | --masks | FILE.onnx TYPE\n",
                 argv[0]);
    return 2;
  }
  if (arguments[0] == "--random" || arguments[0] == "--wide")
    return run_random(number(1, 100), number(2, 1), number(3, 0), arguments[0] == "--wide");
  if (arguments[0] == "--forms") {
    for (const std::string& form : known_forms(bm1684x::target()))
      if (form.find(arguments[1]) != std::string::npos) std::printf("%s\n", form.c_str());
    return 0;
  }
  if (arguments[0] == "--tensors") {
    const Status status = print_tensors(number(1, 1), number(2, 0));
    if (!status.ok()) std::printf("%s\n", status.message().c_str());
    return status.ok() ? 0 : 1;
  }
  ImportOptions options{.has_subnets = true};
  std::string weights;
  if (arguments.size() > 2 && arguments[0].ends_with(".prototxt")) {
    weights = arguments[1];
    arguments.erase(arguments.begin() + 1);
  }
  bool runs = true, explains = false, keeps = false;
  for (size_t i = 2; i < arguments.size(); ++i) {
    if (arguments[i] == "--no-run") runs = false;
    if (arguments[i] == "--explain") explains = true;
    if (arguments[i] == "--cosines") keeps = true;
    if (arguments[i] == "--shape" && i + 1 < arguments.size())
      options.input_shapes.push_back(make_shape(numbers(arguments[i + 1])));
  }
  const Status status =
      run_file(arguments[0], weights, type_of(arguments[1]), options, runs, explains, keeps);
  if (!status.ok()) std::printf("%s: %s\n", arguments[0].c_str(), status.message().c_str());
  return status.ok() ? 0 : 1;
}
