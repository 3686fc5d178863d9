// onnx_runtime_models FOLDER [COUNT [SEED [FIRST]]]: writes random models, their inputs, and the
// results of tputwin's float execution, for compare.mjs.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

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

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "Usage: %s FOLDER [COUNT [SEED [FIRST]]]\n", argv[0]);
    return 2;
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
    json text = {{"about", one.about}, {"inputs", to_json(one.inputs)}};
    auto network = import(one.model);
    if (network.ok())
      text["outputs"] = outputs_of(one.model, *network, one.inputs, text);
    else
      text["refused"] = network.status().message();
    const std::string stem = (folder / std::to_string(i)).string();
    std::ofstream model(stem + ".onnx", std::ios::binary);
    one.model.SerializeToOstream(&model);
    std::ofstream(stem + ".json") << text.dump();
  }
  return 0;
}
