// Networks of the BM1684X and BM1684 that need no data: built with the simulator's own encoder.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "common/built_bmodel.h"
#include "selftest/rng.h"

namespace tputwin::bench {

struct Built {
  std::string name;
  std::function<std::unique_ptr<testing::BuiltBmodel>(const std::string& name)> net;
  testing::BuiltBmodel::Map (*layers)(testing::BuiltBmodel& net, uint32_t images);
  uint32_t images = 1;
};

inline std::vector<Built> built_networks() {
  const auto bm1684x = [](DType dtype) {
    return [dtype](const std::string& name) {
      return std::make_unique<testing::BuiltBm1684x>(name, dtype);
    };
  };
  const auto fp32 = [](const std::string& name) {
    return std::make_unique<testing::BuiltBm1684>(name);
  };
  const auto int8 = [](const std::string& name) {
    return std::make_unique<testing::BuiltBm1684Int8>(name);
  };
  return {{"resnet50-fp32", bm1684x(DType::f32), testing::add_resnet50},
          {"resnet18-built-fp16", bm1684x(DType::f16), testing::add_resnet18},
          {"bm1684-resnet50-fp32", fp32, testing::add_resnet50},
          {"bm1684-resnet50-int8", int8, testing::add_resnet50, 4}};
}

// Small random numbers.
inline std::vector<uint8_t> random_input(uint64_t elements, DType dtype) {
  std::vector<uint8_t> bytes(elements * element_bytes(dtype));
  testing::Rng rng(7);
  for (uint64_t i = 0; i < elements; ++i) {
    const float value = static_cast<float>(rng.below(2048)) / 1024.0f - 1.0f;
    const uint32_t bits = dtype == DType::f16   ? f16::from_f32(value)
                          : dtype == DType::f32 ? f32::bits(value)
                                                : static_cast<uint32_t>(rng.next());
    std::memcpy(bytes.data() + i * element_bytes(dtype), &bits, element_bytes(dtype));
  }
  return bytes;
}

// Writes the model; returns an input.
inline Result<std::vector<uint8_t>> write_built(const Built& built, const std::string& path) {
  const auto net = built.net(built.name);
  TW_ASSIGN_OR_RETURN(file, net->file(built.layers(*net, built.images)));
  TW_RETURN_IF_ERROR(write_bytes(path, file));
  return random_input(net->input().shape.count(), net->input().dtype);
}

}  // namespace tputwin::bench
