// The command line of benchmarks of whole networks: [--rounds N] [--json FILE] [--FOLDER DIRECTORY]
// [NETWORK...].
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace tputwin::bench {

struct Options {
  int rounds;
  std::string json, folder;
  std::vector<std::string> networks;

  bool wants(const std::string& name) const {
    return networks.empty() || std::ranges::find(networks, name) != networks.end();
  }
  // Prints the usage and returns false if an option is unknown, or for --help. `folder_option`: for
  // example "--data".
  bool read(int argc, char** argv, const std::string& folder_option) {
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      const bool last = i + 1 == argc;
      if (argument == "--rounds" && !last)
        rounds = std::max(1, std::atoi(argv[++i]));
      else if (argument == "--json" && !last)
        json = argv[++i];
      else if (argument == folder_option && !last)
        folder = argv[++i];
      else if (!argument.starts_with("-"))
        networks.push_back(argument);
      else
        return show_usage(argv[0], folder_option, argument), false;
    }
    return true;
  }

 private:
  static void show_usage(const char* program, const std::string& folder_option,
                         const std::string& argument) {
    if (argument != "--help") fmt::print("unknown option {}\n", argument);
    fmt::print("Usage: {} [--rounds N] [--json FILE] [{} FOLDER] [NETWORK...]\n", program,
               folder_option);
  }
};

}  // namespace tputwin::bench
