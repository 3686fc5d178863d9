// The state that the passes of the compiler share.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bmnet/pipeline/compilation.h"
#include "bmnet/targets/bm1684x/compile.h"
#include "bmnet/targets/bm1684x/emit_group.h"
#include "bmnet/targets/bm1684x/numbers.h"
#include "bmnet/targets/bm1684x/schedule/constants.h"

namespace tputwin::net::bm1684x {

// A compilation, and what only this target has.
struct StreamCompilation {
  Compilation shared;
  StreamOptions options;
  NetCalibrationParameter table;  // that of the options, with entries of layers that were divided
  Types types;
  ResidentConstants constants;
  std::unique_ptr<LocalMemory> lanes;  // without the resident constants
  WeightOffsets weight_offsets;
  Memories memories;
  CompiledStream result;
  // Constants of operators of the host: weight memory offsets.
  std::map<std::string, std::vector<uint64_t>> host_constants;
  std::map<std::string, LayerIntegers> byte_layers;  // pack_bytes

  std::vector<TensorOp>& ops() { return shared.net.network.ops; }
};

// Returns the place of a tensor in neuron memory, and its numbers.
StreamTensor described(const StreamCompilation& c, const std::string& tensor);

// Emits the commands, by subnets if the net has operators of the host.
Status emit_all(StreamCompilation& c);
// Describes inputs, outputs and kept tensors of the result.
Status describe_ends(StreamCompilation& c);

}  // namespace tputwin::net::bm1684x
