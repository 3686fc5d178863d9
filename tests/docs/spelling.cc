// One spelling: quantize, normalize, synchronization, with z, in code, comments and pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "docs/text.h"

namespace tputwin::docs {
namespace {

// Stems whose s belongs to the word. Longer words may end like the first three.
constexpr std::string_view kStems[] = {"wis",     "nois",    "rais",   "advis",
                                       "madvis",  "revis",   "precis", "promis",
                                       "surpris", "exercis", "dis",    "advertis"};

// Returns the words of a text in small letters. In "isQuantized" and "kMax_size" a word begins at
// each capital letter that follows a small one.
std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> words(1);
  char before = ' ';
  for (const char c : text) {
    const bool is_letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    const bool begins = std::isupper(static_cast<unsigned char>(c)) != 0 &&
                        std::islower(static_cast<unsigned char>(before)) != 0;
    if ((!is_letter || begins) && !words.back().empty()) words.emplace_back();
    if (is_letter) words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    before = c;
  }
  return words;
}

bool is_misspelt(const std::string& word) {
  static const std::regex pattern("(.*is)(?:e[ds]?|ers?|ing|able|ations?)", std::regex::optimize);
  std::smatch match;
  if (word.find("is") == std::string::npos || !std::regex_match(word, match, pattern)) return false;
  const std::string stem = match[1];
  return std::ranges::find(kStems, stem) == std::end(kStems) &&
         std::none_of(kStems, kStems + 3, [&](auto suffix) { return stem.ends_with(suffix); });
}

TEST(Spelling, IsDistinguishedFromWordsWithAnSOfTheirOwn) {
  for (const char* right :
       {"quantize", "elementwise", "otherwise", "raising", "disable", "advised"})
    EXPECT_FALSE(is_misspelt(right)) << right;
  for (const std::string wrong : {"quanti", "normali", "reali", "ari_synchroni"})
    for (const char* suffix : {"se", "sed", "sing", "sation", "ser"})
      EXPECT_TRUE(is_misspelt(wrong + suffix)) << wrong + suffix;
  EXPECT_EQ(words("isQuantized kMax_size"),
            (std::vector<std::string>{"is", "quantized", "k", "max", "size"}));
}

TEST(Spelling, IsOne) {
  const std::string extensions = ".cc .cpp .c .h .hpp .def .proto .md .txt .cmake .py .sh ";
  size_t files = 0;
  for (const char* folder :
       {"bench", "cmake", "docs", "examples", "include", "models", "src", "tests"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() / folder)) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() || extension.empty() ||
          extensions.find(extension + " ") == std::string::npos)
        continue;
      ++files;
      for (const std::string& word : words(read_text(entry.path())))
        EXPECT_FALSE(is_misspelt(word)) << entry.path() << ": " << word;
      for (const std::string& word : words(entry.path().stem().string()))
        EXPECT_FALSE(is_misspelt(word)) << entry.path();
    }
  for (const std::string& word : words(read_text(source_dir() / "README.md")))
    EXPECT_FALSE(is_misspelt(word)) << word;
  EXPECT_GT(files, 1000u);
}

}  // namespace
}  // namespace tputwin::docs
