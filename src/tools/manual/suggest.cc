// Distances between words, and corrections for a command line.
#include "tools/manual/suggest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tputwin::tools {
namespace {

std::vector<std::string> names_of(const CLI::App& app, bool options) {
  std::vector<std::string> names;
  if (options) {
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames())
        if (!option->get_group().empty()) names.push_back("--" + name);  // the others are hidden
  }
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (sub->get_name().empty()) {  // an option group
      const auto more = names_of(*sub, options);
      names.insert(names.end(), more.begin(), more.end());
    } else if (!options) {
      names.push_back(sub->get_name());
    }
  }
  return names;
}

}  // namespace

size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& words) {
  std::string best;
  size_t fewest = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : words) {
    // A prefix counts as one edit.
    const bool begins = word.size() > 3 && candidate.starts_with(word);
    const size_t distance = begins ? 1 : edits(word, candidate);
    if (distance == 0) return "";
    if (distance < fewest) fewest = distance, best = candidate;
  }
  return best;
}

namespace {

bool is_number(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789.-+eE") == word.npos;
}

// Returns the option of a command by its long name; nullptr if it has none.
const CLI::Option* option_of(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* option : app.get_options())
    if (option->check_name(name)) return option;
  for (const CLI::App* sub : app.get_subcommands({}))
    if (sub->get_name().empty())
      if (const CLI::Option* option = option_of(*sub, name)) return option;
  return nullptr;
}

// Returns a correction for several numbers after an option whose values are joined by commas.
std::string joined_by_commas(const CLI::App& app, int argc, const char* const* argv, int at) {
  const std::string name = argv[at];
  const CLI::Option* option = option_of(app, name);
  if (option == nullptr || option->get_delimiter() != ',') return "";
  std::string values;
  int count = 0;
  for (int i = at + 1; i < argc && is_number(argv[i]); ++i, ++count)
    values += (count == 0 ? "" : ",") + std::string(argv[i]);
  if (count < 2) return "";
  return "; the values of " + name + " are joined by commas: " + name + " " + values;
}

}  // namespace

std::string suggestion(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* at = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") return "";
    const bool is_option = word.starts_with("--");
    if (!is_option && word.starts_with('-')) continue;
    const auto subs = at->get_subcommands(
        [&](const CLI::App* sub) { return !sub->get_name().empty() && sub->check_name(word); });
    if (!is_option && !subs.empty()) {
      at = subs.front();
      continue;
    }
    const auto names = names_of(*at, is_option);
    if (names.empty()) continue;
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::find(names, name) != names.end()) {
      const std::string commas = joined_by_commas(*at, argc, argv, i);
      if (!commas.empty()) return commas;
      continue;
    }
    const std::string meant = nearest(name, names);
    if (!meant.empty()) return "; did you mean " + meant + "?";
  }
  return "";
}

}  // namespace tputwin::tools
