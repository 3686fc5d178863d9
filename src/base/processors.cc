// Reads the CPU quotas of control groups: cpu.max of version 2, cpu.cfs_quota_us of version 1.
#include "base/processors.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <climits>
#include <fstream>
#include <sstream>

namespace tputwin {
namespace {

int processors_of(double quota, double period) {
  if (quota <= 0 || period <= 0) return INT_MAX;
  const double processors = (quota + period - 1) / period;
  return processors >= INT_MAX ? INT_MAX : std::max(1, static_cast<int>(processors));
}

// Returns the number of processors that the quota of one control group allows. Its files are in
// `folder`.
int processors_of_group(const std::string& folder) {
  double quota = 0, period = 0;
  // The file contains for example "150000 100000", or "max 100000" if there is no quota.
  if (std::ifstream file(folder + "/cpu.max"); file >> quota >> period)
    return processors_of(quota, period);
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us"),
      period_file(folder + "/cpu.cfs_period_us");
  if (quota_file >> quota && period_file >> period) return processors_of(quota, period);
  return INT_MAX;
}

// Returns the smallest number of processors that a group or one of the groups that contain it
// allows. A container may see only the folder of its root group.
int processors_of_groups(const std::string& controller, std::string group) {
  int least = processors_of_group(controller);
  while (!group.empty() && group != "/") {
    least = std::min(least, processors_of_group(controller + group));
    const size_t last = group.rfind('/');
    group.resize(last == std::string::npos ? 0 : last);
  }
  return least;
}

}  // namespace

int processors_of_quotas(const std::string& root) {
  const std::string groups = root + "/sys/fs/cgroup";
  int least = INT_MAX;
  std::ifstream file(root + "/proc/self/cgroup");
  // A line has the form "number:controllers:group". Version 2 has number 0 and no controllers.
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      least = std::min({least, processors_of_groups(groups, group),
                        processors_of_groups(groups + "/unified", group)});
      continue;
    }
    std::istringstream names(controllers);
    for (std::string name; std::getline(names, name, ',');)
      if (name == "cpu")
        least = std::min({least, processors_of_groups(groups + "/cpu", group),
                          processors_of_groups(groups + "/" + controllers, group)});
  }
  return least;
}

int usable_processors() {
  static const int processors =
      std::min(tbb::this_task_arena::max_concurrency(), processors_of_quotas(""));
  return processors;
}

}  // namespace tputwin
