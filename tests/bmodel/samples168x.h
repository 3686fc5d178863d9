// Small models of the BM1684X that pass validate(), with streams that are not commands.
#pragma once

#include <numeric>
#include <string>

#include "bmodel/bm168x/model.h"

namespace tputwin::bmodel::bm168x::samples {

inline std::unique_ptr<TensorT> tensor168x(std::string name, uint64_t address,
                                           std::vector<uint64_t> dims, ElementType type) {
  auto tensor = std::make_unique<TensorT>();
  tensor->name = std::move(name);
  tensor->data_type = static_cast<uint32_t>(type);
  tensor->device_addr = address;
  tensor->shape.push_back(std::make_unique<ShapeT>());
  tensor->shape[0]->dim = std::move(dims);
  tensor->size = tensor_bytes(*tensor);
  tensor->mem_type = 1;
  return tensor;
}

inline std::unique_ptr<CmdGroupT> group168x(uint64_t start) {
  auto group = std::make_unique<CmdGroupT>();
  group->bdc_num = group->gdma_num = 1;
  group->binary_bdc = std::make_unique<Binary>(start, 128);
  group->binary_gdma = std::make_unique<Binary>(start + 128, 128);
  group->bdc_cmd_byte = group->gdma_cmd_byte = 128;
  return group;
}

inline std::unique_ptr<NetParameterT> stage168x(uint64_t height) {
  constexpr uint64_t kNeurons = 0x1'0000'1000;
  auto stage = std::make_unique<NetParameterT>();
  stage->input_tensor.push_back(tensor168x("in", kNeurons, {1, 2, height, 4}, ElementType::f32));
  stage->output_tensor.push_back(
      tensor168x("out", kNeurons + 0x800, {1, 2, height, 4}, ElementType::i8));
  stage->output_tensor[0]->scale = 0.5f;
  stage->ctx_addr = kNeurons;
  stage->ctx_sizes = {stage->ctx_size = 0x1000};
  stage->coeff_mem = std::make_unique<CoeffMemT>();
  stage->coeff_mem->address = 0x1'0000'0000;
  stage->coeff_mem->binary_coeff = std::make_unique<Binary>(0, 64);
  stage->cmd_group.push_back(group168x(64));
  for (int id : {0, 1}) {
    auto subnet = std::make_unique<SubNetT>();
    subnet->cmd_group.push_back(group168x(64));
    subnet->id = id;
    subnet->next_subnet_ids = {id == 0 ? 1 : -1};
    subnet->input_tensor.push_back(std::make_unique<TensorT>(*stage->input_tensor[0]));
    subnet->output_tensor.push_back(std::make_unique<TensorT>(*stage->output_tensor[0]));
    stage->sub_net.push_back(std::move(subnet));
  }
  return stage;
}

// Two nets, one of two stages.
inline ModelT model168x() {
  ModelT model;
  model.type = "B";
  model.version = "2.2";
  model.time = "today";
  model.chip = "BM1684X";
  model.device_num = 1;
  for (const char* name : {"first", "second"}) {
    auto net = std::make_unique<NetT>();
    net->name = name;
    net->parameter.push_back(stage168x(5));
    model.net.push_back(std::move(net));
  }
  model.net[0]->parameter.push_back(stage168x(7));
  // One subnet only: validate() checks the addresses of its tensors.
  model.net[1]->parameter[0]->sub_net.pop_back();
  model.net[1]->parameter[0]->sub_net[0]->next_subnet_ids = {-1};
  return model;
}

inline std::vector<uint8_t> binary168x() {
  std::vector<uint8_t> bytes(64 + 256);
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  return bytes;
}

inline std::vector<uint8_t> file168x() { return write(model168x(), binary168x()); }

}  // namespace tputwin::bmodel::bm168x::samples
