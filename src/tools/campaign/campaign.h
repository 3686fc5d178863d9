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
  // One line of text, which depends on the unit alone. Never two at the same time in a process.
  std::function<Result<std::string>(uint64_t unit)> work;
};

struct CampaignOptions {
  // Holds what is done, at most a second old; it is read if it is there, and removed at the end.
  std::string checkpoint;
  std::function<void(uint64_t done, uint64_t total)> progress;  // in the leader only
};

// The results of all units in their order; nothing in a process that only worked for another, where
// mpirun started several. A unit that fails ends it with that error, and the checkpoint stays.
// Errors: cli_campaign (mpirun without its library), cli_checkpoint, those of units.
Result<std::optional<std::vector<std::string>>> run_campaign(const Campaign& campaign,
                                                             const CampaignOptions& options);

}  // namespace tputwin::tools
