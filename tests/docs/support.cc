// Generates docs/support.md from the list of documented functions, the public headers, the built
// libraries and the recorded cases. TPUTWIN_REBASE=1 writes it.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <set>
#include <string_view>
#include <vector>

#include "docs/commands.h"
#include "docs/text.h"
#include "host/operators.h"

namespace tputwin::docs {
namespace {

enum class Answer { built, refused };

struct Function {
  std::string_view name;
  Answer answer;
};

struct Group {
  std::string_view chip, api, title, library, header;
  std::vector<Function> functions;
};

std::vector<Group> documented() {
  std::vector<Group> groups;
#define TW_GROUP(chip, api, title, library, header) \
  groups.push_back({chip, api, title, library, header, {}});
#define TW_FUNCTION(name, answer) groups.back().functions.push_back({#name, Answer::answer});
#include "docs/documented.def"
#undef TW_GROUP
#undef TW_FUNCTION
  return groups;
}

// A class of BMNet, or a family of functions.
struct Class {
  std::string_view name, header;
  std::vector<std::string_view> members;
};

std::vector<Class> documented_classes() {
  std::vector<Class> classes;
#define TW_CLASS(name, header) classes.push_back({name, header, {}});
#define TW_MEMBER(name) classes.back().members.push_back(#name);
#include "docs/bmnet.def"
#undef TW_CLASS
#undef TW_MEMBER
  return classes;
}

std::filesystem::path header_path(std::string_view header) {
  return source_dir() / "include" / header;
}

// Returns names of the functions that a header declares or defines.
std::set<std::string> declared(std::string_view header) {
  static const std::regex comment(R"(/\*[^]*?\*/|//[^\n]*)");
  static const std::regex directive(R"((^|\n)[ \t]*#([^\n]*\\\n)*[^\n]*)");
  static const std::regex function(R"((?:^|\n)[A-Za-z_][\w \*]*[ \*](\w+)\([^;{}]*\)\s*[;{])");
  std::string text = std::regex_replace(read_text(header_path(header)), comment, "");
  text = std::regex_replace(text, directive, "\n");
  std::set<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), function), end; match != end; ++match)
    if ((*match)[1] != "__attribute__") names.insert((*match)[1]);
  return names;
}

// Returns names of inline functions, which need no library.
std::set<std::string> inlined(std::string_view header) {
  static const std::regex definition(R"(static inline [\w \*]*?(\w+)\()");
  const std::string text = read_text(header_path(header));
  std::set<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), definition), end; match != end; ++match)
    names.insert((*match)[1]);
  return names;
}

void* open_library(std::string_view name) {
  auto path =
      std::filesystem::path(TPUTWIN_BIN_DIR).parent_path() / "lib" / fmt::format("lib{}.so", name);
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

// Returns the number of recorded cases of the reference model for this function. Cases with a
// status have no result: the model stopped.
size_t cases_in(const std::filesystem::path& golden) {
  const std::string text = read_text(golden);
  auto count = [&](std::string_view what) {
    size_t number = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
      number++;
    return number;
  };
  return count("{\"case\":") - count("\"status\":");
}

size_t recorded_cases(std::string_view function) {
  const auto conformance = source_dir() / "tests/conformance";
  constexpr std::string_view prefix = "bmk1880_";
  if (function.starts_with("okk_"))
    return cases_in(conformance / "okk/golden" / fmt::format("{}.json", function));
  if (function.starts_with("tpu_"))
    return cases_in(conformance / "tpu/golden" / fmt::format("{}.json", function));
  if (!function.starts_with(prefix)) return 0;
  size_t count = 0;
  for (std::string_view variant : {"", "_matrix", "_winograd", "_run"})
    count += cases_in(conformance / "bmk1880/golden" /
                      fmt::format("{}{}.json", function.substr(prefix.size()), variant));
  return count;
}

std::string state_of(std::string_view chip) {
  size_t built = 0, refused = 0;
  for (const Group& group : documented())
    if (group.chip == chip)
      for (const Function& f : group.functions) (f.answer == Answer::built ? built : refused)++;
  return fmt::format(
      "all {} documented functions: {} work, {} {} the documented answer \"not supported\"",
      built + refused, built, refused, refused == 1 ? "gives" : "give");
}

std::string state_of_classes() {
  size_t members = 0;
  for (const Class& c : documented_classes()) members += c.members.size();
  return fmt::format(
      "all {} documented members of {} classes and families, every documented layer "
      "([layers](layers.md))",
      members, documented_classes().size());
}

std::string class_tables() {
  std::string tables;
  for (const Class& c : documented_classes()) {
    tables += fmt::format(
        "\n## BMNet: {}\n\n`#include <{}>`, `-lbmnet`\n\n| member | BM1880 |\n|---|---|\n", c.name,
        c.header);
    for (std::string_view member : c.members) tables += fmt::format("| `{}` | yes |\n", member);
  }
  return tables;
}

std::string host_operators() {
  std::string text =
      "\n## Operators of the host in bmodels: BM1684, BM1684X\n\n"
      "In an encoding of ours, or given by a library of the user; the vendor's numbers are not "
      "documented and refused ([host-operators.md](host-operators.md)).\n\n| operator |\n|---|\n";
  for (std::string_view name : host::operator_names()) text += fmt::format("| `{}` |\n", name);
  return text;
}

std::string support_table() {
  std::string tables;
  for (const Group& group : documented()) {
    tables += fmt::format(
        "\n## {}: {}\n\n`#include <{}>`, `-l{}`\n\n| function | {} | recorded cases |\n"
        "|---|---|---|\n",
        group.api, group.title, group.header, group.library, group.chip);
    for (const Function& f : group.functions) {
      const size_t cases = recorded_cases(f.name);
      tables += fmt::format("| `{}` | {} | {} |\n", f.name,
                            f.answer == Answer::built ? "yes" : "answers \"not supported\"",
                            cases ? std::to_string(cases) : "");
    }
  }
  return fmt::format(
             "# What is built\n\n"
             "Made by `TPUTWIN_REBASE=1 build/bin/test_docs`; a test keeps it true.\n\n"
             "| API | chip | state |\n|---|---|---|\n"
             "| BMKernel, BMRuntime, BMBLAS | BM1880 | {} |\n"
             "| BMNet (compiler) | BM1880 | {} |\n"
             "| OKKernel, bmlib | BM1684 | {} |\n"
             "| TPUKernel, bmlib, bmrt | BM1684X | {} |\n\n"
             "*Recorded cases*: calls whose result bytes and command bytes were recorded from the "
             "chip's reference model and are compared byte for byte by the conformance tests. "
             "Functions without any have tests of their own, written from the documents. The types "
             "of "
             "bmodels' commands are those of recorded ones.\n\n"
             "*Not there*: the plug-in interface of BMNet in SDK 1.1.4 (`layer_api.hpp`), whose "
             "layers read the text of `custom {{ value: ... }}` themselves. Layers of one's own "
             "are "
             "classes ([bmnet.md](bmnet.md#customized-layers)).\n",
             state_of("BM1880"), state_of_classes(), state_of("BM1684"), state_of("BM1684X")) +
         tables + class_tables() + command_tables() + host_operators();
}

TEST(Support, EveryDocumentedFunctionIsDeclaredAndExported) {
  for (const Group& group : documented()) {
    const auto names = declared(group.header);
    void* library = open_library(group.library);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto inlined_names = inlined(group.header);
    for (const Function& f : group.functions) {
      EXPECT_TRUE(names.contains(std::string(f.name))) << f.name << " is not in " << group.header;
      EXPECT_TRUE(inlined_names.contains(std::string(f.name)) ||
                  dlsym(library, std::string(f.name).c_str()) != nullptr)
          << f.name << " is not exported by " << group.library;
    }
  }
}

TEST(Support, EveryDeclaredFunctionIsListed) {
  // functions that implement macros of the headers
  std::set<std::string_view> listed{
      "okk_log",           "okk_assert_logged",      "okk_assert_failed",     "okk_bdc_scale_old",
      "okk_bdc_scale_any", "okk_bdc_scale_bias_old", "okk_bdc_scale_bias_any"};
  std::set<std::string_view> headers;
  for (const Group& group : documented()) {
    headers.insert(group.header);
    for (const Function& f : group.functions) listed.insert(f.name);
  }
  for (std::string_view header : headers)
    for (const std::string& name : declared(header))
      EXPECT_TRUE(listed.contains(name)) << name << " of " << header << " is not documented";
}

// Programs that use them are compiled in tests/headers and examples/bmnet.
TEST(Support, EveryDocumentedMemberIsInItsHeader) {
  for (const Class& c : documented_classes()) {
    const std::string text = read_text(header_path(c.header));
    for (std::string_view member : c.members)
      EXPECT_TRUE(std::regex_search(text, std::regex(fmt::format("\\b{}\\b", member))))
          << c.name << "::" << member << " is not in " << c.header;
  }
}

TEST(Support, PageIsUpToDate) {
  const auto path = source_dir() / "docs/support.md";
  const std::string table = support_table();
  if (std::getenv("TPUTWIN_REBASE")) std::ofstream(path) << table;
  EXPECT_EQ(read_text(path), table) << "run: TPUTWIN_REBASE=1 build/bin/test_docs";
}

}  // namespace
}  // namespace tputwin::docs
