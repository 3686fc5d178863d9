// Fast bodies against reference bodies: the same operation on equal memories must leave equal
// memories.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "selftest/random_operation.h"

namespace tputwin::testing {

// An operation of sizes that fill registers and cut pieces for threads; nothing for kinds whose
// random_operation() does that.
std::optional<Operation> large_operation(Rng& rng, OperationKind kind, const Chip& chip);

struct DifferentialOptions {
  uint64_t seed = 1, cases = 1;
  std::string isa;           // "": every available one
  std::vector<int> threads;  // every case with each of them; none: 1 and 2 in turn
  size_t most_failures = 5;  // stops there
  // Every third case runs with the smallest budgets, so that loops take more than one turn. Not
  // beside other devices.
  bool varies_budgets = true;
};

// A fast body that left other bytes than the reference.
struct Difference {
  std::string isa;
  std::string difference;  // the operation, and where it differs
  std::string rerun;       // the command that runs the case again
  std::string text() const { return difference + "\n  rerun: " + rerun; }
};

struct DifferentialReport {
  uint64_t cases = 0, bodies = 0;  // bodies: fast bodies run, cases times instruction sets
  uint64_t covered = 0;            // cases that had a fast body
  std::vector<Difference> failures;
};

// Its reference body is slow: a case of it is worth many.
constexpr bool is_costly(OperationKind kind) { return kind == OperationKind::matrix_mac2; }

// Runs `cases` random operations of a kind, with the seeds options.seed and following.
class Differential {
 public:
  DifferentialReport run(OperationKind kind, const DifferentialOptions& options);

 private:
  void run_case(OperationKind kind, uint64_t seed, const DifferentialOptions& options,
                DifferentialReport& report);

  // Equal between cases. A pair for each chip, because kinds of several take turns.
  struct Memories {
    explicit Memories(const Chip& chip) : expected(chip), actual(chip) {}
    TestMemory expected, actual;
  };
  std::map<const Chip*, Memories> memories_;
};

}  // namespace tputwin::testing
