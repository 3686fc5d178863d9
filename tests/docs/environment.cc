// The tables of docs/environment.md are made of src/base/variables.def. TPUTWIN_REBASE=1 writes
// them.
#include "base/variables.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "docs/text.h"

namespace tputwin::docs {
namespace {

const std::filesystem::path kPage = source_dir() / "docs/environment.md";

// The rows of a group, below the heading of its name.
std::string table_of(std::string_view group) {
  std::string table = "| variable | values | default | effect |\n|---|---|---|---|\n";
  for (const VariableInfo& v : variables())
    if (v.group == group)
      table += fmt::format("| `{}` | {} | {} | {} |\n", v.name, v.values, v.otherwise, v.effect);
  return table;
}

// The page with the tables of all groups. Empty if a group has no heading.
std::string wanted_page() {
  std::string page = read_text(kPage);
  std::set<std::string_view> done;
  for (const VariableInfo& v : variables()) {
    if (!done.insert(v.group).second) continue;
    const size_t heading = page.find(fmt::format("\n## {}\n", v.group));
    if (heading == std::string::npos) return "";
    const size_t begin = page.find("\n|", heading) + 1;
    size_t end = begin;
    while (page.compare(end, 1, "|") == 0) end = page.find('\n', end) + 1;
    page.replace(begin, end - begin, table_of(v.group));
  }
  return page;
}

TEST(Environment, PageIsUpToDate) {
  const std::string wanted = wanted_page();
  ASSERT_FALSE(wanted.empty()) << "a group of src/base/variables.def has no heading";
  if (std::getenv("TPUTWIN_REBASE") != nullptr) std::ofstream(kPage) << wanted;
  EXPECT_EQ(read_text(kPage), wanted) << "run: TPUTWIN_REBASE=1 build/bin/test_docs";
}

// Only the table reads variables of ours.
TEST(Environment, SourcesReadNoOtherVariables) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() / "src")) {
    if (!entry.is_regular_file() || entry.path().filename() == "variables.cc") continue;
    EXPECT_EQ(read_text(entry.path()).find("getenv(\"TPUTWIN"), std::string::npos) << entry.path();
  }
}

// A value is read at each call; numbers and flags have one form each.
TEST(Environment, Values) {
  setenv("TPUTWIN_POISON", "0", 1);
  EXPECT_FALSE(is_on(EnvVariable::poison));
  setenv("TPUTWIN_POISON", "1", 1);
  EXPECT_TRUE(is_on(EnvVariable::poison));
  unsetenv("TPUTWIN_POISON");
  EXPECT_FALSE(is_on(EnvVariable::poison));
  EXPECT_EQ(value_of(EnvVariable::poison), "");
  for (const auto& [text, number] :
       {std::pair("12", 12), {"0x10", 16}, {"-3", 0}, {"many", 0}, {"", 0}}) {
    setenv("TPUTWIN_SUBNET_STEPS", text, 1);
    EXPECT_EQ(number_in(EnvVariable::subnet_steps), static_cast<uint64_t>(number)) << text;
  }
  unsetenv("TPUTWIN_SUBNET_STEPS");
}

}  // namespace
}  // namespace tputwin::docs
