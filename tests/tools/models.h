// Small models with real command buffers, made with tputwin's encoder.
#pragma once

#include <utility>

#include "bmodel/bmodel.h"
#include "isa/bm1880_codec.h"
#include "memory/layout.h"

namespace tputwin::tools::models {

// Appends operations with the numbers and waits of serial execution.
class Program {
 public:
  Program& add(const Operation& op, uint8_t flags = isa::kFlagNone) {
    isa::Descriptor descriptor = isa::encode(op, bm1880());
    if (auto* bd = std::get_if<isa::BdDescriptor>(&descriptor)) {
      bd->cmd_id_tpu = ++compute_;
      bd->cmd_id_gdma = std::exchange(new_dma_, false) ? dma_ : 0;
      new_compute_ = true;
    } else if (auto* gdma = std::get_if<isa::GdmaDescriptor>(&descriptor)) {
      gdma->cmd_id = ++dma_;
      gdma->cmd_id_bd = std::exchange(new_compute_, false) ? compute_ : 0;
      new_dma_ = true;
    } else {
      // A CPU command ends a segment: numbers start again.
      compute_ = dma_ = 0;
      new_compute_ = new_dma_ = false;
    }
    isa::append_record(descriptor, flags, bytes_);
    return *this;
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
  uint32_t compute_ = 0, dma_ = 0;
  bool new_compute_ = false, new_dma_ = false;
};

// Returns out = max(saturate(in * weight >> 4, rounded), 0) for an int8 image; the weight has the
// shape of the input.
inline bmodel::Variety scaled_relu(const Shape& shape) {
  TensorView image = local_tensor(bm1880(), 0x0000, shape, true, DType::i8);
  TensorView weight = local_tensor(bm1880(), 0x4000, shape, true, DType::i8);
  auto count = static_cast<uint32_t>(shape.count());
  Program program;
  program.add(DmaTensor{.dst = image, .src = global_tensor(0, shape)}, isa::kFlagNeuron)
      .add(DmaTensor{.dst = weight, .src = global_tensor(0, shape)}, isa::kFlagWeight)
      .add(Elementwise{
          .kind = Elementwise::Kind::mul, .out = image, .a = image, .b = weight, .rshift = 4})
      .add(Elementwise{.kind = Elementwise::Kind::max,
                       .out = image,
                       .a = image,
                       .b_is_constant = true,
                       .constant = 0})
      .add(DmaTensor{.dst = global_tensor(count, shape), .src = image}, isa::kFlagNeuron);
  std::vector<uint32_t> extents{shape.n, shape.c, shape.h, shape.w};
  return {.inputs = {{.shape = extents, .threshold = 64}},
          .cmdbuf = program.bytes(),
          .neuron_size = 2 * count,
          .outputs = {{.name = "scaled", .shape = extents, .offset = count, .threshold = 32}}};
}

inline bmodel::Model tiny() {
  bmodel::Model model{.name = "tiny", .container = bmodel::Container::v0_1_1};
  for (int i = 0; i < 32; ++i) model.weights.resize(1), model.weights[0].push_back(uint8_t(i * 7));
  model.varieties = {scaled_relu({1, 2, 2, 4}), scaled_relu({1, 2, 4, 4})};
  return model;
}

}  // namespace tputwin::tools::models
