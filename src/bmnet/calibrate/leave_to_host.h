// Search for the layers that a net must leave to the host, in floats, so that its outputs reach a
// wanted cosine with the float net.
//
//   1. The harm of each layer: the float net runs with that layer alone in int8. Harm is what its
//      outputs then lack of a cosine of 1. Errors of layers are nearly independent, so harms add
//      up.
//   2. The layers are sorted by harm for each operation that the host would compute. A call of the
//      host costs as much as a million operations.
//   3. Trials: the int8 interpreter runs the whole net with the first k of them on the host, and
//      bisection finds the least k that reaches the cosine.
//   4. Layers go back to the TPU, the most work first, if a trial still reaches it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bmnet/float/execute.h"
#include "bmnet/integers/float_tensors.h"
#include "bmnet/integers/integers.h"

namespace tputwin::net {

// Layers of the Caffe net or of ONNX, by name.
using LayerNames = std::set<std::string>;

// A layer of the int8 net that can be left to the host, with its ReLU.
struct LeftLayer {
  std::string name, type;
  int64_t operations = 0;  // products and sums, or values of other layers
  double cosine = 1;       // of the worst output if this layer alone is int8
};

struct HostTrial {
  size_t layers = 0;
  int64_t operations = 0;
  double cosine = 0;  // of the worst output
};

// The result of a search, and how it came about.
struct HostSearch {
  double wanted = 0;
  int64_t all_operations = 0;  // of all layers that can be left to the host
  std::vector<LeftLayer> left;
  std::vector<HostTrial> trials;
};

// An int8 net with some layers on the host.
struct Int8Net {
  Network network;
  NetCalibrationParameter table;
};

struct HostSearchTask {
  const Network& network;  // float, folded, with batch 1
  FloatOutputs outputs;
  double wanted;
  std::vector<std::map<std::string, Blob>> samples;  // inputs by tensor
  // Makes the int8 net that leaves these layers to the host.
  std::function<Result<Int8Net>(const LayerNames& left)> make;
  // Returns the name of the layer that an op belongs to.
  std::function<std::string(const TensorOp&)> layer_of;
};

// Leaves all layers to the host if that is not enough either; the last trial then has the cosine.
Result<HostSearch> find_host_layers(const HostSearchTask& task);

// The tables of layers and trials.
std::string host_search_text(const HostSearch& search);

}  // namespace tputwin::net
