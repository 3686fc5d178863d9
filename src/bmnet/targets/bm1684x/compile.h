// Compilation of a float net to commands of the BM1684X, and to a model file.
#pragma once

#include <string>
#include <vector>

#include "bmnet/pipeline/compile.h"
#include "bmnet/targets/bm1684x/target.h"
#include "ops/instruction.h"

namespace tputwin::net::bm1684x {

struct StreamOptions {
  const Target* target = &bm1684x::target();
  // Type of tensors and weights: f32, f16, bf16, or i8. Layers without commands for bytes compute
  // in f32, or in the floats that the table names.
  DType type = DType::f32;
  // The thresholds of tensors, which i8 needs, and types of single layers. It must outlive
  // compile().
  const NetCalibrationParameter* table = nullptr;
  Level level = Level::weight_optimization;
  bool float_ends = true;  // inputs and outputs are fp32; otherwise of the type of the net
  bool keep_all = false;   // every tensor stays in neuron memory
};

// An input or output of the net. `address` is an offset of global memory.
struct StreamTensor {
  std::string name;
  std::vector<int64_t> shape;
  DType type = DType::f32;
  uint64_t address = 0, bytes = 0;
  float scale = 1;  // a value is its element * scale
};

struct CompiledStream {
  const Target* target = &bm1684x_target();
  std::vector<Instruction> program;
  bmodel::LayerRuns layers;      // of the commands
  std::vector<uint8_t> weights;  // from Target::first_weight() of global memory on
  uint64_t neurons = 0;          // offset of global memory
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

// Returns the bmodel of a compiled net.
Result<std::vector<uint8_t>> to_file(const CompiledStream& net, const std::string& name);

}  // namespace tputwin::net::bm1684x
