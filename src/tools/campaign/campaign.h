// Work in units that any process may do, in any order. The results are equal to the last bit for
// every assignment (docs/machines.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

struct Campaign {
  // Input of the units: files, options, data. A checkpoint of another campaign is refused.
  std::string identity;
  uint64_t units = 0;
  // Returns one line of text, which depends only on the unit, and in a second part on the summary.
  // Never runs twice at the same time in a process.
  std::function<Result<std::string>(uint64_t unit)> work;
  // For a campaign in two parts: the first unit of the second part. It begins when all units before
  // it are done. Before its units, each process gets a summary of their lines, which is also one
  // line.
  uint64_t second_part = 0;
  std::function<Result<std::string>(const std::vector<std::string>& lines)> summary = nullptr;
  std::function<Status(const std::string& summary)> go_on = nullptr;
  // For the leader: processes the lines of all units before the checkpoint is removed.
  std::function<Status(const std::vector<std::string>& lines)> conclude = nullptr;
};

struct CampaignOptions {
  // The results so far. The file is at most a second old, or so old that writing it takes at most a
  // tenth of the time. It is read if it exists, and removed at the end.
  std::string checkpoint;
  std::function<void(uint64_t done, uint64_t total)> progress;  // only in the leader
};

// Returns the results of all units in their order. Returns nothing in a process that only worked
// for the leader of several that mpirun started. A unit that fails ends the campaign with that
// error, and the checkpoint stays. Errors: cli_campaign (mpirun without its library),
// cli_checkpoint, those of units.
Result<std::optional<std::vector<std::string>>> run_campaign(const Campaign& campaign,
                                                             const CampaignOptions& options);

}  // namespace tputwin::tools
