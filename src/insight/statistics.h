// Statistics of values: the number of zero and saturated elements of each result of each command.
// TPUTWIN_CHECK_NUMBERS=FILE writes them at the end of the process.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "insight/origins.h"
#include "machine/device.h"

namespace tputwin::insight {

// Statistics of one result of a command, over all runs of its launch.
struct ResultStatistics {
  std::string launch;
  // Number in the launch, from 1.
  uint32_t command = 0;
  std::string call, operation, line, tensor, type;
  // Set for networks whose files name their layers.
  std::string layer;
  // `saturated` counts integers at a limit of their type (unsigned: only at the upper one) and
  // infinities.
  uint64_t elements = 0, saturated = 0, zero = 0, nan = 0;
};

// The identity of a command.
struct CountedCommand {
  std::string launch;
  uint32_t number = 0;  // number in the launch, from 1
  StackId stack = 0;
  std::string_view call, layer;
};

class Statistics {
 public:
  // Counts one more run of the command with this number in launches of this name.
  void add(const CountedCommand& command, const Operation& op, const Memory& memory);
  std::vector<ResultStatistics> rows() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, uint32_t, size_t>, ResultStatistics> rows_;  // last: the operand
};

// Sums all results of each layer, in the order of their commands, under one name for all types.
std::vector<ResultStatistics> by_layer(const std::vector<ResultStatistics>& rows);

// Returns a line of titles and a line for each result. If layers are known, a line for each layer
// follows.
std::string to_table(const std::vector<ResultStatistics>& rows);
nlohmann::json to_json(const std::vector<ResultStatistics>& rows);

bool is_counting();
// Returns an observer that counts a device's results for the process.
std::unique_ptr<Observer> count_device(Device& device);

}  // namespace tputwin::insight
