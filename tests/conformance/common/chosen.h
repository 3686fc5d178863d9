// The cases of recorded networks that a command line selects: FOLDER [--shard I/N] [--each K]
// [--refused TEXT] [WORD...].
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace tputwin::recorded {

struct Chosen {
  std::string folder;
  std::vector<std::string> words;
  unsigned shard = 0, shards = 1, each = UINT32_MAX;
  std::string refused;  // cases with this text in their label have a command that is not supported

  // Returns false if there is no folder, or no shards.
  bool read(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "--shard" && i + 1 < argc)
        std::sscanf(argv[++i], "%u/%u", &shard, &shards);
      else if (word == "--each" && i + 1 < argc)
        std::sscanf(argv[++i], "%u", &each);
      else if (word == "--refused" && i + 1 < argc)
        refused = argv[++i];
      else if (folder.empty())
        folder = word;
      else
        words.push_back(word);
    }
    return !folder.empty() && shards != 0;
  }
  // Returns the failure of a case that ended with `why`: cases that must be refused have to name
  // the field.
  std::string judge(const std::string& label, std::string why) const {
    constexpr std::string_view kUnsupported = "TW-ISA-0031";
    if (refused.empty() || label.find(refused) == std::string::npos) return why;
    if (why.empty()) return "it is not refused";
    return why.find(kUnsupported) != std::string::npos ? "" : why;
  }
  // All cases of a file are in one shard. Without words every label is selected.
  bool operator()(const std::string& label, unsigned file) const {
    return file % shards == shard &&
           (words.empty() || std::ranges::any_of(words, [&](const std::string& word) {
              return label.find(word) != std::string::npos;
            }));
  }
};

}  // namespace tputwin::recorded
