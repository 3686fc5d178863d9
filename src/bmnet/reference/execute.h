// The int8 meaning of a Network: an interpreter, layer by layer, plain loops that read like the
// formulas of integers/integers.h. Independent of tiling and instructions; the compiler is judged
// by it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bmnet/integers/integers.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

// Bytes of a tensor: int8 values, or floats where data_type_size is 4 (results of CPU operators).
using TensorBytes = std::vector<uint8_t>;

// All tensors, by name. Network: folded, blobs quantized. Inputs by tensor name.
Result<std::map<std::string, TensorBytes>> run_int8(
    const Network& network, const std::vector<LayerIntegers>& integers,
    const std::map<std::string, TensorBytes>& inputs);

}  // namespace tputwin::net
