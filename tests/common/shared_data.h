// The real models and data that tests read, where they are.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace tputwin::testing {

inline std::string shared_data(const std::string& path) {
  return std::string(TPUTWIN_SHARED_DATA) + "/" + path;
}
inline bool has_shared_data(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(shared_data(path), error);
}

}  // namespace tputwin::testing

// Skips the test without the file; where everything is tested that is a failure.
#define TW_NEED_SHARED_DATA(path)                                   \
  if (!::tputwin::testing::has_shared_data(path)) {                 \
    if (getenv("CI") != nullptr) FAIL() << path << " is not there"; \
    GTEST_SKIP() << path << " is not there";                        \
  }
