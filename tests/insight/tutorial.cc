// The tutorial of docs/check.md: every line behind "$" is run, and answers what stands below it.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "common/temporary_directory.h"
#include "insight/mutants.h"

namespace tputwin::insight::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = TPUTWIN_SOURCE_DIR, kPage = kSource / "docs/check.md";
constexpr std::string_view kBegin = "\n## From wrong to fast\n", kCommand = "    $ ",
                           kIndent = "    ";

// Returns a command's output on both streams, in a folder with the programs and their sources.
std::string output_of(const std::string& command, const fs::path& folder) {
  const std::string line = "cd " + folder.string() + " && { " + command + "; } 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(line.c_str(), "r"), pclose);
  std::string text;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get()))
    text += static_cast<char>(c);
  return text;
}

// Returns the chapter with the current output of its commands.
std::string run_again(const std::string& chapter, const fs::path& folder) {
  std::istringstream lines(chapter);
  std::string made;
  bool is_output = false;
  for (std::string line; std::getline(lines, line);) {
    is_output = is_output && line.starts_with(kIndent);
    if (line.starts_with(kCommand)) {
      made += line + "\n";
      std::istringstream printed(output_of(line.substr(kCommand.size()), folder));
      for (std::string said; std::getline(printed, said);)
        made += said.empty() ? "\n" : std::string(kIndent) + said + "\n";
      is_output = true;
    } else if (!is_output) {
      made += line + "\n";
    }
  }
  return made;
}

TEST(Tutorial, PrintsWhatThePageShows) {
  const tputwin::testing::TemporaryDirectory folder;
  for (const auto& file : fs::directory_iterator(kSource / "examples/insight"))
    fs::create_symlink(file.path(), folder / file.path().filename().string());
  for (const char* program : {"blend_wrong", "blend_short", "blend_right", "blend_fast"})
    fs::create_symlink(fs::path(TPUTWIN_BIN_DIR) / program, folder / program);
  const std::string path = std::string(TPUTWIN_BIN_DIR) + ":" + std::getenv("PATH");
  setenv("PATH", path.c_str(), 1);
  for (const char* name : {"TPUTWIN_CHECK", "TPUTWIN_LOG"}) unsetenv(name);
  setenv("TPUTWIN_CHIP", "BM1684", 1);
  std::string page = text_of(kPage);
  const size_t begin = page.find(kBegin);
  ASSERT_NE(begin, std::string::npos);
  const size_t end = page.find("\n## ", begin + 1) + 1;
  const std::string chapter = page.substr(begin, end - begin);
  const std::string made = run_again(chapter, folder.path());
  const char* const rebase = std::getenv("TPUTWIN_REBASE");
  if (rebase != nullptr && std::string_view(rebase) == "1") {
    page.replace(begin, end - begin, made);
    std::ofstream(kPage) << page;
    return;
  }
  EXPECT_EQ(made, chapter);
}

}  // namespace
}  // namespace tputwin::insight::testing
