// Builds stages of subnets, and files of them, for tests.
#pragma once

#include <string>

#include "bmodel/samples168x.h"

namespace tputwin::bmodel::bm168x::samples {

// Returns a tensor in host memory.
inline std::unique_ptr<TensorT> host_tensor(std::string name, std::vector<uint64_t> dims,
                                            ElementType type = ElementType::f32) {
  return tensor168x(std::move(name), 0, std::move(dims), type);
}

// A net of one stage; subnets are numbered in the order in which they are added, and run in that
// order.
class SubnetFile {
 public:
  explicit SubnetFile(const char* chip = "BM1684X") {
    model.type = "B";
    model.version = "2.2";
    model.time = "today";
    model.chip = chip;
    model.net.push_back(std::make_unique<NetT>());
    model.net[0]->name = "net";
    model.net[0]->parameter.push_back(std::make_unique<NetParameterT>());
  }
  // Adds subnets after those of an existing net.
  explicit SubnetFile(const File& file)
      : model(file.model), binary(file.binary.begin(), file.binary.end()) {}

  NetT& net() { return *model.net[0]; }
  NetParameterT& stage() { return *net().parameter[0]; }
  std::vector<uint8_t> bytes() const { return write(model, binary); }

  void input(std::unique_ptr<TensorT> tensor) { stage().input_tensor.push_back(std::move(tensor)); }
  void output(std::unique_ptr<TensorT> tensor) {
    stage().output_tensor.push_back(std::move(tensor));
  }

  using Tensors = std::vector<TensorT>;
  SubNetT& subnet(SubnetMode mode, const Tensors& inputs, const Tensors& outputs) {
    auto& list = stage().sub_net;
    const auto id = static_cast<int32_t>(list.size());
    if (!list.empty() && list.back()->next_subnet_ids.empty()) list.back()->next_subnet_ids = {id};
    auto made = std::make_unique<SubNetT>();
    made->subnet_mode = static_cast<int32_t>(mode);
    made->id = id;
    for (const TensorT& tensor : inputs)
      made->input_tensor.push_back(std::make_unique<TensorT>(tensor));
    for (const TensorT& tensor : outputs)
      made->output_tensor.push_back(std::make_unique<TensorT>(tensor));
    list.push_back(std::move(made));
    return *list.back();
  }
  // Adds an operator with the bytes of its parameters.
  SubNetT& cpu(int32_t op_type, const std::string& parameters, const Tensors& inputs,
               const Tensors& outputs) {
    SubNetT& made = subnet(SubnetMode::cpu, inputs, outputs);
    auto param = std::make_unique<CpuParamT>();
    param->op_type = op_type;
    param->binary_param = std::make_unique<Binary>(add(parameters));
    made.cpu_param.push_back(std::move(param));
    return made;
  }
  // Adds one of tputwin's operators.
  SubNetT& cpu(const std::string& text, const Tensors& inputs, const Tensors& outputs) {
    return cpu(16880, "tputwin-host-operator-1 " + text, inputs, outputs);
  }
  SubNetT& branch(const Tensors& inputs, const Tensors& outputs, std::vector<int32_t> from,
                  std::vector<int32_t> branches, std::vector<int32_t> next) {
    SubNetT& made = subnet(SubnetMode::switch_branch, inputs, outputs);
    made.switch_param = std::make_unique<SwitchParamT>();
    made.switch_param->output_from = std::move(from);
    made.switch_param->output_branch = std::move(branches);
    made.next_subnet_ids = std::move(next);
    return made;
  }
  SubNetT& merge(const Tensors& inputs, const Tensors& outputs,
                 const std::vector<std::vector<int32_t>>& from) {
    SubNetT& made = subnet(SubnetMode::merge, inputs, outputs);
    made.merge_param = std::make_unique<MergeParamT>();
    for (const auto& list : from) {
      made.merge_param->output_from.push_back(std::make_unique<OutputFromT>());
      made.merge_param->output_from.back()->indice = list;
    }
    return made;
  }
  Binary add(std::span<const char> data) {
    const Binary place(binary.size(), data.size());
    binary.insert(binary.end(), data.begin(), data.end());
    return place;
  }

  ModelT model;
  std::vector<uint8_t> binary;
};

}  // namespace tputwin::bmodel::bm168x::samples
