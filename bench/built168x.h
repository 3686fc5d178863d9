// Networks of the BM1684X that need no data: built with the twin's own encoder.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "common/built_bmodel.h"
#include "selftest/rng.h"

namespace tputwin::bench {

struct Built {
  std::string name;
  DType dtype;
  testing::BuiltBmodel::Map (*layers)(testing::BuiltBmodel& net);
  uint64_t input_elements = 3 * 224 * 224;

  // Small random numbers.
  std::vector<uint8_t> input() const {
    std::vector<uint8_t> bytes(input_elements * element_bytes(dtype));
    testing::Rng rng(7);
    for (uint64_t i = 0; i < input_elements; ++i) {
      const float value = static_cast<float>(rng.below(2048)) / 1024.0f - 1.0f;
      const uint32_t bits = dtype == DType::f16 ? f16::from_f32(value) : f32::bits(value);
      std::memcpy(bytes.data() + i * element_bytes(dtype), &bits, element_bytes(dtype));
    }
    return bytes;
  }
};

inline std::vector<Built> built_networks() {
  return {{"resnet50-fp32", DType::f32, testing::add_resnet50},
          {"resnet18-built-fp16", DType::f16, testing::add_resnet18}};
}

inline Status write_built(const Built& built, const std::string& path) {
  testing::BuiltBmodel net(built.name, built.dtype);
  TW_ASSIGN_OR_RETURN(file, net.file(built.layers(net)));
  return write_bytes(path, file);
}

}  // namespace tputwin::bench
