// A well-known network with random weights, calibrated on noise and compiled for the BM1880.
#pragma once

#include <string>
#include <vector>

#include "bmnet/ir/network.h"

namespace tputwin::models {

struct CompiledClassic {
  std::string prototxt, caffemodel;  // float
  std::vector<int64_t> input;        // shape
  net::Network int8;
  std::vector<uint8_t> bmodel;
};

// At the highest level. Operators of the host lie in `plugins`/x86_64; the model carries them.
Result<CompiledClassic> compile_classic(const std::string& name, const std::string& plugins);

}  // namespace tputwin::models
