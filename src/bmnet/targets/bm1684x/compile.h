// Compilation of a float net to commands of the BM1684X, and to a model file.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bmnet/pipeline/compile.h"
#include "bmnet/targets/bm1684x/target.h"
#include "ops/instruction.h"

namespace tputwin::net::bm1684x {

// Weights, and offsets and sizes of the parts that are found again.
struct StoredWeights {
  std::vector<uint8_t> bytes;
  std::vector<std::pair<uint64_t, uint64_t>> parts;
};

// A layer of the net, and where it is computed.
struct LayerPlace {
  std::string name, type;
  std::string runs_on;         // "tpu", "host", or "nothing" (no command)
  std::vector<int64_t> shape;  // of the first result
  std::string problem;         // the reason if it is refused
};

struct StreamOptions {
  const Target* target = &bm1684x::target();
  // Type of tensors and weights: f32, f16, bf16, or i8. Layers without commands for bytes compute
  // in f32, or in the floats that the table names.
  DType type = DType::f32;
  // The thresholds of tensors, which i8 needs, and types of single layers. It must outlive
  // compile().
  const NetCalibrationParameter* table = nullptr;
  Level level = Level::weight_optimization;
  bool float_inputs = true;   // inputs are fp32; otherwise of the type of the net
  bool float_outputs = true;  // the same for outputs
  bool keep_all = false;      // every tensor stays in neuron memory
  // Weights of another stage of the net, which begin those of this one. It must outlive compile().
  const StoredWeights* stored = nullptr;
  // Filled with the layers, also if some are refused.
  std::vector<LayerPlace>* places = nullptr;
};

// An input or output of the net. `address` is an offset of global memory.
struct StreamTensor {
  std::string name;
  std::vector<int64_t> shape;
  DType type = DType::f32;
  uint64_t address = 0, bytes = 0;
  float scale = 1;  // a value is its element * scale
};

// A part of a net with operators of the host: commands, or one operator.
struct StreamSubnet {
  std::string host;  // text of the operator (docs/host-operators.md); empty for commands
  std::vector<Instruction> program;
  bmodel::LayerRuns layers;
  std::vector<StreamTensor> inputs, outputs;
};

struct CompiledStream {
  const Target* target = &bm1684x_target();
  std::vector<Instruction> program;
  bmodel::LayerRuns layers;  // of the commands
  // Parts in their order, if the net has operators of the host. Then `program` is empty.
  std::vector<StreamSubnet> subnets;
  std::vector<uint8_t> weights;  // from Target::first_weight() of global memory on
  std::vector<std::pair<uint64_t, uint64_t>> weight_parts;
  uint64_t neurons = 0;  // offset of global memory
  uint64_t neuron_bytes = 0;
  std::vector<StreamTensor> inputs, outputs;
  // Places of all tensors that have bytes of their own for the whole run.
  std::vector<StreamTensor> kept;
  std::string explanation;        // groups, slices, local memory and prices
  uint64_t predicted_cycles = 0;  // of a run (docs/timing.md)
  uint64_t global_bytes = 0;      // between global and local memory
};

// Compiles a folded float net.
Result<CompiledStream> compile(const Network& network, const StreamOptions& options);

// Compiles one net for several shapes. All stages have the same weights, in one memory.
Result<std::vector<CompiledStream>> compile_stages(std::span<const Network> networks,
                                                   StreamOptions options);

// Returns the bmodel of a compiled net, with or without the layers of its commands.
Result<std::vector<uint8_t>> to_file(const CompiledStream& net, const std::string& name);
Result<std::vector<uint8_t>> to_file(std::span<const CompiledStream> stages,
                                     const std::string& name, bool layer_names = true);

}  // namespace tputwin::net::bm1684x
