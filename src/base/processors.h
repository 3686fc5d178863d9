// The number of processors that this process may use at the same time.
#pragma once

#include <string>

namespace tputwin {

// Returns the number of processors that the process's affinity and the CPU quotas of its control
// groups allow, at least 1. A quota of 1.5 processors counts as 2. The number is found once in a
// process.
int usable_processors();

// Returns the number of processors that quotas alone allow, or INT_MAX if there are none. Reads
// `root`/proc/self/cgroup and the control groups in `root`/sys/fs/cgroup (versions 1 and 2).
int processors_of_quotas(const std::string& root);

}  // namespace tputwin
