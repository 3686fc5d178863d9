// The project's pages: their quotations and the targets of their links exist.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <vector>

#include "docs/text.h"

namespace tputwin::docs {
namespace {

std::vector<std::filesystem::path> pages() {
  std::vector<std::filesystem::path> paths{source_dir() / "README.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() / "docs"))
    if (entry.path().extension() == ".md") paths.push_back(entry.path());
  return paths;
}

// Returns the fenced blocks of a language.
std::vector<std::string> code_blocks(const std::string& page, const std::string& language) {
  std::vector<std::string> blocks;
  const std::string fence = "```" + language + "\n";
  for (size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at + 1)) {
    const size_t begin = at + fence.size();
    blocks.push_back(page.substr(begin, page.find("```", begin) - begin));
  }
  return blocks;
}

// Returns the parts of examples between "// [readme]" and "// [readme end]".
std::set<std::string> quotable_sections() {
  const std::string begin = "// [readme]\n", end = "// [readme end]";
  std::set<std::string> sections;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(source_dir() / "examples")) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read_text(entry.path());
    const size_t from = text.find(begin);
    if (from == std::string::npos) continue;
    const size_t start = from + begin.size();
    sections.insert(text.substr(start, text.find(end, start) - start));
  }
  return sections;
}

TEST(Pages, CodeOfKernelsIsThatOfExamples) {
  const auto sections = quotable_sections();
  for (const std::string page :
       {"README.md", "docs/bmkernel.md", "docs/okkernel.md", "docs/tpukernel.md"}) {
    const auto blocks = code_blocks(read_text(source_dir() / page), "cpp");
    EXPECT_TRUE(page == "README.md" || !blocks.empty()) << page;
    for (const std::string& block : blocks)
      EXPECT_TRUE(sections.contains(block)) << page << ": not a marked section of an example:\n"
                                            << block;
  }
}

TEST(Pages, LiftedLayerIsThatOfTheExample) {
  const std::string example = read_text(source_dir() / "examples/lift/before.c");
  const auto blocks = code_blocks(read_text(source_dir() / "docs/bmodel168x.md"), "c");
  EXPECT_FALSE(blocks.empty());
  for (const std::string& block : blocks)
    EXPECT_NE(example.find(block), std::string::npos) << "not in examples/lift/before.c:\n"
                                                      << block;
}

TEST(Pages, RelativeLinksLeadSomewhere) {
  static const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
  for (const auto& path : pages()) {
    const std::string text = read_text(path);
    for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
      const auto target = path.parent_path() / (*match)[1].str();
      EXPECT_TRUE(std::filesystem::exists(target)) << path << " links to " << target;
    }
  }
}

TEST(Pages, AreAscii) {
  for (const auto& path : pages())
    for (unsigned char c : read_text(path)) ASSERT_LT(c, 128u) << path;
}

}  // namespace
}  // namespace tputwin::docs
