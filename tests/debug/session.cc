// Runs scripts of commands through tputwin debug and compares the answers with golden files.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/file.h"
#include "tools/models.h"

namespace tputwin::debug::testing {
namespace {

const std::string kGolden = TPUTWIN_SOURCE_DIR "/tests/debug/golden/";

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the output of tputwin debug. A model needs the chip that it names.
std::string output_of(const std::string& arguments, const std::string& chip = "BM1684") {
  const std::string line =
      "TPUTWIN_CHIP=" + chip + " " TPUTWIN_BIN_DIR "/tputwin debug " + arguments;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(line.c_str(), "r"), pclose);
  std::string text;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get()))
    text += static_cast<char>(c);
  return text;
}

// Returns the output of a script; TPUTWIN_REBASE=1 rewrites the golden file.
std::string session(const std::string& name) {
  const std::string script = kGolden + name + ".commands", golden = kGolden + name + ".txt";
  const std::string text =
      output_of("-x " + script + " -- " TPUTWIN_BIN_DIR "/debug_blend </dev/null");
  if (std::getenv("TPUTWIN_REBASE") != nullptr) std::ofstream(golden) << text;
  EXPECT_EQ(text, text_of(golden));
  return text;
}

// From a wrong byte back to the command that wrote it. docs/check.md walks the same way.
TEST(Session, FindsWhatMadeAWrongByte) { session("understand"); }

TEST(Session, AnswersEveryCommand) { session("tour"); }

TEST(Session, LaunchesHaveNumbers) {
  const std::string text = output_of(
      "-- " TPUTWIN_BIN_DIR "/okk_plus_one <<'END'\nbreak launch 2\ncontinue\nlaunches\nEND");
  EXPECT_NE(text.find("breakpoint 1, launch 2\n#"), std::string::npos) << text;
  EXPECT_NE(text.find("launch 2 plus_one_"), std::string::npos) << text;
  EXPECT_EQ(text.find("launch 3 "), std::string::npos) << text;
}

TEST(Session, LaunchesHaveNumbersOnEveryChip) {
  for (const auto& [program, chip] :
       {std::pair{"tpu_softmax", "BM1684X"}, {"streams", "BM1880"}, {"okk_plus_one", "BM1684"}}) {
    const std::string text = output_of("-- " TPUTWIN_BIN_DIR "/" + std::string(program) +
                                           " <<'END'\nbreak launch 2\ncontinue\nlaunches\nEND",
                                       chip);
    EXPECT_NE(text.find("breakpoint 1, launch 2\n#"), std::string::npos) << text;
    EXPECT_NE(text.find("\nlaunch 2 "), std::string::npos) << text;
  }
}

TEST(Session, AnUnknownOperandListsThoseThatThereAre) {
  const std::string text = output_of(
      "-- " TPUTWIN_BIN_DIR "/debug_blend <<'END'\nprint weight_addr\nstep 3\nprint #3.nope\nEND");
  for (const char* answer :
       {"\"weight_addr\" is no operand of the next command (dst_addr, src_addr) and no view",
        "\"#3.nope\" is no operand of command #3 (dst_addr, src0_addr, src1_addr) and no view"})
    EXPECT_NE(text.find(answer), std::string::npos) << text;
}

TEST(Session, LaunchesThatCannotBeAreRefused) {
  const std::string text =
      output_of("-- " TPUTWIN_BIN_DIR
                "/debug_blend <<'END'\nbreak launch 0\nbreak launch -1\nbreak launch 1x\n"
                "break launch\nstops\nEND");
  EXPECT_EQ(text.find("breakpoint"), std::string::npos) << text;
  EXPECT_NE(text.find("(debug) stops\nnone\n"), std::string::npos) << text;
}

TEST(Session, TypedCommandsComeAfterTheScript) {
  const std::string script = kGolden + "understand.commands";
  const std::string text = output_of(
      "-x " + script + " -- " TPUTWIN_BIN_DIR "/debug_blend <<'END'\nhelp goto\nquit\nEND");
  EXPECT_NE(text.find("(debug) help goto\ngoto, g"), std::string::npos) << text;
  EXPECT_EQ(text.find("the program ended"), std::string::npos) << text;
}

TEST(Session, PicturesAreFiles) {
  const auto file = std::filesystem::temp_directory_path() / "tputwin-debug-session.png";
  std::filesystem::remove(file);
  output_of("-- " TPUTWIN_BIN_DIR "/debug_blend <<'END'\nstep 3\nimage last.dst_addr 0,1 " +
            file.string() + "\nEND");
  EXPECT_EQ(text_of(file).substr(1, 3), "PNG");
  std::filesystem::remove(file);
}

TEST(Session, ProgramsOfTheBm1880HaveCallsAndLines) {
  const std::string text = output_of("-- " TPUTWIN_BIN_DIR
                                     "/tensor_add <<'END'\nbreak *tpu_add*\ncontinue\n"
                                     "step\nexplain (0,0,0,0)\nEND");
  EXPECT_NE(text.find("breakpoint 1, *tpu_add*\n#5 bmk1880_tpu_add"), std::string::npos) << text;
  EXPECT_NE(text.find("  at "), std::string::npos) << text;
  EXPECT_NE(text.find("  a + b "), std::string::npos) << text;
}

TEST(Session, ModelsAreDebuggedLikePrograms) {
  const auto input = std::filesystem::temp_directory_path() / "tputwin-debug-session.bin";
  std::ofstream(input) << std::string(3136, '\0');
  const std::string model =
      TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/bm1684x/nets-lenet-int8.bmodel";
  const std::string text = output_of(
      "-- " + model + " --input " + input.string() + " <<'END'\nlayer\nlayer\nEND", "BM1684X");
  EXPECT_NE(text.find("of lenet-int8, layer stage 0 subnet 0: out0 (compute)\n  conv2d_quant "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("the program ended with 0"), std::string::npos) << text;
  std::filesystem::remove(input);
}

TEST(Session, CountsAreNumbers) {
  const std::string text =
      output_of("-- " TPUTWIN_BIN_DIR "/debug_blend <<'END'\nlayer conv1\nstep one\nEND");
  EXPECT_NE(text.find("not \"conv1\"; to stop at a layer of that name: break layer conv1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("a count is a number from 1 on, not \"one\"\n"), std::string::npos) << text;
}

TEST(Session, LayersHaveTheNamesOfTheirFile) {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string file = folder / "tputwin-debug-layers.bmodel",
                    input = folder / "tputwin-debug-layers.bin";
  bmodel::Model model = tools::models::tiny();
  model.varieties.resize(1);
  model.varieties[0].layers.append("scale", 3);
  model.varieties[0].layers.append("relu", 2);
  ASSERT_TRUE(write_bytes(file, *bmodel::write(model, bmodel::Container::v2_1)).ok());
  std::ofstream(input) << std::string(16, '\1');
  const std::string text =
      output_of("-- " + file + " --input " + input + " <<'END'\nbreak layer re*\ncontinue\nEND");
  EXPECT_TRUE(text.starts_with("#1 command 1 of ")) << text;
  EXPECT_NE(text.find(", layer scale (dma)"), std::string::npos) << text;
  EXPECT_NE(text.find("breakpoint 1, layer re*\n#4 command 4 of "), std::string::npos) << text;
  EXPECT_NE(text.find(", layer relu (compute)"), std::string::npos) << text;
  std::filesystem::remove(file);
  std::filesystem::remove(input);
}

}  // namespace
}  // namespace tputwin::debug::testing
