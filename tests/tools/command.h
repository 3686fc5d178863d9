// A test that runs the tools as a user does and looks at what they print.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/file.h"
#include "common/temporary_directory.h"

namespace tputwin::tools {

class CommandTest : public ::testing::Test {
 protected:
  // Runs a line in a folder of its own; keeps what it prints. Returns its exit code.
  int run(const std::string& line) {
    const int code = std::system(("cd '" + directory_.path().string() +
                                  "' && PATH='" TPUTWIN_BIN_DIR "':$PATH && { " + line +
                                  "; } </dev/null >printed.txt 2>&1")
                                     .c_str());
    const auto bytes = read_bytes((directory_ / "printed.txt").string());
    printed_.assign(bytes->begin(), bytes->end());
    return WEXITSTATUS(code);
  }
  bool prints(std::string_view text) const { return printed_.find(text) != printed_.npos; }

  // Returns a recorded model of the BM1684X.
  static std::string recorded(const std::string& name) {
    return TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/bm1684x/" + name + ".bmodel";
  }

  const testing::TemporaryDirectory directory_;
  std::string printed_;
};

}  // namespace tputwin::tools
