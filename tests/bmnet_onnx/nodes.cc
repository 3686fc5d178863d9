// The node tests of Debian's libonnx-testdata. Every test whose operators are all in operators.def
// runs in float, compared with the results of the test, and in int8, compiled. Tests with only
// integers or constants are folded, and run in float. not_run.txt lists the other tests with their
// reasons (TPUTWIN_REBASE=1 writes it).
#include <fmt/format.h>
#include <onnx/shape_inference/implementation.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "bmnet_onnx/support.h"

namespace tputwin::test {
namespace {

namespace fs = std::filesystem;

const std::string kData = "/usr/lib/python3/dist-packages/onnx/backend/test/data";
const std::string kNotRun = TPUTWIN_SOURCE_DIR "/tests/bmnet_onnx/not_run.txt";
constexpr double kTolerance = 1e-3, kLeastCosine = 0.98;

const std::set<std::string>& operators() {
  static const std::set<std::string> names = {
#define TW_ONNX(name, ...) #name,
#define TW_ONNX_EXPANDED(name, ...) #name,
#define TW_MICROSOFT(name, ...)
#include "bmnet/onnx/operators.def"
  };
  return names;
}

template <class Message>
Message read(const fs::path& path) {
  Message message;
  std::ifstream file(path, std::ios::binary);
  message.ParseFromIstream(&file);
  return message;
}

struct Case {
  std::string name;
  fs::path folder;
  onnx::ModelProto model;
};

std::vector<Case> cases() {
  std::vector<Case> found;
  for (const char* part : {"node", "simple", "pytorch-converted", "pytorch-operator"})
    for (const auto& entry : fs::directory_iterator(kData + "/" + part)) {
      Case one{std::string(part) + "/" + entry.path().filename().string(), entry.path(), {}};
      one.model = read<onnx::ModelProto>(entry.path() / "model.onnx");
      const auto& nodes = one.model.graph().node();
      const auto known = [](const auto& node) { return operators().contains(node.op_type()); };
      if (std::all_of(nodes.begin(), nodes.end(), known)) found.push_back(std::move(one));
    }
  std::ranges::sort(found, {}, &Case::name);
  return found;
}

// Makes constants of inputs from number `first` on, and of all integers except bytes. Models older
// than opset 7 are read as opset 7: their operators are equal, or the importer detects the
// difference.
onnx::ModelProto with_constants(const Case& one, int first, Blobs& inputs) {
  onnx::ModelProto model = one.model;
  for (auto& import : *model.mutable_opset_import())
    if (import.version() < 7) import.set_version(7);
  auto& graph = *model.mutable_graph();
  std::set<std::string> constant;
  for (const auto& tensor : graph.initializer()) constant.insert(tensor.name());
  const fs::path data = one.folder / "test_data_set_0";
  int file = 0, number = 0;
  inputs.clear();
  for (const auto& info : one.model.graph().input()) {
    if (constant.contains(info.name())) continue;
    auto tensor = read<onnx::TensorProto>(data / fmt::format("input_{}.pb", file++));
    const int type = info.type().tensor_type().elem_type();
    const bool can_be_input = type == onnx::TensorProto::FLOAT ||
                              type == onnx::TensorProto::DOUBLE || type == onnx::TensorProto::UINT8;
    if (can_be_input && number++ < first) {
      inputs[info.name()] = {{tensor.dims().begin(), tensor.dims().end()}, values(tensor)};
      continue;
    }
    tensor.set_name(info.name());
    if (type == onnx::TensorProto::BFLOAT16) tensor.set_data_type(type);  // the file has uint16
    *graph.add_initializer() = tensor;
  }
  return model;
}

std::string difference(const std::vector<float>& got, const std::vector<float>& expected) {
  if (got.size() != expected.size())
    return fmt::format("{} values instead of {}", got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(expected[i])) continue;
    const double error = std::fabs(double{got[i]} - expected[i]);
    if (!(error <= 1e-5 + kTolerance * std::fabs(expected[i])) && got[i] != expected[i])
      return fmt::format("value {} is {} instead of {}", i, got[i], expected[i]);
  }
  return "";
}

bool finite(const std::vector<float>& values) {
  return std::ranges::all_of(values, [](float v) { return std::isfinite(v); });
}

// The outcome of a run: a reason why there was none, a difference, or neither.
struct Outcome {
  std::string reason, wrong;
};

// True for an output that is a constant: constant_tensor() adds the values to a zero.
bool holds_constant(const net::Network& network, const std::string& tensor) {
  const net::TensorOp* maker = network.producer(tensor);
  return maker != nullptr && maker->bottom_size() == 1 && maker->bottom(0) == tensor + "/zero";
}

Outcome compare(const Case& one, const net::Network& network, const Blobs& inputs,
                bool is_folded = false) {
  auto in_float = run_float(network, inputs);
  if (!in_float.ok()) return {"", "float: " + in_float.error().message()};
  bool is_finite = true;
  std::map<std::string, std::vector<float>> expected;
  const auto names = network.outputs();
  for (int i = 0; i < static_cast<int>(names.size()); ++i) {
    const int type = one.model.graph().output(i).type().tensor_type().elem_type();
    // in the net, positions, an input's bytes and folded constants are floats
    const std::string& name = names.at(static_cast<size_t>(i));
    const bool integers = is_folded || type == onnx::TensorProto::BOOL ||
                          type == onnx::TensorProto::UINT8 ||
                          (type == onnx::TensorProto::INT64 &&
                           (network.shape_of(name)->data_type_size() == sizeof(float) ||
                            holds_constant(network, name)));
    if (type != onnx::TensorProto::FLOAT && type != onnx::TensorProto::DOUBLE && !integers)
      return {"a result that is no float", ""};
    const auto tensor =
        read<onnx::TensorProto>(one.folder / "test_data_set_0" / fmt::format("output_{}.pb", i));
    expected[name] = values(tensor);
    if (const std::string wrong = difference(in_float->at(name).data, expected[name]);
        !wrong.empty())
      return {"", "float: " + name + ": " + wrong};
    is_finite = is_finite && finite(expected[name]);
  }
  if (!is_finite || is_folded) return {};
  auto net = quantized(network, inputs);
  if (!net.ok()) return {"int8: " + net.error().message(), ""};
  auto in_int8 = run_int8(*net, inputs);
  if (!in_int8.ok()) return {"int8: " + in_int8.error().message(), ""};
  for (const auto& [name, wanted] : expected)
    if (const double c = cosine(in_int8->at(name).data, wanted); c < kLeastCosine)
      return {fmt::format("int8: {} has the cosine {:.3f}", name, c), ""};
  return {};
}

std::vector<int64_t> without_last_ones(std::vector<int64_t> dims) {
  while (!dims.empty() && dims.back() == 1) dims.pop_back();
  return dims;
}

// Compares shapes with libonnx's inference, for every tensor whose extents it knows. Maps of one
// axis have a second axis of 1 in the net. Returns the difference or "".
std::string other_shape(onnx::ModelProto model, const net::Network& network) {
  try {
    onnx::shape_inference::InferShapes(model);
  } catch (const std::exception&) {
    return "";  // it does not know a type
  }
  const auto& graph = model.graph();
  for (const auto* list : {&graph.value_info(), &graph.output()})
    for (const auto& info : *list) {
      const net::TensorShape* const ours = network.shape_of(info.name());
      const auto& shape = info.type().tensor_type().shape();
      const auto known = [](const auto& dim) { return dim.dim_value() > 0; };
      if (ours == nullptr || !info.type().tensor_type().has_shape() || shape.dim_size() > 4 ||
          !std::all_of(shape.dim().begin(), shape.dim().end(), known))
        continue;
      std::vector<int64_t> theirs;
      for (const auto& dim : shape.dim()) theirs.push_back(dim.dim_value());
      if (without_last_ones(net::dims(*ours)) != without_last_ones(theirs))
        return fmt::format("{}: {} instead of {}", info.name(), net::describe(*ours),
                           net::describe(net::make_shape(theirs)));
    }
  return "";
}

// For a model of constants and integers only: adds float zeros to each result, so that the output
// is the folded result as a float. Returns nullopt if a result cannot be converted.
std::optional<onnx::ModelProto> with_zeros(const Case& one, onnx::ModelProto model, Blobs& inputs) {
  auto& graph = *model.mutable_graph();
  for (int i = 0; i < graph.output_size(); ++i) {
    const auto result =
        read<onnx::TensorProto>(one.folder / "test_data_set_0" / fmt::format("output_{}.pb", i));
    const std::vector<int64_t> dims(result.dims().begin(), result.dims().end());
    const size_t count = values(result).size();
    const std::string zeros = fmt::format("zeros{}", i), sum = fmt::format("sum{}", i);
    if (count == 0) return std::nullopt;
    ModelBuilder more;
    more.input(zeros, dims);
    more.set(more.node("Cast", {graph.output(i).name()}, {sum + "/real"}), "to",
             int64_t{onnx::TensorProto::FLOAT});
    more.node("Add", {zeros, sum + "/real"}, {sum});
    more.output(sum);
    graph.add_input()->CopyFrom(more.model.graph().input(0));
    for (const auto& node : more.model.graph().node()) *graph.add_node() = node;
    *graph.mutable_output(i) = more.model.graph().output(0);
    inputs[zeros] = {dims, std::vector<float>(count)};
  }
  return model;
}

// Runs the folding of results that are constant for all inputs.
std::optional<Outcome> run_folded(const Case& one) {
  Blobs inputs;
  const auto model = with_zeros(one, with_constants(one, 0, inputs), inputs);
  if (!model) return std::nullopt;
  const auto network = import(*model);
  if (!network.ok()) return std::nullopt;
  return compare(one, *network, inputs, true);
}

Outcome run(const Case& one) {
  Blobs inputs;
  std::string reason;
  // Tries with as few constants as possible; then without the further results, which training uses.
  for (bool all : {true, false})
    for (int first = 4; first > 0; --first) {
      onnx::ModelProto model = with_constants(one, first, inputs);
      auto& outputs = *model.mutable_graph()->mutable_output();
      if (!all) outputs.DeleteSubrange(1, outputs.size() - 1);
      auto network = import(model);
      if (network.ok()) {
        if (const std::string wrong = other_shape(model, *network); !wrong.empty())
          return {"", "shapes: " + wrong};
        return compare(one, *network, inputs);
      }
      if (!all) continue;
      reason = network.error().message();
      if (const size_t end = reason.find(" ["); end != std::string::npos) reason.resize(end);
      if (const size_t end = reason.find('\n'); end != std::string::npos) reason.resize(end);
    }
  return run_folded(one).value_or(Outcome{reason, ""});
}

TEST(NodeTests, OfAllOperatorsOfTheTable) {
  if (!fs::exists(kData)) GTEST_SKIP() << "no " << kData << "; it is in Debian's libonnx-testdata";
  const std::vector<Case> all = cases();
  std::string not_run;
  size_t ran = 0;
  for (const Case& one : all) {
    const Outcome outcome = run(one);
    EXPECT_EQ(outcome.wrong, "") << one.name;
    if (outcome.reason.empty())
      ++ran;
    else
      not_run += one.name + ": " + outcome.reason + "\n";
  }
  not_run = fmt::format("{} of {} run\n", ran, all.size()) + not_run;
  if (std::getenv("TPUTWIN_REBASE") != nullptr) std::ofstream(kNotRun) << not_run;
  std::stringstream expected;
  expected << std::ifstream(kNotRun).rdbuf();
  EXPECT_EQ(not_run, expected.str());
}

}  // namespace
}  // namespace tputwin::test
