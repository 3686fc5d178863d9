// Words after "--" belong to PROGRAM, and no command ignores one that it does not know.
#include <fmt/format.h>

#include "bmodel/bmodel.h"
#include "tools/command.h"
#include "tools/models.h"

namespace tputwin::tools {
namespace {

class ProgramWords : public CommandTest {};

// `echo` opens no device, so every command ends with an error after it.
TEST_F(ProgramWords, OptionsAfterDashesAreThoseOfTheProgram) {
  const std::string commands[] = {"timing",
                                  "timing --json",
                                  "timing --json -",
                                  "whatif --json",
                                  "whatif --ddr 28,56",
                                  "whatif --ddr 28 56 --issue 1 2",
                                  "whatif --lanes=64",
                                  "check",
                                  "check --json",
                                  "check --strict --json",
                                  "profile --json",
                                  "record -o run.tprec",
                                  "pack -o net.bmodel"};
  for (const std::string& command : commands) {
    run("tputwin " + command + " -- echo --json --ddr 7 -- --x");
    EXPECT_TRUE(prints("--json --ddr 7 -- --x\n")) << command << "\n" << printed_;
    EXPECT_FALSE(prints("TW-CLI-0011")) << command << "\n" << printed_;
  }
}

TEST_F(ProgramWords, AValueMustStandBeforeTheDashes) {
  for (const std::string option : {"check --sarif", "profile --html", "timing --recording"}) {
    EXPECT_EQ(run("tputwin " + option + " -- echo --x"), 2) << option;
    EXPECT_TRUE(prints("has no value before --")) << printed_;
    EXPECT_FALSE(prints("--x\n")) << printed_;
  }
}

TEST_F(ProgramWords, AnUnknownOptionIsNamed) {
  const std::string net = recorded("nets-stages");
  for (const std::string command :
       {"timing", "whatif", "check", "profile", "record -o run.tprec"}) {
    EXPECT_EQ(run(fmt::format("tputwin {} -- {} --bogus", command, net)), 2) << command;
    EXPECT_TRUE(prints("--bogus") && prints("--help")) << command << "\n" << printed_;
    EXPECT_TRUE(prints("TW-CLI-0011")) << command << "\n" << printed_;
    EXPECT_FALSE(prints("wrote ") || prints("recorded ")) << command << "\n" << printed_;
    EXPECT_EQ(run(fmt::format("tputwin {} {} --bogus", command, net)), 2) << command;
    EXPECT_TRUE(prints("--bogus") && prints(" [OPTIONS] -- PROGRAM ...")) << printed_;
  }
  for (const std::string words : {"--net", "--stage", "more.bmodel", "--input in.bin"}) {
    EXPECT_EQ(run("tputwin timing -- " + net + " " + words), 2) << words;
    EXPECT_TRUE(prints(words.substr(0, words.find(' ')))) << printed_;
  }
  for (const std::string words : {"--bogus", "table.pb2 net.prototxt more"}) {
    EXPECT_EQ(run("tputwin timing -- net.caffemodel " + words), 2) << words;
    EXPECT_TRUE(prints(words.substr(words.rfind(' ') + 1) + " = not known")) << printed_;
  }
}

TEST_F(ProgramWords, OptionsOfOtherChipsAreRefused) {
  ASSERT_TRUE(bmodel::write_file(models::tiny(), bmodel::Container::v2_1,
                                 (directory_ / "tiny.bmodel").string())
                  .ok());
  const std::string net = recorded("nets-stages");
  for (const std::string& line :
       {std::string("timing -- tiny.bmodel --net a"), std::string("disasm tiny.bmodel --net a"),
        std::string("disasm tiny.bmodel --stage 0"), std::string("disasm tiny.bmodel --strict"),
        std::string("info tiny.bmodel --strict"), "disasm --json " + net,
        "disasm --variety 0 " + net}) {
    EXPECT_EQ(run("tputwin " + line), 2) << line;
    EXPECT_TRUE(prints("TW-CLI-0016")) << line << "\n" << printed_;
  }
}

// Every command that takes --net and --stage lists what the file has instead.
TEST_F(ProgramWords, NetsAndStagesAreListed) {
  const std::string net = recorded("nets-stages");
  for (const std::string command :
       {"run", "timing --", "whatif --", "check --", "profile --", "record -o run.tprec --",
        "debug --", "disasm", "lift -o kernel.c"}) {
    EXPECT_EQ(run(fmt::format("tputwin {} {} --net wrong", command, net)), 2) << command;
    EXPECT_TRUE(prints("--net = wrong") && prints("the file has ")) << command << "\n" << printed_;
    EXPECT_EQ(run(fmt::format("tputwin {} {} --stage 77", command, net)), 2) << command;
    EXPECT_TRUE(prints("stage 77") && prints("it has ")) << command << "\n" << printed_;
    EXPECT_EQ(printed_.find("error:"), printed_.rfind("error:")) << command << "\n" << printed_;
  }
}

}  // namespace
}  // namespace tputwin::tools
