// Programs whose first command is refused, and programs that end where exit() does not see it.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "common/temporary_directory.h"

namespace tputwin::debug::testing {
namespace {

using ::testing::HasSubstr;

class Ends : public ::testing::Test {
 protected:
  // Runs tputwin in a folder of its own. Returns what it prints; `code_` is its exit code.
  std::string run(const std::string& arguments) {
    const std::string line = "cd " + folder_.path().string() +
                             " && TPUTWIN_CHIP=BM1684 " TPUTWIN_BIN_DIR "/tputwin " + arguments +
                             " 2>&1";
    FILE* const pipe = popen(line.c_str(), "r");
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
    code_ = WEXITSTATUS(pclose(pipe));
    return text;
  }
  std::string debug(const std::string& words, const std::string& script) {
    return run("debug -- " TPUTWIN_BIN_DIR "/debug_ends " + words + " <<'END'\n" + script +
               "\nEND");
  }
  const tputwin::testing::TemporaryDirectory folder_;
  int code_ = 0;
};

TEST_F(Ends, ARefusedFirstCommandIsWhereTheDebuggerStops) {
  const std::string text = debug("refused none", "where\ncontinue\nwhere");
  EXPECT_THAT(text,
              HasSubstr("refused: TW-OKK-0005 okk_bdc_mul_C, command 1 of the launch: dst_addr"));
  EXPECT_THAT(text, HasSubstr("(debug) where\n  at scale (ends.c:22)\nno command so far\n"));
  EXPECT_THAT(text, HasSubstr("(debug) continue\nthe program ends\nno command so far\n"));
  EXPECT_EQ(code_, 1);
}

TEST_F(Ends, AScriptIsAnsweredAfterTheEnd) {
  for (const auto& [how, why, code] : {std::tuple{"_exit", "ends by _exit", 3},
                                       {"abort", "is killed by SIGABRT", 128 + SIGABRT},
                                       {"SIGTERM", "is killed by SIGTERM", 128 + SIGTERM}}) {
    const std::string text = debug(std::string("ok ") + how, "continue\nwho 0x100000000:4");
    EXPECT_THAT(text, HasSubstr(std::string("the program ") + why));
    EXPECT_THAT(text, HasSubstr("4 bytes from G+0x0:4 (0x100000000): #3 okk_gdma_32bit_cpy_L2S"));
    EXPECT_EQ(code_, code) << text;
  }
}

// The handler of faults of kernels has a small stack.
TEST_F(Ends, AFaultInAKernelKeepsItsCommands) {
  EXPECT_THAT(debug("fault none", "continue\nwho 0x100000000:4"),
              HasSubstr("4 bytes from G+0x0:4 (0x100000000): #3 okk_gdma_32bit_cpy_L2S"));
  EXPECT_THAT(run("timing -- " TPUTWIN_BIN_DIR "/debug_ends fault none"),
              HasSubstr("scale: 3 commands, "));
  EXPECT_EQ(code_, 128 + SIGSEGV);
  EXPECT_THAT(run("profile -- " TPUTWIN_BIN_DIR "/debug_ends fault none"),
              HasSubstr("3 commands in 1 launch"));
  EXPECT_EQ(code_, 128 + SIGSEGV);
}

// Nothing can answer after SIGKILL, and the script says so.
TEST_F(Ends, CommandsAfterAKillAreNotDroppedInSilence) {
  const std::string text = debug("ok SIGKILL", "continue\nwhere");
  EXPECT_THAT(text, HasSubstr("(debug) where\nthe program has ended, and its memories are lost\n"));
  EXPECT_EQ(code_, 128 + SIGKILL);
}

TEST_F(Ends, TimingHasTheCommandsUpToThere) {
  for (const auto& [how, code] :
       {std::pair{"_exit", 3}, {"abort", 128 + SIGABRT}, {"SIGKILL", 128 + SIGKILL}}) {
    const std::string text = run(std::string("timing -- " TPUTWIN_BIN_DIR "/debug_ends ok ") + how);
    EXPECT_THAT(text, HasSubstr("scale: 3 commands, ")) << how;
    EXPECT_EQ(code_, code);
  }
}

TEST_F(Ends, ThePageIsWritten) {
  for (const auto& [how, code] :
       {std::pair{"_exit", 3}, {"abort", 128 + SIGABRT}, {"SIGKILL", 128 + SIGKILL}}) {
    const std::string text = run(std::string("profile --html ") + how +
                                 ".html -- " TPUTWIN_BIN_DIR "/debug_ends ok " + how);
    EXPECT_THAT(text, HasSubstr("3 commands in 1 launch"));
    EXPECT_EQ(code_, code);
    std::ifstream page(folder_.path() / (std::string(how) + ".html"));
    EXPECT_THAT(std::string(std::istreambuf_iterator<char>(page), {}), HasSubstr("okk_bdc_mul_C"));
  }
}

TEST_F(Ends, RecordingsAreWhole) {
  for (const char* how : {"_exit", "abort"}) {
    EXPECT_THAT(run(std::string("record -o run.tprec -- " TPUTWIN_BIN_DIR "/debug_ends ok ") + how),
                HasSubstr("/run.tprec\n"));
    EXPECT_THAT(run("replay run.tprec"), HasSubstr("memory at the end equals the recording"));
    EXPECT_EQ(code_, 0);
  }
}

TEST_F(Ends, ConstantsAreNumbersAndAddressesThoseOfKernels) {
  const std::string text =
      debug("ok none",
            "step\nprint f32(1,1,1,2)@0x100000000\nhex 0x100000000:4\nhex 0xff:4\n"
            "list");
  EXPECT_THAT(text, HasSubstr(" b 1000 (0x447a0000)"));
  EXPECT_THAT(text, HasSubstr("src_addr=b32(1,2,8,8)@G+0x0=0x100000000 stride(128,64,8,1)"));
  EXPECT_THAT(text, HasSubstr("(debug) print f32(1,1,1,2)@0x100000000\nview f32(1,1,1,2)@G+0x0"));
  EXPECT_THAT(text, HasSubstr("(debug) hex 0x100000000:4\nG+0x0"));
  EXPECT_THAT(text, HasSubstr("\"0xff:4\" is"));
}

}  // namespace
}  // namespace tputwin::debug::testing
