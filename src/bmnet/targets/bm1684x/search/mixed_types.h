// Search for the layers that a net must compute in wider numbers so that its outputs reach a wanted
// cosine with the float net.
//
//   1. The harm of each layer: the float net runs with that layer alone in the net's type, on the
//      simulated chip. Harm is what its outputs then lack of a cosine of 1.
//   2. The cost of each layer: the predicted time of the layer alone in wider numbers, less that in
//      the net's type.
//   3. The layers are sorted by harm for their cost. Trials compile and run the whole net with the
//      first k of them in wider numbers. Bisection finds the least k that reaches the cosine.
//   4. Layers return to the net's type, the largest cost first, if a trial still reaches it.
#pragma once

#include <bmnet/calibration.pb.h>

#include <map>
#include <string>
#include <vector>

#include "bmnet/ir/network.h"
#include "chip/dtype.h"

namespace tputwin::net::bm1684x {

struct MixedLayer {
  std::string name, kind;
  DType type = DType::f32;  // the wider type
  double cost = 0;          // milliseconds
  double cosine = 1;        // of the worst output if this layer alone has the net's type
};

struct MixedTrial {
  size_t layers = 0;
  double milliseconds = 0;  // predicted
  double cosine = 0;        // of the worst output
};

struct MixedSearch {
  double wanted = 0;
  DType type = DType::f32;                // of the net
  std::vector<MixedLayer> layers;         // in wider numbers
  std::vector<MixedTrial> trials;         // the first has no such layers
  double cosine = 0, milliseconds = 0;    // of the result
  double half_milliseconds = 0;           // of a net of bytes in fp16; 0 if it cannot be fp16
  std::vector<std::string> beyond_fp16;   // layers whose weights fp16 does not hold: fp32
  std::map<std::string, double> outputs;  // cosines of the result, by tensor

  bool is_reached() const { return cosine >= wanted; }
};

struct MixedTask {
  const Network& network;  // float, folded, with batch 1
  // On the BM1684X i8 becomes f16, and layers without commands for bytes become f32; on the BM1684
  // i8 becomes f32. F16 and bf16 become f32.
  DType type;
  double wanted;
  std::vector<std::map<std::string, Blob>> samples;  // inputs by tensor
};

// Sets the types of layers in `table`, which has the thresholds of the net's tensors for i8. If all
// layers in wider numbers are not enough, all of them are.
Result<MixedSearch> find_mixed_types(const MixedTask& task, NetCalibrationParameter& table);

const char* name_of(DType type);  // as tables have it, "fp16"

// The tables of trials and layers.
std::string mixed_search_text(const MixedSearch& search);

}  // namespace tputwin::net::bm1684x
