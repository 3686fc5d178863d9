// The source tree matches docs/architecture.md, and each source begins with a description.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "docs/text.h"

namespace tputwin::docs {
namespace {

const std::filesystem::path kSrc = source_dir() / "src";

std::vector<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern, std::regex::optimize);
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i)
    found.push_back((*i)[1]);
  return found;
}

std::vector<std::filesystem::path> sources(const std::string& extensions,
                                           const std::filesystem::path& folder = kSrc) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && !entry.path().extension().empty() &&
        extensions.find(entry.path().extension().string() + " ") != std::string::npos)
      paths.push_back(entry.path());
  return paths;
}

// Returns "tools -> ... -> base" of the page.
std::vector<std::string> modules() {
  const std::string page = read_text(source_dir() / "docs/architecture.md");
  const auto lines = matches(page, "\n    (tools -> [a-z >-]*-> base)\n");
  return lines.empty() ? lines : matches(lines.front(), "([a-z]+)");
}

TEST(Sources, IncludeFoldersToTheRightOnly) {
  std::map<std::string, size_t> place;
  for (const std::string& module : modules()) place.emplace(module, place.size());
  EXPECT_GT(place.size(), 8u);
  for (const auto& path : sources(".cc .h .def ")) {
    const std::string module = path.lexically_relative(kSrc).begin()->string();
    ASSERT_TRUE(place.contains(module)) << module << " is not in docs/architecture.md";
    for (const std::string& other : matches(read_text(path), "#include \"([a-z0-9_]+)/"))
      if (place.contains(other)) {
        EXPECT_LE(place[module], place[other]) << path << " includes " << other;
      }
  }
}

// Repeatedly removes folders that include none of the others; a cycle would remain.
TEST(Sources, FoldersOfTheCompilerIncludeEachOtherInNoCycle) {
  const std::filesystem::path bmnet = kSrc / "bmnet";
  std::map<std::string, std::set<std::string>> included;
  for (const auto& path : sources(".cc .h .def ", bmnet)) {
    const std::string folder = path.lexically_relative(bmnet).begin()->string();
    for (const std::string& other : matches(read_text(path), "#include \"bmnet/([a-z_]+)/"))
      if (other != folder) included[folder].insert(other);
  }
  EXPECT_GT(included.size(), 8u);
  const auto includes_none = [&](const auto& entry) {
    return std::ranges::none_of(entry.second,
                                [&](const std::string& other) { return included.contains(other); });
  };
  while (std::erase_if(included, includes_none) != 0) continue;
  for (const auto& entry : included) ADD_FAILURE() << entry.first << " is in a cycle, or after one";
}

TEST(Sources, ArchitectureNamesFoldersThatExist) {
  const std::string page = read_text(source_dir() / "docs/architecture.md");
  for (const std::string& module : modules()) EXPECT_TRUE(is_directory(kSrc / module)) << module;
  for (const std::string& row : matches(page, "\n[|] (`[a-z/_, `]+) [|]"))
    for (const std::string& module : matches(row, "`([a-z/_]+)`"))
      EXPECT_TRUE(is_directory(kSrc / module)) << module;
}

TEST(Sources, BeginWithWhatTheyAre) {
  for (const auto& path : sources(".cc ")) EXPECT_TRUE(read_text(path).starts_with("// ")) << path;
}

TEST(Sources, AreShort) {
  for (const auto& path : sources(".cc .h ")) {
    const std::string text = read_text(path);
    EXPECT_LE(std::ranges::count(text, '\n'), 400) << path;
  }
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::istringstream text(read_text(path));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// Returns the length of the block that the line begins: up to the first line that begins with "}"
// and is not indented further.
size_t block_length(const std::vector<std::string>& lines, size_t first) {
  const size_t indent = lines[first].find_first_not_of(' ');
  for (size_t i = first + 1; i < lines.size(); ++i) {
    const size_t start = lines[i].find_first_not_of(' ');
    if (start <= indent && lines[i][start] == '}') return i - first + 1;
  }
  return lines.size() - first;
}

// Blocks of statements are all blocks except types, namespaces and lists of values.
void expect_short_functions(const std::filesystem::path& path) {
  static const std::regex other(
      " *(//|namespace|extern|class|struct|union|enum|template <.*> (class|struct)|.*= [{]$).*");
  const std::vector<std::string> lines = lines_of(path);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].ends_with(" {") || std::regex_match(lines[i], other)) continue;
    EXPECT_LE(block_length(lines, i), 50u) << path << ":" << i + 1;
  }
}

TEST(Sources, HaveFunctionsThatFitAScreen) {
  for (const auto& path : sources(".cc .h ")) expect_short_functions(path);
  // also those of the tests
  for (const auto& path : sources(".cc .h ", source_dir() / "tests")) expect_short_functions(path);
}

TEST(Sources, AreInSmallFolders) {
  std::map<std::filesystem::path, size_t> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSrc))
    if (entry.is_regular_file()) ++files[entry.path().parent_path()];
  for (const auto& [folder, count] : files) EXPECT_LE(count, 45u) << folder;
}

// Every function in a folder that the pattern finds must have a row in the list: `row` and its
// name.
void expect_rows(const std::string& folder, const char* pattern, const std::string& list,
                 const std::string& row) {
  const std::string rows = read_text(kSrc / list);
  size_t functions = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSrc / folder)) {
    if (entry.path().extension() != ".cc") continue;
    for (const std::string& name : matches(read_text(entry.path()), pattern)) {
      ++functions;
      EXPECT_NE(rows.find(row + name + ")"), std::string::npos)
          << list << " lacks " << name << " of " << entry.path();
    }
  }
  EXPECT_GT(functions, 2u) << folder;
}

TEST(Sources, HaveNoChipOrCommandThatIsNotListed) {
  expect_rows("chip", "\nconst Chip& ([a-z0-9_]+)[(][)] [{]", "chip/chips.def", "TW_CHIP(");
  expect_rows("tools/commands", "\nvoid add_([a-z]+)[(]CLI::App& app, int& exit[)]",
              "tools/commands/commands.def", "TW_COMMAND(");
}

}  // namespace
}  // namespace tputwin::docs
