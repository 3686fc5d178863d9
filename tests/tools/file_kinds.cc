// Files of other kinds than a tool expects: every tool reports the kind in the same words, with the
// path.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "common/file_kinds.h"
#include "common/temporary_directory.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;
using bmodel::Expected;
using testing::bmodel_of;
using testing::elf;
using testing::FileOfKind;
using testing::kDirectory;
using testing::kinds;
using testing::TemporaryDirectory;
using testing::text_of;
using namespace std::string_literals;

std::string make(const TemporaryDirectory& directory, const FileOfKind& kind,
                 const std::string& suffix) {
  const std::string path = (directory / (kind.name + suffix)).string();
  if (kind.content == kDirectory)
    fs::create_directory(path);
  else
    std::ofstream(path, std::ios::binary) << kind.content;
  return path;
}

struct Outcome {
  int code;
  std::string text;  // on standard error
};
Outcome run(const TemporaryDirectory& directory, const std::string& command) {
  const std::string errors = (directory / "errors.txt").string();
  const std::string line = TPUTWIN_BIN_DIR "/" + command + " </dev/null >/dev/null 2>" + errors;
  const int code = WEXITSTATUS(std::system(line.c_str()));
  return {code, text_of(*read_bytes(errors))};
}

// Every tool that reads a bmodel. FILE stands for its path.
const char* const kTools[] = {
    "tputwin info FILE",
    "tputwin print FILE",
    "tputwin disasm FILE",
    "tputwin lift FILE -o OUT/kernel.c",
    "tputwin run FILE",
    "tputwin timing -- FILE",
    "tputwin whatif --ddr 28 -- FILE",
    "tputwin check -- FILE",
    "tputwin record -o OUT/run.tprec -- FILE",
    "tputwin profile --html OUT/p.html -- FILE",
    "bmrt_test --bmodel FILE",
    "tpu_model --info FILE",
    "model_runner --input FILE --model FILE --output OUT/x.npz",
    "bm_model.bin --info FILE",
};

std::string command_of(std::string tool, const std::string& path, const std::string& folder) {
  for (const auto& [word, value] : {std::pair{"FILE"s, path}, {"OUT"s, folder}})
    for (size_t at; (at = tool.find(word)) != tool.npos;) tool.replace(at, word.size(), value);
  return tool;
}

TEST(FileKinds, AreSaidByEveryTool) {
  const TemporaryDirectory directory;
  for (const FileOfKind& kind : kinds()) {
    const std::string path = make(directory, kind, ".bmodel");
    for (const char* tool : kTools) {
      const Outcome outcome = run(directory, command_of(tool, path, directory.path().string()));
      EXPECT_NE(outcome.code, 0) << tool << " " << path;
      EXPECT_NE(outcome.text.find(kind.reason), std::string::npos)
          << tool << " of " << kind.name << ":\n"
          << outcome.text;
      EXPECT_NE(outcome.text.find(path), std::string::npos) << tool << ":\n" << outcome.text;
      const size_t first = outcome.text.find(path);
      if (first == outcome.text.npos) continue;
      EXPECT_EQ(outcome.text.find(path, first + 1), outcome.text.npos)
          << tool << " names it twice:\n"
          << outcome.text;
    }
  }
}

// Files that are no programs, with the extensions of their kinds.
TEST(FileKinds, AreSaidOfPrograms) {
  const TemporaryDirectory directory;
  for (const FileOfKind& kind : kinds()) {
    if (kind.content == kDirectory || kind.name == "empty") continue;
    const std::string path = make(directory, kind, ".cvimodel");
    for (const char* tool : {"timing", "check", "profile --html \"\""}) {
      const Outcome outcome = run(directory, "tputwin "s + tool + " -- " + path);
      EXPECT_NE(outcome.code, 0);
      EXPECT_NE(outcome.text.find(kind.reason), std::string::npos)
          << tool << " of " << kind.name << ":\n"
          << outcome.text;
    }
  }
}

TEST(FileKinds, AreSaidOfKernels) {
  const TemporaryDirectory directory;
  for (const FileOfKind& kind : kinds()) {
    if (kind.content == kDirectory) continue;
    const std::string path = make(directory, kind, ".so");
    const Outcome outcome = run(directory, "tputwin kernel list " + path);
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.text.find(kind.reason), std::string::npos) << kind.name << ":\n"
                                                                 << outcome.text;
  }
}

// Files that compilers read.
TEST(FileKinds, AreSaidOfNets) {
  const TemporaryDirectory directory;
  for (const FileOfKind& kind : kinds()) {
    const bool skipped = kind.content == kDirectory || kind.name == "prototxt";
    if (!skipped && kind.name != "onnx") {
      const std::string path = make(directory, kind, ".onnx");
      const Outcome outcome =
          run(directory, "tputwin compile " + path + " -o " + (directory / "net.bmodel").string());
      EXPECT_NE(outcome.text.find(kind.reason), std::string::npos) << kind.name << ":\n"
                                                                   << outcome.text;
    }
    if (!skipped && kind.name != "caffemodel") {
      const std::string path = make(directory, kind, ".caffemodel");
      const Outcome outcome = run(directory, "tputwin compile " + path + " --table none -o " +
                                                 (directory / "net.bmodel").string());
      EXPECT_NE(outcome.text.find(kind.reason), std::string::npos) << kind.name << ":\n"
                                                                   << outcome.text;
    }
  }
}

// Files of the expected kind, or of an unknown kind, are not described.
TEST(FileKinds, OfWhatIsExpected) {
  const auto kind = [](const std::string& content, Expected expected) {
    return bmodel::file_kind({reinterpret_cast<const uint8_t*>(content.data()), content.size()},
                             expected);
  };
  EXPECT_EQ(kind(bmodel_of("BM1684X"), Expected::bmodel), "");
  EXPECT_EQ(kind(bmodel_of("BM1684X"), Expected::nothing), "it is a bmodel of the BM1684X");
  EXPECT_EQ(kind("\x80\x81\x82\x83"s, Expected::bmodel), "");
  EXPECT_EQ(kind("\x08\x07\x3a\x02\x0a\x00"s, Expected::onnx), "");
  EXPECT_EQ(kind("layer {\n}\n", Expected::prototxt), "");
#ifdef __x86_64__
  EXPECT_EQ(kind(elf(3, 62), Expected::shared_object), "");
  EXPECT_EQ(kind(elf(2, 62), Expected::shared_object), "it is a program, not a shared object");
  EXPECT_EQ(kind(elf(3, 183), Expected::shared_object),
            "it is a shared object made for AArch64; this machine is x86-64");
#endif
  // truncated anywhere
  for (const FileOfKind& one : kinds())
    for (size_t size = 0; size < one.content.size(); ++size)
      static_cast<void>(kind(one.content.substr(0, size), Expected::nothing));
}

}  // namespace
}  // namespace tputwin::tools
