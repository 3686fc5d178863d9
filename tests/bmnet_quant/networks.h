// Small nets for tests of quantization.
#pragma once

#include <gtest/gtest.h>

#include "bmnet/caffe/import.h"
#include "bmnet/integers/table.h"

namespace tputwin::net::testing {

// Builds a graph of "layer {...}" texts after an input "data" (1,C,H,W); no weights.
inline Network graph(const std::string& layers,
                     const std::string& shape = "dim: 1 dim: 4 dim: 6 dim: 6") {
  auto net =
      read_prototxt("layer { name: \"data\" type: \"Input\" top: \"data\" input_param { shape { " +
                    shape + " } } } " + layers);
  EXPECT_TRUE(net.ok()) << net.status().message();
  ImportOptions options;
  options.needs_weights = false;
  auto network = import_caffe(*net, options);
  EXPECT_TRUE(network.ok()) << network.status().message();
  return network.ok() ? std::move(*network) : Network();
}

inline NetCalibrationParameter table(const std::string& text) {
  auto result = read_table({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *result : NetCalibrationParameter();
}

}  // namespace tputwin::net::testing
