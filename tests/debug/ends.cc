// Programs whose first command is refused, and programs that end where exit() does not see it.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "common/temporary_directory.h"

namespace tputwin::debug::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// A program that scales a tensor with three commands, by one of the APIs.
struct Api {
  const char* program;
  const char* chip;
  const char* computes;
  const char* stores;
  const char* loaded;  // an operand of the load
};
constexpr Api kApis[] = {{"debug_ends", "BM1684", "okk_bdc_mul_C", "okk_gdma_32bit_cpy_L2S",
                          "src_addr=b32(1,2,8,8)@G+0x0=0x100000000 stride(128,64,8,1)"},
                         {"debug_ends_tpu", "BM1684X", "tpu_bdc_fp_mul_C", "tpu_gdma_cpy_L2S",
                          "@G+0x0=0x100000000 stride(128,64,8,1)"}};

class Ends : public ::testing::TestWithParam<Api> {
 protected:
  // Runs tputwin in a folder of its own. Returns what it prints; `code_` is its exit code.
  std::string run(const std::string& arguments) {
    const std::string line = "cd " + folder_.path().string() +
                             " && TPUTWIN_CHIP=" + GetParam().chip +
                             " " TPUTWIN_BIN_DIR "/tputwin " + arguments + " 2>&1";
    FILE* const pipe = popen(line.c_str(), "r");
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
    code_ = WEXITSTATUS(pclose(pipe));
    return text;
  }
  std::string debug(const std::string& words, const std::string& script) {
    return run("debug -- " + program(words) + " <<'END'\n" + script + "\nEND");
  }
  static std::string last_writer() {
    return std::string("4 bytes from G+0x0:4 (0x100000000): #3 ") + GetParam().stores;
  }
  static std::string program(const std::string& words) {
    return TPUTWIN_BIN_DIR "/" + std::string(GetParam().program) + " " + words;
  }
  const tputwin::testing::TemporaryDirectory folder_;
  int code_ = 0;
};

TEST_P(Ends, ARefusedFirstCommandIsWhereTheDebuggerStops) {
  const std::string text = debug("refused none", "where\ncontinue\nwhere");
  EXPECT_THAT(text, ContainsRegex("refused: TW-(OKK|TPU|MEM|KRN)-[0-9]+ "));
  EXPECT_THAT(text,
              HasSubstr(std::string(GetParam().computes) + ", command 1 of the launch: dst_addr"));
  EXPECT_THAT(text, ContainsRegex("\\(debug\\) where\n  at scale \\(ends.c:[0-9]+\\)\n"));
  EXPECT_THAT(text,
              HasSubstr("\nno command so far\n(debug) continue\nthe program ends\nno command"));
  EXPECT_EQ(code_, 1);
}

TEST_P(Ends, AScriptIsAnsweredAfterTheEnd) {
  for (const auto& [how, why, code] : {std::tuple{"_exit", "ends by _exit", 3},
                                       {"abort", "is killed by SIGABRT", 128 + SIGABRT},
                                       {"SIGTERM", "is killed by SIGTERM", 128 + SIGTERM}}) {
    const std::string text = debug(std::string("ok ") + how, "continue\nwho 0x100000000:4");
    EXPECT_THAT(text, HasSubstr(std::string("the program ") + why));
    EXPECT_THAT(text, HasSubstr(last_writer()));
    EXPECT_EQ(code_, code) << text;
  }
}

// The handler of faults of kernels has a small stack.
TEST_P(Ends, AFaultInAKernelKeepsItsCommands) {
  EXPECT_THAT(debug("fault none", "continue\nwho 0x100000000:4"), HasSubstr(last_writer()));
  EXPECT_THAT(run("timing -- " + program("fault none")), HasSubstr("scale: 3 commands, "));
  EXPECT_EQ(code_, 128 + SIGSEGV);
  EXPECT_THAT(run("profile -- " + program("fault none")), HasSubstr("3 commands in 1 launch"));
  EXPECT_EQ(code_, 128 + SIGSEGV);
}

// Nothing can answer after SIGKILL, and the script says so.
TEST_P(Ends, CommandsAfterAKillAreNotDroppedInSilence) {
  const std::string text = debug("ok SIGKILL", "continue\nwhere");
  EXPECT_THAT(text, HasSubstr("(debug) where\nthe program has ended, and its memories are lost\n"));
  EXPECT_EQ(code_, 128 + SIGKILL);
}

TEST_P(Ends, TimingHasTheCommandsUpToThere) {
  for (const auto& [how, code] :
       {std::pair{"_exit", 3}, {"abort", 128 + SIGABRT}, {"SIGKILL", 128 + SIGKILL}}) {
    const std::string text = run("timing -- " + program("ok ") + how);
    EXPECT_THAT(text, HasSubstr("scale: 3 commands, ")) << how;
    EXPECT_EQ(code_, code);
  }
}

TEST_P(Ends, ThePageIsWritten) {
  for (const auto& [how, code] :
       {std::pair{"_exit", 3}, {"abort", 128 + SIGABRT}, {"SIGKILL", 128 + SIGKILL}}) {
    const std::string text =
        run(std::string("profile --html ") + how + ".html -- " + program("ok ") + how);
    EXPECT_THAT(text, HasSubstr("3 commands in 1 launch"));
    EXPECT_EQ(code_, code);
    std::ifstream page(folder_.path() / (std::string(how) + ".html"));
    EXPECT_THAT(std::string(std::istreambuf_iterator<char>(page), {}),
                HasSubstr(GetParam().computes));
  }
}

TEST_P(Ends, RecordingsAreWhole) {
  for (const char* how : {"_exit", "abort"}) {
    EXPECT_THAT(run("record -o run.tprec -- " + program("ok ") + how), HasSubstr("/run.tprec\n"));
    EXPECT_THAT(run("replay run.tprec"), HasSubstr("memory at the end equals the recording"));
    EXPECT_EQ(code_, 0);
  }
}

TEST_P(Ends, ConstantsAreNumbersAndAddressesThoseOfKernels) {
  const std::string text =
      debug("ok none",
            "step\nprint f32(1,1,1,2)@0x100000000\nhex 0x100000000:4\nhex 0xff:4\n"
            "list");
  EXPECT_THAT(text, HasSubstr(" b 1000 (0x447a0000)"));
  EXPECT_THAT(text, HasSubstr(GetParam().loaded));
  EXPECT_THAT(text, HasSubstr("(debug) print f32(1,1,1,2)@0x100000000\nview f32(1,1,1,2)@G+0x0"));
  EXPECT_THAT(text, HasSubstr("(debug) hex 0x100000000:4\nG+0x0"));
  EXPECT_THAT(text, HasSubstr("\"0xff:4\" is"));
}

INSTANTIATE_TEST_SUITE_P(Apis, Ends, ::testing::ValuesIn(kApis),
                         [](const auto& info) { return std::string(info.param.chip); });

// The commands of the BM1880 are in a buffer, which runs as a whole.
class EndsOfBm1880 : public Ends {};

TEST_P(EndsOfBm1880, AScriptIsAnsweredAfterTheEnd) {
  for (const auto& [how, code] : {std::pair{"_exit", 3}, {"abort", 128 + SIGABRT}}) {
    const std::string text = debug(std::string("ok ") + how, "continue\nwhere\nlaunches\nlist 1 9");
    EXPECT_THAT(text, HasSubstr("(debug) launches\nlaunch 1 ")) << text;
    EXPECT_THAT(text, HasSubstr(GetParam().computes));
    EXPECT_EQ(code_, code) << text;
  }
}

TEST_P(EndsOfBm1880, TimingAndPagesHaveTheCommandsUpToThere) {
  for (const auto& [how, code] : {std::pair{"_exit", 3}, {"abort", 128 + SIGABRT}}) {
    EXPECT_THAT(run("timing -- " + program("ok ") + how), HasSubstr("4 commands, ")) << how;
    EXPECT_EQ(code_, code);
    EXPECT_THAT(run("profile -- " + program("ok ") + how), HasSubstr("4 commands in 1 launch"));
    EXPECT_EQ(code_, code);
  }
}

TEST_P(EndsOfBm1880, ARefusedFirstCommandIsWhereTheDebuggerStops) {
  const std::string text = debug("refused none", "where\ncontinue");
  EXPECT_THAT(text, HasSubstr("refused: TW-BMK-0043 bmk1880_tpu_add: b_high = "));
  EXPECT_THAT(text, ContainsRegex("\\(debug\\) where\n  at [a-z]+.*ends_bm1880.cpp:[0-9]+"));
}

INSTANTIATE_TEST_SUITE_P(Apis, EndsOfBm1880,
                         ::testing::Values(Api{"debug_ends_bm1880", "BM1880", "bmk1880_tpu_add",
                                               "bmk1880_gdma_store", ""}),
                         [](const auto& info) { return std::string(info.param.chip); });

}  // namespace
}  // namespace tputwin::debug::testing
