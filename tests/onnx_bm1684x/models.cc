// onnx_bm1684x [--bm1684] ...: the same for the BM1684, in fp32 and int8.
// onnx_bm1684x --random COUNT [SEED [FIRST]]: compiles random models for the BM1684X in all
// types, runs them on the simulator, and compares with float execution. Prints refusals by reason.
// onnx_bm1684x --wide COUNT [SEED [FIRST]]: the same with graphs and with unusual forms, values and
// extents. It also counts the models that the import refuses. In both, a command without a
// recorded form is an error.
// onnx_bm1684x --forms WORD: the recorded forms of commands that contain this.
// onnx_bm1684x --masks: nets with masks, in int8 (masks.h).
// onnx_bm1684x --tensors SEED INDEX [TYPE]: how much each tensor of a random model differs
// (tensors.h); --cosines does so for a file.
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
#include "onnx_bm1684x/agreement.h"
#include "onnx_bm1684x/masks.h"
#include "onnx_bm1684x/tensors.h"

namespace {

using namespace tputwin;
using namespace tputwin::net;
namespace compiled_nets = tputwin::net::testing;

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

test::RandomOperator draw(uint64_t seed, uint64_t index, bool wide = false) {
  tputwin::testing::Rng rng(seed, index);
  if (wide) return test::random_wide_operator(rng);
  if (index % 4 != 3) return test::random_operator(rng);
  test::RandomNet net = test::random_net(rng);
  return {std::move(net.model), net.samples.front(), "net" + net.about};
}

// Returns the difference, which may be `tolerance`.
double check(const test::RandomOperator& one, uint64_t seed, uint64_t index, DType type,
             double tolerance, Tally& tally) {
  const std::string where = fmt::format("{} {} ({} {})", one.about, name_of(type), seed, index);
  const test::Agreement a = test::agreement(one, type, tally.wide);
  if (!a.read.ok() && tally.wide && type == DType::f32)
    tally.add_refusal(a.read, one.about, seed, index);
  if (!a.compiled.ok()) {
    tally.add_refusal(a.compiled, where, seed, index);
    const std::string message = a.compiled.message();
    const bool is_listed = std::ranges::any_of(
        kListed, [&](std::string_view part) { return message.find(part) != std::string::npos; });
    if (!is_listed) std::printf("%s: %s\n", where.c_str(), message.c_str());
    tally.unlisted += is_listed ? 0 : 1;
  }
  if (!a.is_complete()) return 0;
  const std::string wrong = a.wrong(tolerance);
  ++(wrong.empty() ? tally.agree : tally.wrong);
  if (!wrong.empty()) std::printf("%s: %s\n", where.c_str(), wrong.c_str());
  return a.difference;
}

// Prints how much each tensor of a random model differs, if all tensors are kept.
Status print_random(uint64_t seed, uint64_t index, DType type) {
  const test::RandomOperator one = test::rounded(draw(seed, index));
  TW_ASSIGN_OR_RETURN(network, test::network_of(one));
  const NetCalibrationParameter table = compiled_nets::largest_values(network, one.inputs);
  TW_ASSIGN_OR_RETURN(compiled,
                      bm1684x::compile(network, {.type = type, .table = &table, .keep_all = true}));
  std::printf("%s\n%s\n", one.about.c_str(), compiled.explanation.c_str());
  return test::print_tensors(network, compiled, one.inputs, type == DType::i8 ? &table : nullptr);
}

int run_random(uint64_t count, uint64_t seed, uint64_t first, bool wide) {
  Tally tally{.wide = wide};
  for (uint64_t i = first; i < first + count; ++i) {
    const test::RandomOperator one = test::rounded(draw(seed, i, wide));
    check(one, seed, i, DType::f32, test::kTolerance32, tally);
    if (bm1684x::target().has_type(DType::f16)) {
      const double half = check(one, seed, i, DType::f16, test::kTolerance16, tally);
      check(one, seed, i, DType::bf16, test::kMostRatio * std::max(half, test::kTolerance16 / 8),
            tally);
    }
    if (!test::has_jumps(one.about)) check(one, seed, i, DType::i8, test::kToleranceBytes, tally);
  }
  std::printf("%d agree, %d wrong, %d refused for unlisted reasons\n", tally.agree, tally.wrong,
              tally.unlisted);
  for (const auto& [reason, example] : tally.refusals)
    std::printf("%6d refused: %s\n        %s\n", example.first, reason.c_str(),
                example.second.c_str());
  const bool fails = tally.wrong + tally.unlisted != 0;
  if (fails)
    std::printf("run again: onnx_bm1684x %s--%s %llu %llu %llu\n",
                bm1684x::target().has_type(DType::f16) ? "" : "--bm1684 ", wide ? "wide" : "random",
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
              static_cast<double>(compiled.predicted_cycles) / compiled.target->chip.clock_hz * 1e3,
              static_cast<double>(compiled.global_bytes) / 1e6);
  std::fflush(stdout);
  if (keeps)
    return test::print_tensors(network, compiled, inputs, type == DType::i8 ? &table : nullptr);
  if (!runs) return {};
  TW_ASSIGN_OR_RETURN(expected, test::floats_of(network, inputs));
  TW_ASSIGN_OR_RETURN(actual, compiled_nets::run(compiled, network, inputs));
  for (size_t i = 0; i < expected.size(); ++i)
    std::printf("  output %zu: cosine %.7f, largest difference %.5f\n", i,
                test::cosine(actual[i], expected[i]), test::difference(actual[i], expected[i]));
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
    for (const std::string& form : compiled_nets::forms_of_target())
      if (form.find(arguments[1]) != std::string::npos) std::printf("%s\n", form.c_str());
    return 0;
  }
  if (arguments[0] == "--tensors") {
    const Status status = print_random(number(1, 1), number(2, 0),
                                       type_of(arguments.size() > 3 ? arguments[3] : "fp32"));
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
