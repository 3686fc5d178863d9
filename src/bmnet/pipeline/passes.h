// The passes; each is a file of its name. pipeline.cc has their order.
#pragma once

#include "base/error.h"

namespace tputwin::net {

struct Compilation;

namespace pass {

// ---- Front half: files to an int8 net with its table ----
Status import(Compilation&);      // files to a Network
Status fold(Compilation&);        // of float nets: BatchNorm and Scale into the layers before them
Status calibrate(Compilation&);   // samples to thresholds, weights and a table
Status load_table(Compilation&);  // or the table of a file
Status quantize(Compilation&);    // of float nets: weights, by the table's thresholds
Status float_outputs(Compilation&);  // of ONNX: mixed outputs, in floats on the host

// ---- Back half: an int8 net with its integers to commands ----
Status rescale(Compilation&);     // inputs of concatenations, by tables before them
Status fuse(Compilation&);        // ReLU into the layer before it
Status dequantize(Compilation&);  // outputs as floats, if wanted
Status trim(Compilation&);        // rows and columns that an only window leaves over
Status outputs(Compilation&);     // bytes of its own for every output
Status storage(Compilation&);     // tensors that share bytes
Status lower(Compilation&);       // layers to kernels
Status group(Compilation&);       // kernels to layer groups, cut into slices
Status place(Compilation&);       // addresses in neuron memory
Status emit(Compilation&);        // commands and weights
Status finish(Compilation&);      // what a bmodel says about them

}  // namespace pass
}  // namespace tputwin::net
