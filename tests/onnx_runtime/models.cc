// onnx_runtime_models FOLDER [COUNT [SEED [FIRST]]]: writes random models, their inputs, and the
// results of tputwin's float execution, for compare.mjs.
// onnx_runtime_models --forms FOLDER: writes models of every form of every operator.
// onnx_runtime_models --of FOLDER: adds the results for the models in the folder, whose inputs are
// in the JSON file of the same name. --int8 adds the cosines of the int8 results, too.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bmnet_onnx/form_models.h"
#include "bmnet_onnx/random_net.h"
#include "onnx_runtime/random_operator.h"

namespace {

using nlohmann::json;
using namespace tputwin::test;

json to_json(const Blobs& blobs) {
  json all = json::object();
  for (const auto& [name, blob] : blobs) all[name] = {{"dims", blob.shape}, {"data", blob.data}};
  return all;
}

// Every fourth model is a net of several layers.
RandomOperator draw(tputwin::testing::Rng& rng, uint64_t index) {
  if (index % 4 != 3) return random_operator(rng);
  RandomNet net = random_net(rng);
  return {std::move(net.model), net.samples.front(), "net" + net.about};
}

// Results by the names of the model's outputs, in their order.
json outputs_of(const onnx::ModelProto& model, const tputwin::net::Network& network,
                const Blobs& inputs, json& text) {
  auto result = run_float(network, inputs);
  if (!result.ok()) {
    text["refused"] = result.status().message();
    return json::array();
  }
  json all = json::array();
  const auto& end = network.ops.back();
  for (int i = 0; i < end.bottom_size(); ++i) {
    json values = json::array();
    for (const float v : result->at(end.bottom(i)).data)
      std::isfinite(v) ? values.push_back(v) : values.push_back(std::to_string(v));
    all.push_back({{"name", model.graph().output(i).name()}, {"data", std::move(values)}});
  }
  return all;
}

// The shapes of the inputs, which may be open in the model.
tputwin::net::ImportOptions shapes_of(const onnx::ModelProto& model, const Blobs& inputs) {
  tputwin::net::ImportOptions options;
  for (const auto& input : model.graph().input())
    if (const auto found = inputs.find(input.name()); found != inputs.end())
      options.input_shapes.push_back(tputwin::net::make_shape(found->second.shape));
  return options;
}

// Says whether a model is one of export_forms.py or has inputs of integers, so that chips may take
// it whose nets have parts on the host.
bool may_have_subnets(const json& text) {
  return text.contains("tolerance") ||
         std::ranges::any_of(text["inputs"], [](const json& one) { return one.contains("type"); });
}

// Adds results, or the reason for none, to the text about a model. "host" says that only chips
// whose nets have parts on the host take it.
void add_outputs(const onnx::ModelProto& model, const Blobs& inputs, json& text,
                 bool has_subnets = false) {
  for (const char* earlier : {"refused", "outputs", "int8", "host"}) text.erase(earlier);
  tputwin::net::ImportOptions options = shapes_of(model, inputs);
  options.has_subnets = has_subnets;
  auto network = import(model, options);
  if (!network.ok() && may_have_subnets(text)) {
    options.has_subnets = true;
    text["host"] = network.status().message();
    network = import(model, options);
  }
  if (network.ok())
    text["outputs"] = outputs_of(model, *network, inputs, text);
  else
    text["refused"] = network.status().message();
}

// The cosines of int8 results with those of the float net, with the input's ranges as thresholds.
void add_cosines(const onnx::ModelProto& model, const Blobs& inputs, json& text) {
  auto network = import(model, shapes_of(model, inputs));
  auto expected = run_float(*network, inputs);
  auto int8 = quantized(std::move(*network), inputs);
  if (!expected.ok() || !int8.ok()) {
    text["int8"] = (int8.ok() ? expected.status() : int8.status()).message();
    return;
  }
  auto results = run_int8(*int8, inputs);
  text["int8"] = results.ok() ? json::object() : json(results.status().message());
  if (results.ok())
    for (const auto& [name, blob] : *results)
      text["int8"][name] = cosine(expected->at(name).data, blob.data);
}

// JSON has no infinities and no NaN: they are text.
std::vector<float> numbers(const json& values) {
  std::vector<float> result;
  for (const json& value : values)
    result.push_back(value.is_string() ? std::strtof(value.get<std::string>().c_str(), nullptr)
                                       : value.get<float>());
  return result;
}

void run_models_of(const std::filesystem::path& folder, bool int8) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    std::filesystem::path path = entry.path();
    onnx::ModelProto model;
    std::ifstream file(path, std::ios::binary);
    model.ParseFromIstream(&file);
    path.replace_extension(".json");
    json text = json::parse(std::ifstream(path));
    Blobs inputs;
    for (const auto& [name, blob] : text["inputs"].items())
      inputs[name] = {blob["dims"].empty() ? nlohmann::json{1} : blob["dims"],
                      numbers(blob["data"])};
    add_outputs(model, inputs, text);
    if (int8 && text.contains("outputs") && !text.contains("host"))
      add_cosines(model, inputs, text);
    std::ofstream(path) << text.dump();
  }
}

// Writes a model, and beside it its inputs and results.
void write(const std::filesystem::path& stem, const onnx::ModelProto& model, const Blobs& inputs,
           const std::string& about, bool has_subnets, double step = 0) {
  json text = {{"about", about}, {"inputs", to_json(inputs)}};
  if (step != 0) text["step"] = step;
  add_outputs(model, inputs, text, has_subnets);
  std::ofstream file(stem.string() + ".onnx", std::ios::binary);
  model.SerializeToOstream(&file);
  std::ofstream(stem.string() + ".json") << text.dump();
}

// Returns by how much a quantized net may differ from the float net that tputwin makes of it.
// QuantizeLinear has scales of 0.02: half a step for an input, and one and a half for what follows.
// Dynamic scales of inputs between -1 and 1 are below 0.008, and what follows adds few products.
double rounding(const onnx::ModelProto& model) {
  const auto has = [&](const std::string& start) {
    return std::ranges::any_of(model.graph().node(),
                               [&](const auto& node) { return node.op_type().starts_with(start); });
  };
  return has("QuantizeLinear") ? 0.04 : has("DynamicQuantize") ? 0.005 : 0;
}

void write_forms(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::vector<FormModel> models = form_models();
  for (size_t i = 0; i < models.size(); ++i) {
    const FormModel& one = models[i];
    write(folder / std::to_string(i), one.model, one.inputs, one.about(), one.has_subnets,
          rounding(one.model));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "Usage: %s FOLDER [COUNT [SEED [FIRST]]] | --forms|--of|--int8 FOLDER\n",
                 argv[0]);
    return 2;
  }
  const std::string mode = argv[1];
  if (mode == "--forms" && argc == 3) {
    write_forms(argv[2]);
    return 0;
  }
  if ((mode == "--of" || mode == "--int8") && argc == 3) {
    run_models_of(argv[2], mode == "--int8");
    return 0;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const auto number = [&](int i, uint64_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 0) : otherwise;
  };
  const uint64_t count = number(2, 2000), seed = number(3, 1), first = number(4, 0);
  for (uint64_t i = first; i < first + count; ++i) {
    tputwin::testing::Rng rng(seed, i);
    const RandomOperator one = draw(rng, i);
    write(folder / std::to_string(i), one.model, one.inputs, one.about, false);
  }
  return 0;
}
