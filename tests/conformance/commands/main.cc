// conformance-commands FILE.jsonl...: runs recorded commands and compares memory with what the
// reference model left. Prints every case that differs; the last line is "N passed, N failed".
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "case.h"

int main(int argc, char** argv) {
  using namespace tputwin::conformance;
  if (argc < 2) {
    fmt::print(stderr, "usage: conformance-commands FILE.jsonl...\n");
    return EXIT_FAILURE;
  }
  int passed = 0, failed = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i]);
    if (!file) {
      fmt::print(stderr, "{}: cannot be read\n", argv[i]);
      return EXIT_FAILURE;
    }
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
      const ParsedCase parsed = parse_case(line);
      const std::string why = parsed.why_not.empty() ? run_case(parsed.recorded) : parsed.why_not;
      if (why.empty()) {
        ++passed;
        continue;
      }
      ++failed;
      fmt::print("{}:{}: {}: {}\n", argv[i], number, parsed.recorded.name, why);
    }
  }
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
