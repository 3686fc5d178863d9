// tputwin profile, run as users run it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace tputwin::insight::testing {

std::string text_of(const std::filesystem::path& path);

// Runs in a separate folder.
class Command : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // Standard output goes to `out`, standard error to `err`.
  int run(const std::string& arguments);
  std::string file(const char* name) const { return text_of(directory_ / name); }

  std::filesystem::path directory_;
};

}  // namespace tputwin::insight::testing
