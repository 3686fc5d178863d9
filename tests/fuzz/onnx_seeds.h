// ONNX models as fuzzer inputs, and changes that keep them valid: another value of an attribute or
// extent, another operator, another input, another order of nodes.
#pragma once

#include <google/protobuf/message.h>

#include "fuzz/targets.h"

namespace tputwin::fuzz {

// Returns a message as a file.
inline Bytes bytes_of(const google::protobuf::Message& message) {
  const std::string bytes = message.SerializePartialAsString();
  return {bytes.begin(), bytes.end()};
}

std::string fuzz_onnx(std::span<const uint8_t> input);
std::vector<Bytes> onnx_seeds();
// Nets of several layers, with models of parts that the host computes.
std::vector<Bytes> host_onnx_seeds();
// A model of each operator. Some of them need the host, or are refused.
std::vector<Bytes> form_onnx_seeds();
bool is_onnx(std::span<const uint8_t> input);
Bytes mutate_onnx(std::span<const uint8_t> input, uint64_t seed);

}  // namespace tputwin::fuzz
