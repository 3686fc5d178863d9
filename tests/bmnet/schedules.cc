// Transfers run in parallel with computation: every order that the waits of the commands allow
// gives the same results. The test detects a missing wait, and steps that share an address.
#include <gtest/gtest.h>

#include <algorithm>

#include "bmnet/support.h"
#include "isa/bm1880_codec.h"
#include "machine/device.h"

namespace tputwin::testing {
namespace {

constexpr uint64_t kNeurons = 0x1000000, kWeights = 0x40000000;

Result<std::vector<TensorBytes>> run_in_order(const net::Compiled& compiled, const Network& network,
                                              const std::map<std::string, TensorBytes>& inputs,
                                              Schedule schedule, uint64_t seed) {
  TW_ASSIGN_OR_RETURN(device,
                      Device::create({.chip = &bm1880(), .schedule = schedule, .seed = seed}));
  uint8_t* memory = device->memories().take_global().data();
  std::copy(compiled.weight.begin(), compiled.weight.end(), memory + kWeights);
  const std::vector<std::string> names = network.inputs();
  for (size_t i = 0; i < names.size(); ++i) {
    const TensorBytes& input = inputs.at(names[i]);
    std::copy(input.begin(), input.end(), memory + kNeurons + compiled.inputs[i].offset);
  }
  std::vector<uint8_t> commands = compiled.cmdbuf;
  TW_RETURN_IF_ERROR(isa::relocate(commands, kNeurons, kWeights));
  TW_ASSIGN_OR_RETURN(program, isa::decode_program(commands, bm1880()));
  for (Instruction& instruction : program) device->submit(std::move(instruction));
  TW_RETURN_IF_ERROR(device->drain());
  std::vector<TensorBytes> outputs;
  for (const bmodel::Output& o : compiled.outputs) {
    const uint8_t* at = memory + kNeurons + o.offset;
    outputs.emplace_back(at, at + o.bytes());
  }
  return outputs;
}

// Residual blocks: long-lived tensors that are stored and still used, and several slices.
constexpr const char* kNet = R"(
layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 2 dim: 3 dim: 120 dim: 116 } } }
layer { name: 'a' type: 'Convolution' bottom: 'data' top: 'a' convolution_param { num_output: 64 kernel_size: 7 stride: 2 pad: 3 } }
layer { name: 'ar' type: 'ReLU' bottom: 'a' top: 'a' }
layer { name: 'p' type: 'Pooling' bottom: 'a' top: 'p' pooling_param { kernel_size: 3 stride: 2 } }
layer { name: 'b1' type: 'Convolution' bottom: 'p' top: 'b1' convolution_param { num_output: 64 kernel_size: 1 } }
layer { name: 'b2' type: 'Convolution' bottom: 'b1' top: 'b2' convolution_param { num_output: 64 kernel_size: 3 pad: 1 } }
layer { name: 'b3' type: 'Convolution' bottom: 'b2' top: 'b3' convolution_param { num_output: 256 kernel_size: 1 } }
layer { name: 'bs' type: 'Convolution' bottom: 'p' top: 'bs' convolution_param { num_output: 256 kernel_size: 1 } }
layer { name: 'e' type: 'Eltwise' bottom: 'b3' bottom: 'bs' top: 'e' }
layer { name: 'n' type: 'LRN' bottom: 'p' top: 'n' lrn_param { local_size: 5 } }
layer { name: 'd' type: 'Convolution' bottom: 'n' top: 'd' convolution_param { num_output: 24 kernel_size: 3 pad: 1 } }
layer { name: 'c' type: 'Concat' bottom: 'e' bottom: 'd' top: 'c' }
layer { name: 'f' type: 'Convolution' bottom: 'c' top: 'f' convolution_param { num_output: 700 kernel_size: 3 stride: 4 } }
layer { name: 'g' type: 'InnerProduct' bottom: 'f' top: 'g' inner_product_param { num_output: 40 } }
)";

TEST(Schedules, AnyLegalOrderGivesTheSameBytes) {
  auto model = random_model(kNet, 3);
  ASSERT_TRUE(model.ok()) << model.error().message();
  const auto inputs = random_inputs(model->network, 1);
  auto expected = net::run_int8(model->network, model->integers, inputs);
  ASSERT_TRUE(expected.ok()) << expected.error().message();
  for (net::Level level :
       {net::Level::none, net::Level::layer_group, net::Level::weight_optimization}) {
    auto compiled = net::compile(model->network, model->integers, {.level = level});
    ASSERT_TRUE(compiled.ok()) << compiled.error().message();
    for (uint64_t seed = 0; seed < 12; ++seed) {
      const Schedule schedule = seed == 0   ? Schedule::compute_first
                                : seed == 1 ? Schedule::dma_first
                                            : Schedule::shuffled;
      auto outputs = run_in_order(*compiled, model->network, inputs, schedule, seed);
      ASSERT_TRUE(outputs.ok()) << outputs.error().message();
      EXPECT_TRUE((*outputs)[0] == expected->at(model->network.outputs()[0]))
          << "level " << static_cast<int>(level) << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace tputwin::testing
