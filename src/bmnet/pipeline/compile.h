// Network + calibration table -> commands, weights and what a bmodel says about them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bmnet/integers/integers.h"
#include "bmnet/ir/network.h"
#include "bmnet/kernels/program.h"
#include "bmodel/bmodel.h"

namespace tputwin::net {

// The documented levels, each with everything below it. All give the same results.
enum class Level {
  none = 0,                // every layer on its own: load, compute, store
  layer_group = 1,         // several layers stay in local memory, transfers run beside computation
  recycle_memory = 2,      // tensors reuse the neuron memory of dead ones
  merge_activations = 3,   // ReLU becomes part of the layer before it
  weight_optimization = 4  // equal weights are stored once
};

// A customized layer's code: writes its commands, may turn itself into a CPU operator (op.cpu_op).
using Customized = std::function<Status(TensorOp& op, const LayerIntegers& integers, Program&)>;

struct CompileOptions {
  Level level = Level::weight_optimization;
  bool dequantize_outputs = false;  // outputs as floats, by a CPU operator
  bool keep_all = false;            // every tensor stays in neuron memory
  bool layer_names = true;          // the model says of which layers its commands are
  std::map<std::string, Customized, std::less<>> customized;  // by "tg_" + sub_type
};

struct Compiled {
  std::vector<uint8_t> weight, cmdbuf;
  bmodel::LayerRuns layers;  // of the commands
  uint64_t neuron_size = 0;
  std::vector<bmodel::Input> inputs;
  std::vector<bmodel::Output> outputs;
  std::vector<std::string> cpu_operators;  // plugin names, each once
  ::bmnet::NetParameter optimized;         // what store_prototxt writes
  std::string explanation;                 // groups, slices, local memory, predicted cycles
  // Cycles of the commands, without CPU operators: the price at full rate, by which groups are
  // chosen, and the predicted time of a run (docs/timing.md).
  uint64_t price_cycles = 0, predicted_cycles = 0;
  uint64_t global_bytes = 0;  // between global and local memory
  uint64_t instructions = 0;
  // Where tensors lie, for those that are not recycled away.
  std::map<std::string, uint64_t, std::less<>> tensor_offsets;

  uint64_t output_offset() const { return outputs.empty() ? 0 : outputs.front().offset; }
  uint64_t output_bytes() const;
};

// The network is folded and its blobs are quantized.
Result<Compiled> compile(const Network& network, const NetCalibrationParameter& table,
                         const CompileOptions& options = {});
// With integers resolved before.
Result<Compiled> compile(const Network& network, const std::vector<LayerIntegers>& integers,
                         const CompileOptions& options = {});

// A model of container 2.1 with one variety.
bmodel::Model to_model(const Compiled& compiled, const std::string& name);

}  // namespace tputwin::net
