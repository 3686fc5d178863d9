// Libraries of kernels that call undefined functions.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tputwin/error.h>

#include <fstream>
#include <string>

#include "common/temporary_directory.h"
#include "okkernel/machine.h"
#include "sdk/okkernel/linking/dynamic_table.h"
#include "sdk/okkernel/kernel_library.h"

namespace tputwin::okktest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

bm_status_t launch(int which) {
  return okkernel_launch_sync(Machine::get().handle(), "lacking", &which, sizeof which);
}

TEST(Libraries, UndefinedFunctionsFailTheLaunchThatReachesThem) {
  const okk::KernelLibrary library = okk::load_kernel_library(TPUTWIN_LACKING_LIBRARY, RTLD_LOCAL);
  ASSERT_NE(library.handle, nullptr) << library.reason;
  EXPECT_THAT(library.undefined, ElementsAre("helper_of_another_file", "other_helper"));
  EXPECT_EQ(launch(0), BM_SUCCESS) << tputwin_last_error();
  for (int times = 0; times < 2; times++) {
    EXPECT_EQ(launch(1), BM_ERR_FAILURE);
    EXPECT_THAT(tputwin_last_error(), HasSubstr("TW-OKK-0412"));
    EXPECT_THAT(tputwin_last_error(), HasSubstr("function = helper_of_another_file"));
    EXPECT_EQ(launch(2), BM_ERR_FAILURE);
    EXPECT_THAT(tputwin_last_error(), HasSubstr("function = other_helper"));
  }
  EXPECT_EQ(launch(0), BM_SUCCESS) << tputwin_last_error();
}

TEST(Libraries, OneThatBindsAllAtOnceIsRefusedWithTheNames) {
  const okk::KernelLibrary library = okk::load_kernel_library(TPUTWIN_BOUND_LIBRARY, RTLD_LOCAL);
  EXPECT_EQ(library.handle, nullptr);
  EXPECT_TRUE(library.undefined_at_load);
  EXPECT_THAT(library.reason, HasSubstr("helper_of_another_file, other_helper"));
}

TEST(Libraries, WhatIsNoLibraryRefersToNothing) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.path() / "file.so";
  std::ifstream whole(TPUTWIN_BOUND_LIBRARY, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  EXPECT_THAT(okk::undefined_in_file("/nonexistent"), ElementsAre());
  for (const size_t length : {size_t{0}, size_t{10}, size_t{70}, size_t{1000}}) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, length);
    EXPECT_THAT(okk::undefined_in_file(path), ElementsAre());
  }
  std::ofstream(path) << "no library";
  EXPECT_EQ(okk::load_kernel_library(path, RTLD_LOCAL).handle, nullptr);
}

}  // namespace
}  // namespace tputwin::okktest
