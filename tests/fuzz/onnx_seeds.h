// ONNX models as fuzzer inputs, and changes that keep them valid: another value of an attribute or
// extent, another operator, another input, another order of nodes.
#pragma once

#include "fuzz/targets.h"

namespace tputwin::fuzz {

std::string fuzz_onnx(std::span<const uint8_t> input);
std::vector<Bytes> onnx_seeds();
bool is_onnx(std::span<const uint8_t> input);
Bytes mutate_onnx(std::span<const uint8_t> input, uint64_t seed);

}  // namespace tputwin::fuzz
