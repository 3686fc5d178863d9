// The results of a campaign so far, in a file.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "tools/campaign/campaign.h"

namespace tputwin::tools {

// The file has a line that names the campaign, then a line "UNIT RESULT" for each.
class Checkpoint {
 public:
  using Results = std::map<uint64_t, std::string>;
  // Reads the file if it exists. Returns cli_checkpoint for a file of another campaign, or one that
  // is no checkpoint.
  static Result<Checkpoint> open(const std::string& path, const Campaign& campaign);

  const Results& results() const { return results_; }
  // The file is complete at any moment. It is at most a second old, or ten times as long as writing
  // it takes.
  Status add(uint64_t unit, std::string result);
  Status write();
  void remove() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::string path_, head_;
  Results results_;
  Clock::time_point next_ = Clock::now();
};

}  // namespace tputwin::tools
