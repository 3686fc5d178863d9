// Fast kernels against reference kernels: an operation on equal memories must leave equal memories.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "selftest/random_operation.h"

namespace tputwin::testing {

// Returns an operation large enough to fill registers and to be split for threads. Returns nullopt
// for kinds whose random_operation() is large enough.
std::optional<Operation> large_operation(Rng& rng, OperationKind kind, const Chip& chip);

struct DifferentialOptions {
  uint64_t seed = 1, cases = 1;
  std::string isa;  // if empty, every available one
  // Runs every case with each number. If empty, cases alternate between 1 and 2 threads.
  std::vector<int> threads;
  size_t most_failures = 5;  // stops after so many
  // If true, every third case runs with the smallest budgets, so that loops have several
  // iterations. No other device may run then.
  bool varies_budgets = true;
};

// A fast kernel whose result differs from the reference.
struct Difference {
  std::string isa;
  std::string difference;  // operation, and first different byte
  std::string rerun;       // command that runs the case again
  std::string text() const { return difference + "\n  rerun: " + rerun; }
};

struct DifferentialReport {
  // `fast_runs` counts runs of fast kernels: cases times instruction sets.
  uint64_t cases = 0, fast_runs = 0;
  uint64_t covered = 0;  // cases that have a fast kernel
  std::vector<Difference> failures;
};

// Returns true if the reference kernel is so slow that one case takes as long as many others.
constexpr bool is_costly(OperationKind kind) { return kind == OperationKind::matrix_mac2; }

// Runs `cases` random operations of a kind, with the seeds options.seed and following.
class Differential {
 public:
  DifferentialReport run(OperationKind kind, const DifferentialOptions& options);

 private:
  void run_case(OperationKind kind, uint64_t seed, const DifferentialOptions& options,
                DifferentialReport& report);

  // Equal between cases. One pair per chip, because a run may alternate between kinds of several
  // chips.
  struct Memories {
    explicit Memories(const Chip& chip) : expected(chip), actual(chip) {}
    TestMemory expected, actual;
  };
  std::map<const Chip*, Memories> memories_;
};

}  // namespace tputwin::testing
