// Paths of the real models and data that tests read.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tputwin::testing {

inline std::string shared_data(const std::string& path) {
  return (std::filesystem::path(TPUTWIN_SHARED_DATA) / path).string();
}
inline bool has_shared_data(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(shared_data(path), error);
}
// Reads a file of little-endian floats; returns none if it does not exist.
inline std::vector<float> recorded_floats(const std::string& path) {
  std::ifstream file(shared_data(path), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace tputwin::testing

// Skips the test if the file is missing; with CI set, that is a failure.
#define TW_NEED_SHARED_DATA(path)                                   \
  if (!::tputwin::testing::has_shared_data(path)) {                 \
    if (getenv("CI") != nullptr) FAIL() << path << " is not there"; \
    GTEST_SKIP() << path << " is not there";                        \
  }
