// docs/bmnet.md lists the compiler's passes and folders correctly.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <vector>

#include "docs/text.h"

namespace tputwin::docs {
namespace {

using Names = std::vector<std::string>;

Names found(const std::string& text, const std::regex& pattern) {
  Names names;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    names.push_back((*match)[1]);
  return names;
}

// Returns names in the first column of the table of a section.
Names rows_of(const std::string& section) {
  const std::string page = read_text(source_dir() / "docs/bmnet.md");
  const size_t begin = page.find("\n## " + section + "\n");
  const std::string text = page.substr(begin, page.find("\n## ", begin + 1) - begin);
  Names names;
  static const std::regex row(R"(\n\| (`[a-z_]+`(?:, `[a-z_]+`)*) )"), name(R"(`([a-z_]+)`)");
  for (const std::string& cell : found(text, row))
    for (const std::string& one : found(cell, name)) names.push_back(one);
  return names;
}

TEST(Compiler, PassesAreListedInTheirOrder) {
  const Names rows = rows_of("Passes");
  const std::string pipeline = read_text(source_dir() / "src/bmnet/pipeline/pipeline.cc");
  Names listed;
  for (const std::string& list :
       found(pipeline, std::regex(R"(constexpr Pass \w+\[\] = \{([^}]*)\})"))) {
    auto at = rows.begin();
    for (const std::string& pass : found(list, std::regex(R"(pass::(\w+))"))) {
      at = std::find(at, rows.end(), pass);
      EXPECT_NE(at, rows.end()) << pass << " is not listed, or in another place";
      listed.push_back(pass);
    }
  }
  for (const std::string& row : rows)
    EXPECT_NE(std::ranges::find(listed, row), listed.end()) << row << " is no pass";
}

TEST(Compiler, FoldersIncludeOnlyThoseBelowThem) {
  const Names modules = rows_of("Modules");
  EXPECT_GT(modules.size(), 10u);
  static const std::regex include("\n#include \"bmnet/([a-z_]+)/");
  for (size_t i = 0; i < modules.size(); ++i) {
    const auto folder = source_dir() / "src/bmnet" / modules[i];
    ASSERT_TRUE(std::filesystem::exists(folder)) << folder;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      for (const std::string& module : found("\n" + read_text(entry.path()), include))
        EXPECT_NE(std::find(modules.begin() + static_cast<ptrdiff_t>(i), modules.end(), module),
                  modules.end())
            << entry.path() << " includes " << module;
    }
  }
}

}  // namespace
}  // namespace tputwin::docs
