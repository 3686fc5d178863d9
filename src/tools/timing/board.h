// tputwin timing --board: comparison of predicted times with timings of a board.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace tputwin::tools {

// One case with a timing of a board, and the predictions for the programs that may have run.
struct BoardCase {
  std::string name;                         // "conv2d-04"
  double board = 0;                         // microseconds
  std::map<std::string, double> predicted;  // by program, microseconds
  // By program: the most products of one result that are added in the engine's order, by commands
  // of several products. Commands of one or two products add in sequence.
  std::map<std::string, uint64_t> in_blocks;

  // Returns the program with the smallest prediction, of those with at most so many, if there are
  // any.
  std::string best(uint64_t most_in_blocks = UINT64_MAX) const;
  double ratio(const std::string& program) const { return predicted.at(program) / board; }
};

// Reads a folder with board.json and recordings WORKLOAD-CASE-PROGRAM.jsonl or .jsonl.gz of that
// chip.
Result<std::vector<BoardCase>> read_board(const std::string& folder, const std::string& chip);

// The most such products of a program that was timed: docs/timing.md.
constexpr uint64_t kMostInBlocks = 2048;

// Errors of predictions: of the best program of each case, or of one program.
struct BoardErrors {
  size_t cases = 0, within = 0;  // within 15 %
  // Median of |ratio - 1|. `worst` is the largest ratio or inverse of one, and `worst_ratio` the
  // ratio of that case.
  double median = 0, worst = 1, worst_ratio = 1;
  std::string worst_case;
};
BoardErrors errors_of(const std::vector<BoardCase>& cases, const std::string& program = {},
                      uint64_t most_in_blocks = UINT64_MAX);

std::string board_text(const std::vector<BoardCase>& cases);
std::string board_json(const std::vector<BoardCase>& cases);

}  // namespace tputwin::tools
