// fuzz_write_seeds TARGET DIRECTORY: writes the seeds of a target to files.
#include <cstdio>

#include "base/file.h"
#include "fuzz/targets.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s TARGET DIRECTORY\n", argv[0]);
    return 2;
  }
  for (const auto& target : tputwin::fuzz::targets()) {
    if (target.name != argv[1]) continue;
    int index = 0;
    for (const auto& seed : target.seeds()) {
      std::string path = std::string(argv[2]) + "/seed-" + std::to_string(index++);
      if (!tputwin::write_bytes(path, seed).ok()) return 3;
    }
    return 0;
  }
  return 2;
}
