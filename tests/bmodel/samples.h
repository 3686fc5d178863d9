// Synthetic models for tests. Their command buffers are arbitrary bytes: containers do not decode
// them.
#pragma once

#include "bmodel/bmodel.h"

namespace tputwin::bmodel::samples {

inline Variety variety(uint32_t height) {
  uint32_t input = 3 * height * 12;
  return {.inputs = {{.shape = {1, 3, height, 12}, .threshold = 255.124573f}},
          .cmdbuf = std::vector<uint8_t>(height, 0xa5),
          .neuron_size = input + 6,
          .outputs = {
              {.name = "prob", .shape = {1, 4, 1, 1}, .offset = input, .threshold = 0.1f},
              {.name = "box", .shape = {1, 2, 1, 1}, .offset = input + 4, .threshold = 1.25e-9f}}};
}

// A model that both containers can hold.
inline Model common() {
  return {.name = "sample",
          .version = "0.1.1",
          .container = Container::v0_1_1,
          .weights = {{1, 2, 3, 250, 0}},
          .varieties = {variety(12), variety(7)},
          .libraries = {{.name = "ELU", .x86_64 = {0x7f, 'E', 'L', 'F'}, .armv8 = {9, 9}}}};
}

// Two varieties that share a weight, and one that uses the file's weight.
inline Model own_weights() {
  Model model = common();
  model.weights.push_back({7, 7});
  model.varieties.push_back(variety(20));
  model.varieties[1].weight_index = model.varieties[2].weight_index = 1;
  return model;
}

// A model that only 2.1 can hold: several weights, several inputs, gaps, other formats, odd ranks.
inline Model rich() {
  Model model = common();
  model.version = to_string(Container::v2_1);
  model.container = Container::v2_1;
  model.fmt = 3;
  model.type.front() = 'B';
  model.node_num = 2;
  model.weights.push_back({42});
  model.varieties[0].neuron_size = 1 << 20;
  model.varieties[0].inputs.push_back({.shape = {5}, .fmt = 9, .offset = 432});
  model.varieties[0].inputs.push_back({.shape = {2, 2}, .threshold = -0.5f, .offset = 4096});
  model.varieties[0].outputs[1].offset = 65536;
  model.varieties[0].outputs[1].fmt = 0;
  model.varieties[1].weight_index = 1;
  for (const char* layer : {"conv1", "relu1", "conv1"}) model.varieties[1].layers.append(layer, 2);
  return model;
}

}  // namespace tputwin::bmodel::samples
