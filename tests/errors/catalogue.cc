// The error catalogue: unique codes, a failing program for every row, and its page in the docs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "chip/rule_numbers.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

TEST(Catalogue, CodesAreUniqueAndSentencesClean) {
  std::set<std::string_view> codes;
  for (const ErrorInfo& row : error_catalogue()) {
    EXPECT_TRUE(codes.insert(row.code).second) << row.code << " appears twice";
    EXPECT_TRUE(row.code.starts_with("TW-") && row.code.size() == 11) << row.code;
    EXPECT_FALSE(row.rule.empty() || row.rule.ends_with('.')) << row.code;
    EXPECT_FALSE(row.reference.empty()) << row.code;
  }
}

// Every rule contains must, cannot or may, and no sentence is long. A semicolon ends a sentence.
TEST(Catalogue, RulesStateWhatMustHoldInShortSentences) {
  constexpr size_t kMostWords = 30;
  for (const ErrorInfo& row : error_catalogue()) {
    bool states_a_rule = false;
    size_t words = 0;
    std::istringstream text{std::string(row.rule)};
    for (std::string word; text >> word;) {
      EXPECT_LE(++words, kMostWords) << row.code << ": " << row.rule;
      const bool ends_sentence = word.ends_with(';');
      if (ends_sentence || word.ends_with(',') || word.ends_with(':')) word.pop_back();
      states_a_rule = states_a_rule || word == "must" || word == "cannot" || word == "may";
      if (ends_sentence) words = 0;
    }
    EXPECT_TRUE(states_a_rule) << row.code << ": " << row.rule;
  }
}

TEST(Catalogue, TriggersYieldTheirError) {
  for (const Trigger& trigger : triggers()) {
    const ErrorInfo& row = error_info(trigger.id);
    Status status = trigger.run();
    ASSERT_FALSE(status.ok()) << row.symbol << " was not reported";
    EXPECT_EQ(status.error().code(), row.code) << status.message();
    EXPECT_NE(status.message().find(row.code), std::string::npos);
    EXPECT_NE(status.message().find(row.rule), std::string::npos);
  }
}

TEST(Catalogue, EveryRowHasATrigger) {
  std::set<ErrorId> triggered;
  for (const Trigger& trigger : triggers())
    EXPECT_TRUE(triggered.insert(trigger.id).second) << error_info(trigger.id).symbol;
  for (const ErrorInfo& row : error_catalogue())
    EXPECT_TRUE(triggered.contains(row.id)) << row.symbol << " has no TW_TRIGGER";
}

// Returns docs/errors.md as generated from the catalogue.
std::string errors_page() {
  std::string page =
      "# Errors\n\n"
      "Generated from src/base/errors/*.def; `TPUTWIN_REBASE=1 build/bin/test_errors` regenerates "
      "it.\n\n"
      "An error stops the call. A warning is counted and execution goes on: a document forbids\n"
      "what the chip's reference model executes. In strict mode (TPUTWIN_STRICT=1) warnings are "
      "errors.\n\n"
      "Both are lines on standard error: a warning once for each rule and call, a repeated error "
      "three times.\n`TPUTWIN_LOG` chooses: `quiet`, `errors`, `warnings` (default), or "
      "`json`, one object a line\nwith `level`, `id`, `call`, `argument`, `value`, `rule`, "
      "`detail` and `reference`. <tputwin/error.h> gives\nprograms the same text.\n\n"
      "    tputwin: error: TW-MEM-0002 okk_bdc_add_C, command 2 of the launch: src_stride =\n"
      "    f32(1,64,2,8)@L+0x1000 stride(0,0,200000,1): all data of a channel must stay inside its "
      "lane of local\n    memory; it needs 804128 bytes of a lane, which has 524288: 279840 too "
      "many [OKKernel guide: memories]\n\n"
      "Strides are given in the unit of the kernel library: elements, or cells where elements are "
      "packed.\n\n"
      "Numbers in brackets after a rule are those of the named chip. On another chip of its family "
      "the rule\nholds with the numbers of that chip, and messages contain them.\n";
  std::string_view area;
  for (const ErrorInfo& row : error_catalogue()) {
    if (row.code.substr(0, 6) != area) {
      area = row.code.substr(0, 6);
      page += fmt::format(
          "\n## {}\n\n| id | level | kind | rule | where it is written |\n"
          "|---|---|---|---|---|\n",
          area);
    }
    const std::string numbers = documented_numbers(row.id);
    page +=
        fmt::format("| {} | {} | {} | {}{} | {} |\n", row.code,
                    row.level == Level::error ? "error" : "warning", to_string(row.kind), row.rule,
                    numbers.empty() ? "" : fmt::format(" ({})", numbers), row.reference);
  }
  return page;
}

TEST(Catalogue, DocumentedAsGenerated) {
  const std::string path = TPUTWIN_SOURCE_DIR "/docs/errors.md";
  if (std::getenv("TPUTWIN_REBASE") != nullptr) std::ofstream(path) << errors_page();
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), errors_page()) << "rerun with TPUTWIN_REBASE=1 to rewrite docs/errors.md";
}

}  // namespace
}  // namespace tputwin::testing
