// The table of operators in docs/onnx.md is generated from src/bmnet/onnx/operators.def.
// TPUTWIN_REBASE=1 writes it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "docs/text.h"

namespace tputwin::docs {
namespace {

constexpr std::string_view kBegin = "| operator | opsets | result |\n|---|---|---|\n";

std::string table() {
  std::string text(kBegin);
  const auto row = [&](std::string_view name, int first, int last, std::string_view note) {
    text += fmt::format(
        "| {} | {} | {} |\n", name,
        first == last ? std::to_string(first) : fmt::format("{} to {}", first, last), note);
  };
#define TW_ONNX(name, first, last, importer, folder, note) row(#name, first, last, note);
#define TW_ONNX_EXPANDED(name, first, last, expander, note) row(#name, first, last, note);
#define TW_MICROSOFT(name, expander, note) \
  text += fmt::format("| com.microsoft.{} | any | {} |\n", #name, note);
#include "bmnet/onnx/operators.def"
  return text;
}

TEST(Onnx, TableOfOperatorsIsThatOfTheImporter) {
  const std::filesystem::path path = source_dir() / "docs/onnx.md";
  const std::string page = read_text(path);
  const size_t begin = page.find(kBegin);
  ASSERT_NE(begin, std::string::npos);
  size_t end = begin;
  while (end < page.size() && page[end] == '|') end = page.find('\n', end) + 1;
  const std::string wanted = page.substr(0, begin) + table() + page.substr(end);
  if (std::getenv("TPUTWIN_REBASE") != nullptr) std::ofstream(path) << wanted;
  EXPECT_EQ(read_text(path), wanted) << "run: TPUTWIN_REBASE=1 build/bin/test_docs";
}

}  // namespace
}  // namespace tputwin::docs
