// Work in units that any process may do, in any order: the same figures to the last bit whoever did
// which (docs/machines.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

struct Campaign {
  // What its units are of: files, options, data. A checkpoint of another campaign is refused.
  std::string identity;
  uint64_t units = 0;
  // One line of text, which depends on the unit alone, and in a second part on the summary. Never
  // two at the same time in a process.
  std::function<Result<std::string>(uint64_t unit)> work;
  // Of a campaign in two parts: the second begins with this unit, when all before it are done and
  // who does one of its units has been told a summary of their lines, which is one line, too.
  uint64_t second_part = 0;
  std::function<Result<std::string>(const std::vector<std::string>& lines)> summary = nullptr;
  std::function<Status(const std::string& summary)> go_on = nullptr;
  // Of the leader: what it makes of the lines of all units while there still is a checkpoint.
  std::function<Status(const std::vector<std::string>& lines)> conclude = nullptr;
};

struct CampaignOptions {
  // Holds what is done, at most a second old, or so old that writing it takes no more than a tenth
  // of the time; it is read if it is there, and removed at the end.
  std::string checkpoint;
  std::function<void(uint64_t done, uint64_t total)> progress;  // in the leader only
};

// The results of all units in their order; nothing in a process that only worked for another, where
// mpirun started several. A unit that fails ends it with that error, and the checkpoint stays.
// Errors: cli_campaign (mpirun without its library), cli_checkpoint, those of units.
Result<std::optional<std::vector<std::string>>> run_campaign(const Campaign& campaign,
                                                             const CampaignOptions& options);

}  // namespace tputwin::tools
