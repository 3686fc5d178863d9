// Differential test: runs a random operation on equal memories with every kernel, and compares the
// results.
#include "selftest/differential.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "ops/fast/dispatch/budgets.h"
#include "ops/fast/fast.h"
#include "selftest/fill_operands.h"
#include "selftest/overlapping.h"

namespace tputwin::testing {
namespace {

// A copy of the bytes that an operation may write, so that it can run again.
class Saved {
 public:
  Saved(const std::vector<ByteRange>& ranges, TestMemory& memory) : ranges_(ranges) {
    for (const ByteRange& range : ranges_) {
      const uint8_t* from = memory.start_of(range) + range.begin;
      bytes_.insert(bytes_.end(), from, from + (range.end - range.begin));
    }
  }
  void write_to(TestMemory& memory) const {
    const uint8_t* from = bytes_.data();
    for (const ByteRange& range : ranges_) {
      std::copy_n(from, range.end - range.begin, memory.start_of(range) + range.begin);
      from += range.end - range.begin;
    }
  }

 private:
  const std::vector<ByteRange>& ranges_;
  std::vector<uint8_t> bytes_;
};

bool equal(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  return std::memcmp(a.data(), b.data(), a.size()) == 0;
}

// Returns the number of different bytes and the first one, "lane 3 + 0x40: 12, reference 13". Empty
// if the memories are equal.
std::string difference(TestMemory& actual, TestMemory& expected) {
  constexpr std::string_view kNames[] = {"local", "global", "l2", "dtcm"};
  const auto all = actual.all_bytes(), wanted = expected.all_bytes();
  for (size_t i = 0; i < all.size(); ++i) {
    const auto a = all[i], e = wanted[i];
    if (equal(a, e)) continue;
    const uint64_t first = std::mismatch(a.begin(), a.end(), e.begin()).first - a.begin();
    uint64_t count = 0, lane = actual.local().lane_stride();
    for (uint64_t k = first; k < a.size(); ++k) count += a[k] != e[k];
    const std::string place = i == 0 ? fmt::format("lane {} + {:#x}", first / lane, first % lane)
                                     : fmt::format("{} {:#x}", kNames[i], first);
    return fmt::format("{} bytes differ, first {}: {}, reference {}", count, place, a[first],
                       e[first]);
  }
  return {};
}

// Compares system memory only if the operation may access it: most operations do not.
bool memories_equal(TestMemory& actual, TestMemory& expected, bool compare_system) {
  return equal(actual.local_bytes(), expected.local_bytes()) &&
         (!compare_system || difference(actual, expected).empty());
}

bool touches_system(const Operation& operation) {
  for (const Operand& operand : operands(operation))
    if (is_system(operand.view->space)) return true;
  return false;
}

// Declares a wrong type for the result of a matrix product. It must have no effect: the sign
// follows the ReLU.
void misdeclare(Operation& operation) {
  if (auto* op = std::get_if<MatrixMac>(&operation)) {
    DType& type = op->res.tensor.dtype;
    type = make_dtype(!is_signed(type), !is_16bit(type));
  }
}

// Lets operands begin at any byte, as in recordings and foreign command streams: rules that demand
// more can be switched off.
void displace(Operation& operation, uint32_t bytes) {
  for (const Operand& operand : operands(operation))
    // `operation` is a copy, so its views may be modified.
    const_cast<TensorView*>(operand.view)->address += bytes;
}

// Draws an operation. Some cases have large operands, a type that the operation must ignore,
// operands that share bytes, or operands that begin at any byte.
Operation draw(Rng& rng, OperationKind kind, uint64_t seed, const Chip& chip) {
  std::optional<Operation> large;
  if (rng.chance(1, 4)) large = large_operation(rng, kind, chip);
  Operation operation = large ? *large : random_operation(rng, kind, chip);
  if (seed % 2 == 0) misdeclare(operation);
  if (seed % 4 == 3) overlap_operands(rng, operation, chip, kTestGlobalBytes);
  if (seed % 8 != 5) return operation;
  Operation displaced = operation;
  displace(displaced, 1 + seed / 8 % 3);
  return check_bounds(displaced, chip, kTestGlobalBytes).ok() ? displaced : operation;
}

std::string rerun(OperationKind kind, uint64_t seed, std::string_view isa, int threads) {
  return fmt::format("tputwin selftest --cases 1 --seed {} --only {} --isa {} --threads {}", seed,
                     to_string(kind), isa, threads);
}

}  // namespace

void Differential::run_case(OperationKind kind, uint64_t seed, const DifferentialOptions& options,
                            DifferentialReport& report) {
  const Chip& chip = chip_of(kind);
  Memories& memories = memories_.try_emplace(&chip, chip).first->second;
  TestMemory &expected = memories.expected, &actual = memories.actual;
  Rng rng(seed, static_cast<uint64_t>(kind));
  const Operation operation = draw(rng, kind, seed, chip);
  Rng again = rng;
  fill_operands(rng, operation, chip, expected.memory());
  fill_operands(again, operation, chip, actual.memory());

  const Footprint touched = footprint(operation, chip);
  const Saved before(touched.writes, actual);
  execute(operation, expected.memory(), KernelChoice::reference);
  const bool compare_system = touches_system(operation);
  // Returns true if a fast kernel ran. A difference is reported.
  auto run_fast_kernel = [&](const std::string& isa, int threads) {
    fast::select_isa(isa);
    set_thread_count(threads);
    before.write_to(actual);
    if (options.varies_budgets && seed % 3 == 0) fast::set_budgets(fast::Budgets::smallest());
    const bool ran = execute_fast(operation, actual.memory());
    if (options.varies_budgets) fast::set_budgets({});
    if (!ran || memories_equal(actual, expected, compare_system)) return ran;
    report.failures.push_back(
        {isa,
         fmt::format("{} of {}\n  on {} with {} threads: {}", to_string(kind), describe(operation),
                     isa, threads, difference(actual, expected)),
         rerun(kind, seed, isa, threads)});
    actual.copy_from(expected);
    return true;
  };

  uint64_t fast_runs = 0;
  int next_count = static_cast<int>(seed);
  for (const std::string& isa : fast::available_isas()) {
    if (!options.isa.empty() && isa != options.isa) continue;
    const std::vector<int> exclusively = {1 + next_count++ % 2};
    for (int threads : options.threads.empty() ? exclusively : options.threads)
      fast_runs += run_fast_kernel(isa, threads);
  }
  ++report.cases;
  report.fast_runs += fast_runs;
  report.covered += fast_runs != 0;
  // Makes both memories equal for the next case, whichever kernel ran last.
  Saved(touched.writes, expected).write_to(actual);
}

DifferentialReport Differential::run(OperationKind kind, const DifferentialOptions& options) {
  DifferentialReport report;
  const std::string before(fast::selected_isa());
  for (uint64_t i = 0; i < options.cases && report.failures.size() < options.most_failures; ++i)
    run_case(kind, options.seed + i, options, report);
  set_thread_count(0);
  fast::select_isa(before);
  return report;
}

}  // namespace tputwin::testing
