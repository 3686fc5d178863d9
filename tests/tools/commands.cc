// Every subcommand of tputwin has help, and docs/cli.md describes it.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <regex>

namespace tputwin::tools {
namespace {

std::string printed(const std::string& arguments) {
  const std::string line = TPUTWIN_BIN_DIR "/tputwin " + arguments + " </dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(line.c_str(), "r"), pclose);
  std::string text;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get()))
    text += static_cast<char>(c);
  return text;
}

std::vector<std::string> commands() {
  const std::string help = printed("--help");
  const std::string list = help.substr(std::min(help.size(), help.find("Subcommands:\n")));
  const std::regex name("\n  ([a-z]+) {2,}", std::regex::optimize);
  std::vector<std::string> names;
  for (auto i = std::sregex_iterator(list.begin(), list.end(), name); i != std::sregex_iterator();
       ++i)
    names.push_back((*i)[1]);
  return names;
}

TEST(Commands, ExplainThemselvesAndAreDocumented) {
  std::ifstream file(TPUTWIN_SOURCE_DIR "/docs/commands.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::vector<std::string> names = commands();
  EXPECT_GE(names.size(), 10u);
  for (const std::string& name : names) {
    const std::string help = printed(name + " --help");
    EXPECT_NE(help.find("Usage: tputwin " + name), std::string::npos) << help;
    EXPECT_NE(help.find("\nExamples:\n  tputwin " + name), std::string::npos) << help;
    EXPECT_NE(help.find("\nExit codes: 0 ok"), std::string::npos) << help;
    EXPECT_NE(page.find("\n### tputwin " + name + "\n"), std::string::npos)
        << name << " is not in docs/commands.md";
  }
}

}  // namespace
}  // namespace tputwin::tools
