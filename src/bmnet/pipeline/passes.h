// The passes. Each is in a file of its name; pipeline.cc has their order.
#pragma once

#include "base/error.h"

namespace tputwin::net {

struct Compilation;

namespace pass {

// ---- Front half: files to an int8 net with its table ----
Status import(Compilation&);         // reads files into a Network
Status fold(Compilation&);           // folds BatchNorm and Scale of float nets
Status calibrate(Compilation&);      // samples to thresholds, weights, table
Status load_table(Compilation&);     // reads the table of a file
Status quantize(Compilation&);       // quantizes weights of float nets
Status leave_unfit(Compilation&);    // layers beyond commands go to the host
Status float_tensors(Compilation&);  // floats between operators of the host

// ---- Back half: an int8 net with its integers to commands ----
Status rescale(Compilation&);     // rescales inputs of concatenations
Status fuse(Compilation&);        // fuses ReLU into the layer before it
Status dequantize(Compilation&);  // outputs as floats, if requested
Status trim(Compilation&);        // cuts rows and columns no window reads
Status outputs(Compilation&);     // gives every output bytes of its own
Status storage(Compilation&);     // finds tensors that share bytes
Status lower(Compilation&);       // layers to kernels
Status group(Compilation&);       // kernels to layer groups, cut into slices
Status place(Compilation&);       // addresses in neuron memory
Status emit(Compilation&);        // commands and weights
Status finish(Compilation&);      // data of a bmodel about them

}  // namespace pass
}  // namespace tputwin::net
