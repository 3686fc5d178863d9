// The int8 interpreter of a Network: plain loops, layer by layer, that follow the formulas of
// integers/integers.h. It is independent of tiling and instructions; the compiler is tested against
// it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bmnet/integers/integers.h"
#include "bmnet/ir/network.h"

namespace tputwin::net {

// Bytes of a tensor: int8 values, or floats if data_type_size is 4 (results of CPU operators).
using TensorBytes = std::vector<uint8_t>;

// Returns all tensors by name. The network must be folded and its blobs quantized. Inputs are keyed
// by tensor name.
Result<std::map<std::string, TensorBytes>> run_int8(
    const Network& network, const std::vector<LayerIntegers>& integers,
    const std::map<std::string, TensorBytes>& inputs);

// Computes the results of layer `index` from `tensors`, and adds them. The network must be one that
// run_int8() accepts.
Status run_int8_layer(const Network& network, size_t index, const LayerIntegers& integers,
                      std::map<std::string, TensorBytes>& tensors);

}  // namespace tputwin::net
