// tputwin timing --board: predicted times beside those that a board took.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// One case that a board was timed on, and what is predicted for the programs that may have run.
struct BoardCase {
  std::string name;                         // "conv2d-04"
  double board = 0;                         // microseconds
  std::map<std::string, double> predicted;  // by program, microseconds
  // The most products of one result that a program has commands of several products add up, in the
  // engine's order of additions; what commands of one or two products add stays in order.
  std::map<std::string, uint64_t> in_blocks;

  // The program of the smallest prediction, of those with at most so many, if there are any.
  std::string best(uint64_t most_in_blocks = UINT64_MAX) const;
  double ratio(const std::string& program) const { return predicted.at(program) / board; }
};

// A folder with board.json and recordings WORKLOAD-CASE-PROGRAM.jsonl or .jsonl.gz, of that chip.
Result<std::vector<BoardCase>> read_board(const std::string& folder, const std::string& chip);

// The most that a program can add so and have been timed: docs/timing.md.
constexpr uint64_t kMostInBlocks = 2048;

// How far predictions are from the board: of the best program of each case, or of one program.
struct BoardErrors {
  size_t cases = 0, within = 0;  // within 15 %
  double median = 0, worst = 1;  // of |ratio - 1|; of ratio or its inverse
  std::string worst_case;
};
BoardErrors errors_of(const std::vector<BoardCase>& cases, const std::string& program = {},
                      uint64_t most_in_blocks = UINT64_MAX);

std::string board_text(const std::vector<BoardCase>& cases);
std::string board_json(const std::vector<BoardCase>& cases);

}  // namespace tputwin::tools
