// on_target NAME COMMAND...: runs a command on an instruction set, or exits with 77 if this host
// does not support it. on_target --list: prints supported sets, and compiled sets that are not
// supported.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "ops/fast/dispatch/isa.h"
#include "ops/fast/fast.h"

int main(int argc, char** argv) {
  constexpr int kSkipped = 77, kUsage = 2;
  using namespace tputwin;
  const auto names = fast::available_isas();
  if (argc == 2 && std::string_view(argv[1]) == "--list") {
    fmt::print("targets run: {}; compiled, but not on this host: {}\n", fmt::join(names, ", "),
               fmt::join(fast::missing_isas(), ", "));
    return EXIT_SUCCESS;
  }
  if (argc < 3) {
    fmt::print(stderr, "usage: on_target NAME COMMAND... | on_target --list\n");
    return kUsage;
  }
  if (std::find(names.begin(), names.end(), argv[1]) == names.end()) {
    fmt::print("skipped: this host has {}, not {}\n", fmt::join(names, ", "), argv[1]);
    return kSkipped;
  }
  setenv("TPUTWIN_ISA", argv[1], 1);
  execvp(argv[2], argv + 2);
  std::perror(argv[2]);
  return kUsage;
}
