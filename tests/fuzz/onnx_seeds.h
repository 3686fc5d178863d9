// ONNX models as inputs of a fuzzer, and changes that leave them models: an attribute, an extent or
// a value of telling size, another operator, another input, nodes in another order.
#pragma once

#include "fuzz/targets.h"

namespace tputwin::fuzz {

std::string fuzz_onnx(std::span<const uint8_t> input);
std::vector<Bytes> onnx_seeds();
bool is_onnx(std::span<const uint8_t> input);
Bytes mutate_onnx(std::span<const uint8_t> input, uint64_t seed);

}  // namespace tputwin::fuzz
