// Nets compiled for the target of the thread (the BM1684X unless a ScopedTarget exists), run on the
// simulator, and compared with float execution.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bmnet/caffe/caffe_net.h"
#include "bmnet/float/execute.h"
#include "bmnet/targets/bm1684x/compile.h"

namespace tputwin::net::testing {

// Shapes for random weights of a graph: those of each layer's weights, by layer name.
using BlobShapes = std::map<std::string, std::vector<std::vector<int64_t>>>;
// Returns a net of Caffe layers with random weights.
Result<Network> random_net(const std::string& prototxt, const BlobShapes& blobs, uint64_t seed);

// Returns a net of one layer with its blobs. Inputs of the layer are those of the net.
Result<Network> layer_net(TensorOp op, const std::vector<std::vector<int64_t>>& inputs,
                          const std::vector<Blob>& blobs);
// Random values between two bounds.
Blob random_blob(const std::vector<int64_t>& shape, uint64_t seed, float least = -1,
                 float most = 1);

using Values = std::map<std::string, Blob>;
Values random_inputs(const Network& network, uint64_t seed);
// Returns a table with the largest magnitude that each tensor has for these inputs.
NetCalibrationParameter largest_values(const Network& network, const Values& inputs);

// Returns the program as a board gets it: encoded, and decoded again.
Result<std::vector<Instruction>> transmitted(const std::vector<Instruction>& program);
Result<std::vector<Instruction>> transmitted(const bm1684x::CompiledStream& net);

// Runs a compiled net whose inputs are fp32 or bytes. Memories hold NaN before the run.
Result<std::vector<std::vector<float>>> run(const bm1684x::CompiledStream& net,
                                            const Network& network, const Values& inputs);

// Compiles at several levels, runs, and compares: the bits of all levels with each other, and the
// values with float execution, to `tolerance` of the largest. Returns "", or the difference.
std::string compare(const Network& network, DType type, float tolerance, const Values& inputs);
// For i8 the thresholds are the largest values at the same inputs.
std::string compare(const Network& network, DType type, float tolerance, uint64_t seed);

// Expects equal results in three types. `scale` widens the tolerances.
void expect_equal(const Network& network, const Values& inputs, float scale = 1);
std::string text(const std::vector<int64_t>& extents);  // "(2,6)"

}  // namespace tputwin::net::testing
