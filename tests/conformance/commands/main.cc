// conformance-commands [--targets A,B,C] [--refused NAME] [--named] FILE.jsonl...: runs recorded
// commands on each of these instruction sets that the host supports, and compares memory with the
// reference model's. With --named it compares only those bytes of lanes that a case names. The
// simulator does not execute the case NAME: it must refuse it with the name of its field. Prints
// every case that differs; the last line is "N passed, N failed".
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "case.h"
#include "targets.h"

namespace {

using namespace tputwin::conformance;

struct Options {
  std::vector<std::string> targets{""}, files;
  std::string refused;
  bool named_only = false;
};

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--targets" && i + 1 < argc)
      options.targets = conf::parse_targets(argv[++i]);
    else if (word == "--refused" && i + 1 < argc)
      options.refused = argv[++i];
    else if (word == "--named")
      options.named_only = true;
    else
      options.files.push_back(word);
  }
  return options;
}

// Returns a description of the case's failure; empty: none.
std::string judge(const std::string& line, const Options& options, std::string& name) {
  ParsedCase parsed = parse_case(line);
  parsed.recorded.named_only = options.named_only;
  name = parsed.recorded.name;
  if (!parsed.why_not.empty()) return parsed.why_not;
  const std::string why = run_case(parsed.recorded, options.targets);
  if (name != options.refused) return why;
  constexpr std::string_view kUnsupported = "TW-ISA-0031";
  if (why.find(kUnsupported) != std::string::npos) return "";
  return why.empty() ? "it is not refused any more" : why;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  if (options.files.empty()) {
    fmt::print(
        stderr,
        "usage: conformance-commands [--targets A,B,C] [--refused NAME] [--named] FILE.jsonl...\n");
    return EXIT_FAILURE;
  }
  int passed = 0, failed = 0;
  for (const std::string& path : options.files) {
    std::ifstream file(path);
    if (!file) {
      fmt::print(stderr, "{}: cannot be read\n", path);
      return EXIT_FAILURE;
    }
    std::string line, name;
    for (int number = 1; std::getline(file, line); ++number) {
      const std::string why = judge(line, options, name);
      ++(why.empty() ? passed : failed);
      if (!why.empty()) fmt::print("{}:{}: {}: {}\n", path, number, name, why);
    }
  }
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
