// Statistics of values: for every result of every command, how many elements are zero, and how many
// stand at a limit of their type. TPUTWIN_CHECK_NUMBERS=FILE writes them at the end of the process.
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

// Of all runs of one command of a launch.
struct ResultStatistics {
  std::string launch;
  uint32_t command = 0;  // in it, from 1
  std::string call, operation, line, tensor, type;
  std::string layer;  // of networks whose files name them
  // Saturated: integers at a limit of their type (of unsigned ones the upper), infinities.
  uint64_t elements = 0, saturated = 0, zero = 0, nan = 0;
};

// A command, by what it is called.
struct CountedCommand {
  std::string launch;
  uint32_t number = 0;  // in it, from 1
  StackId stack = 0;
  std::string_view call, layer;
};

class Statistics {
 public:
  // Of the commands of that number of launches of that name: one run more.
  void add(const CountedCommand& command, const Operation& op, const Memory& memory);
  std::vector<ResultStatistics> rows() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::tuple<std::string, uint32_t, size_t>, ResultStatistics> rows_;  // last: operand
};

// All results of a layer together, in the order of their commands; one name for all types.
std::vector<ResultStatistics> by_layer(const std::vector<ResultStatistics>& rows);

// A line for each result under a line of titles, and behind them one for each layer, if any is
// known.
std::string to_table(const std::vector<ResultStatistics>& rows);
nlohmann::json to_json(const std::vector<ResultStatistics>& rows);

bool is_counting();
// What counts a device's results for the process.
std::unique_ptr<Observer> count_device(Device& device);

}  // namespace tputwin::insight
