// Comments and pages keep to docs/style.md: openings, words, and the length of sentences.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <vector>

#include "docs/text.h"

namespace tputwin::docs::prose {
namespace {

constexpr int kMostWords = 30;
constexpr size_t kColumns = 100;

struct Text {
  std::filesystem::path path;
  size_t line = 0;
  std::string words;
};

std::ostream& operator<<(std::ostream& out, const Text& text) {
  return out << text.path.lexically_relative(source_dir()).string() << ":" << text.line << ": "
             << text.words.substr(0, 120);
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::istringstream text(read_text(path));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// ---- The texts ----

// Comments that stand alone, those of neighbouring lines as one. `mark`: "//" or "#".
std::vector<Text> comments_of(const std::filesystem::path& path, const std::string& mark) {
  std::vector<Text> found;
  bool continues = false;
  size_t number = 0;
  for (const std::string& line : lines_of(path)) {
    ++number;
    const size_t begin = line.find_first_not_of(' ');
    const bool is_comment =
        begin != std::string::npos && line.compare(begin, mark.size(), mark) == 0;
    if (is_comment) {
      const std::string words = line.substr(begin + mark.size());
      if (!continues) found.push_back({path, number, ""});
      // an indented line is a row of a table or a formula
      found.back().words += (words.starts_with("   ") ? ". " : "") + words + " ";
    }
    continues = is_comment;
  }
  return found;
}

// Indices of lines that are no code, table, heading or picture.
std::vector<size_t> prose_lines(const std::vector<std::string>& lines) {
  std::vector<size_t> found;
  bool in_code = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.starts_with("```")) in_code = !in_code;
    const bool continues = !found.empty() && found.back() + 1 == i;
    if (!in_code && !line.empty() && !line.starts_with("```") &&
        (!line.starts_with("    ") || continues) &&
        std::string_view("#|<!").find(line[0]) == std::string_view::npos)
      found.push_back(i);
  }
  return found;
}

// Paragraphs and items of lists.
std::vector<Text> paragraphs_of(const std::filesystem::path& path) {
  std::vector<Text> found;
  const std::vector<std::string> lines = lines_of(path);
  const std::regex item("\\s*([-*]|[0-9]+[.]) .*", std::regex::optimize);
  size_t before = SIZE_MAX - 1;
  for (const size_t i : prose_lines(lines)) {
    if (i != before + 1 || std::regex_match(lines[i], item)) found.push_back({path, i + 1, ""});
    found.back().words += lines[i] + " ";
    before = i;
  }
  return found;
}

// Without code in backquotes and the targets of links.
std::string plain(const std::string& text) {
  static const std::regex code("`[^`]*`", std::regex::optimize),
      target("\\]\\([^)]*\\)", std::regex::optimize);
  return std::regex_replace(std::regex_replace(text, code, "X"), target, "]");
}

std::vector<std::filesystem::path> sources(std::initializer_list<const char*> folders,
                                           const std::string& extensions) {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : folders)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() / folder))
      if (entry.is_regular_file() && !entry.path().extension().empty() &&
          extensions.find(entry.path().extension().string() + " ") != std::string::npos)
        paths.push_back(entry.path());
  return paths;
}

std::vector<Text> comments() {
  std::vector<Text> all;
  const auto add = [&](const std::filesystem::path& path, const std::string& mark) {
    for (Text& text : comments_of(path, mark)) all.push_back(std::move(text));
  };
  for (const auto& path : sources({"src", "include", "tests", "bench", "examples", "python"},
                                  ".cc .cpp .h .hpp .def .inc .proto "))
    add(path, "//");
  for (const auto& path : sources({"bench", "examples", "python", "tests"}, ".py ")) add(path, "#");
  return all;
}

// Pages that people write: the others are made from tables in the code.
std::vector<std::filesystem::path> pages() {
  std::vector<std::filesystem::path> paths{
      source_dir() / "README.md", source_dir() / "CONTRIBUTING.md", source_dir() / "CHANGELOG.md"};
  const std::vector<std::string> generated = {"errors.md", "support.md", "commands.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() / "docs"))
    if (entry.path().extension() == ".md" &&
        std::ranges::find(generated, entry.path().filename().string()) == generated.end())
      paths.push_back(entry.path());
  return paths;
}

// ---- The rules ----

// The left column of the table of docs/style.md, as one pattern.
std::regex forbidden_words() {
  std::string words;
  const std::regex row("\\| ([a-z, ]+) \\| [^|]+\\|", std::regex::optimize);
  for (const std::string& line : lines_of(source_dir() / "docs/style.md")) {
    std::smatch match;
    if (!std::regex_match(line, match, row) || match[1] == "word") continue;
    std::istringstream list(match[1]);
    for (std::string word; list >> word;) {
      if (word.back() == ',') word.pop_back();
      words += (words.empty() ? "" : "|") + word;
    }
  }
  return std::regex("\\b(" + words + ")\\b", std::regex::optimize | std::regex::icase);
}

size_t count_words(const std::string& sentence) {
  std::istringstream words(sentence);
  size_t count = 0;
  for (std::string word; words >> word;)
    count += std::ranges::any_of(word, [](unsigned char c) { return std::isalnum(c) != 0; });
  return count;
}

std::vector<std::string> sentences(const std::string& text) {
  static const std::regex end("[.!?:;]\\)?\\s+", std::regex::optimize);
  return {std::sregex_token_iterator(text.begin(), text.end(), end, -1), {}};
}

void expect_words(const std::vector<Text>& texts) {
  const std::regex forbidden = forbidden_words();
  for (const Text& text : texts) {
    const std::string words = plain(text.words);
    std::smatch match;
    if (std::regex_search(words, match, forbidden))
      ADD_FAILURE() << text << ": docs/style.md has another word for \"" << match[1] << "\"";
  }
}

void expect_sentences(const std::vector<Text>& texts) {
  for (const Text& text : texts)
    for (const std::string& sentence : sentences(plain(text.words)))
      if (count_words(sentence) > kMostWords)
        ADD_FAILURE() << Text{text.path, text.line, sentence} << ": more than 30 words";
}

TEST(Prose, WordsAndSentencesOfComments) {
  const std::vector<Text> texts = comments();
  expect_words(texts);
  expect_sentences(texts);
}

TEST(Prose, OpeningsOfComments) {
  const std::regex opening(" ?(Of|Whether|The same|What|Who|Whose)\\b.*", std::regex::optimize);
  for (const Text& text : comments())
    if (std::regex_match(text.words, opening))
      ADD_FAILURE() << text << ": a comment begins with its subject and verb";
}

TEST(Prose, WordsAndSentencesOfPages) {
  for (const auto& path : pages()) {
    if (path.filename() == "style.md") continue;
    const std::vector<Text> texts = paragraphs_of(path);
    expect_words(texts);
    expect_sentences(texts);
  }
}

TEST(Prose, PagesEndAtColumn100) {
  for (const auto& path : pages()) {
    const std::vector<std::string> lines = lines_of(path);
    for (size_t i : prose_lines(lines))
      if (lines[i].size() > kColumns)
        ADD_FAILURE() << Text{path, i + 1, lines[i]} << ": " << lines[i].size() << " columns";
  }
}

TEST(Prose, TheTableIsRead) {
  const std::regex words = forbidden_words();
  for (const char* bad : {"a twin of it", "Nobody reads it", "lanes are owed"})
    EXPECT_TRUE(std::regex_search(bad, words)) << bad;
  for (const char* good : {"tputwin runs it", "the reliefs", "a tensor"})
    EXPECT_FALSE(std::regex_search(good, words)) << good;
}

}  // namespace
}  // namespace tputwin::docs::prose
