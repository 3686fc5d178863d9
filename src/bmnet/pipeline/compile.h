// Compilation of a Network and a calibration table to commands, weights and the data of a bmodel.
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

// The documented levels. Each includes all previous ones. All give the same results.
enum class Level {
  // Every layer by itself: load, compute, store.
  none = 0,
  // Several layers stay in local memory; transfers run in parallel with computation.
  layer_group = 1,
  recycle_memory = 2,      // tensors reuse memory of dead tensors
  merge_activations = 3,   // ReLU becomes part of the layer before it
  weight_optimization = 4  // equal weights are stored once
};

// The code of a customized layer. It writes its commands, and may become a CPU operator
// (op.cpu_op).
using Customized = std::function<Status(TensorOp& op, const LayerIntegers& integers, Program&)>;

struct CompileOptions {
  Level level = Level::weight_optimization;
  bool dequantize_outputs = false;  // outputs as floats, by a CPU operator
  bool keep_all = false;            // every tensor stays in neuron memory
  bool layer_names = true;          // the model has the layer of each command
  std::map<std::string, Customized, std::less<>> customized;  // by "tg_" + sub_type
};

struct Compiled {
  std::vector<uint8_t> weight, cmdbuf;
  bmodel::LayerRuns layers;  // layers of the commands
  uint64_t neuron_size = 0;
  std::vector<bmodel::Input> inputs;
  std::vector<bmodel::Output> outputs;
  std::vector<std::string> cpu_operators;  // plugin names, each once
  ::bmnet::NetParameter optimized;         // written by store_prototxt
  // Groups, slices, local memory and predicted cycles, as text.
  std::string explanation;
  // Cycles of the commands, without CPU operators: at full rate, and the predicted time of a run
  // (docs/timing.md), by which groups are chosen.
  uint64_t price_cycles = 0, predicted_cycles = 0;
  uint64_t global_bytes = 0;  // between global and local memory
  uint64_t instructions = 0;
  // Offsets of the tensors whose memory is not recycled.
  std::map<std::string, uint64_t, std::less<>> tensor_offsets;

  uint64_t output_offset() const { return outputs.empty() ? 0 : outputs.front().offset; }
  uint64_t output_bytes() const;
};

// Compiles a folded network with quantized blobs.
Result<Compiled> compile(const Network& network, const NetCalibrationParameter& table,
                         const CompileOptions& options = {});
// Compiles with integers that are already resolved.
Result<Compiled> compile(const Network& network, const std::vector<LayerIntegers>& integers,
                         const CompileOptions& options = {});

// Returns a model of container 2.1 with one variety.
bmodel::Model to_model(const Compiled& compiled, const std::string& name);

}  // namespace tputwin::net
