// Runs of compiled nets on the simulator, and random nets of one layer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bmnet/pipeline/compile.h"
#include "bmnet/reference/execute.h"
#include "selftest/rng.h"

namespace tputwin::testing {

using net::Network;
using net::TensorBytes;

// Runs a compiled net through libbmruntime. Inputs are by tensor name; returns the outputs by
// position.
Result<std::vector<TensorBytes>> run_compiled(const net::Compiled& compiled, const Network& network,
                                              const std::map<std::string, TensorBytes>& inputs);

// Returns random int8 inputs for all inputs of the net.
std::map<std::string, TensorBytes> random_inputs(const Network& network, uint64_t seed);

// Compiles at every level and compares outputs with the interpreter, byte for byte. Returns "" if
// all are equal and the compiler recorded no error; else the difference.
std::string compare_levels(const Network& network, const std::vector<net::LayerIntegers>& integers,
                           uint64_t seed);

// A Caffe net from text, with random integer weights, and a table that makes every layer's result
// use the whole range.
struct Model {
  Network network;
  std::vector<net::LayerIntegers> integers;
};
Result<Model> random_model(const std::string& prototxt, uint64_t seed, int64_t batch = 0);
// The model of a net without weights.
Model random_model(Network network, uint64_t seed);

}  // namespace tputwin::testing
