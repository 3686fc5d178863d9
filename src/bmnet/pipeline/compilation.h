// Compilation: the state of a net between files and commands. The passes (passes.h) read and write
// it one after the other, in the order of pipeline.cc. Each member names the passes that set it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bmnet/caffe/import.h"
#include "bmnet/calibrate/calibrate.h"
#include "bmnet/groups/partition.h"
#include "bmnet/integers/quantized_net.h"
#include "bmnet/kernels/program.h"
#include "bmnet/lowering/moves.h"
#include "bmnet/pipeline/compile.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet/pipeline/storage.h"

namespace tputwin::net {

// A part of the program, executed after the previous one: a layer group, a layer that moves bytes,
// or a layer that the host or the user's code runs.
struct ProgramPart {
  enum class Kind { group, moves, host, customized };
  Kind kind = Kind::group;
  std::optional<PricedGroup> group;
  size_t op = 0;            // index of the layer, for other kinds
  std::vector<Move> moves;  // for Kind::moves
};

struct Compilation {
  // ---- Inputs ----
  Source source;
  CompileOptions options;
  const std::vector<const DataSet*>* samples = nullptr;  // for calibrate
  CalibrationOptions calibration_options;

  // ---- Front half ----
  caffe::NetParameter caffe;               // import; fold; calibrate: int8
  NetCalibrationParameter own_thresholds;  // import: from quantized ONNX
  std::string own_table;                   // import: text of the table in ONNX
  // import: see LoadedNet
  std::vector<std::pair<std::string, std::string>> joined_ends;
  // Set by import. Weights of ONNX are floats even if their values are integers.
  bool is_onnx = false;
  Network network;                // import; fold
  bool is_float = false;          // fold: the weights are floats
  Calibration calibration;        // calibrate
  NetCalibrationParameter table;  // load_table; quantize

  // ---- Back half ----
  QuantizedNet net;                  // fuse; dequantize
  std::set<std::string> contiguous;  // of the target: tensors whose samples follow each other
  std::optional<Storage> storage;    // storage: tensors that share bytes
  std::vector<KernelPtr> kernels;    // lower
  std::unique_ptr<Pricer> pricer;    // lower: prices of the target
  PartitionOptions partition;        // lower: cuts that suit the target
  std::map<size_t, size_t> last_kernel_of;  // lower: by op
  // lower: by op, moves that kernels make when they load or store
  std::set<std::pair<size_t, size_t>> skipped_moves;
  std::vector<ProgramPart> parts;  // group
  TensorPositions positions;       // place: tensors in neuron memory
  std::optional<Program> program;  // emit
  Compiled compiled;               // place, emit, finish

  bool at_least(Level level) const { return options.level >= level; }
};

}  // namespace tputwin::net
