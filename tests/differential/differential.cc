#include "differential/differential.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "ops/fast/fast.h"

namespace tputwin::testing {
namespace {

bool execute_fast(const Operation& operation, const Memory& memory) {
  return std::visit(
      [&](const auto& op) {
        if constexpr (std::is_same_v<std::decay_t<decltype(op)>, CpuCall>)
          return false;
        else
          return fast::execute(op, memory);
      },
      operation);
}

uint8_t* start_of(const ByteRange& range, TestMemory& memory) {
  return range.space == Space::global ? memory.global().data() + range.begin
                                      : memory.local().lane(range.lane) + range.begin;
}

// The bytes an operation may write, kept so that it can be run again.
class Saved {
 public:
  Saved(const std::vector<ByteRange>& ranges, TestMemory& memory)
      : ranges_(ranges), memory_(memory) {
    for (const ByteRange& range : ranges_) {
      const uint8_t* from = start_of(range, memory_);
      bytes_.insert(bytes_.end(), from, from + (range.end - range.begin));
    }
  }
  void restore() {
    const uint8_t* from = bytes_.data();
    for (const ByteRange& range : ranges_) {
      std::copy_n(from, range.end - range.begin, start_of(range, memory_));
      from += range.end - range.begin;
    }
  }

 private:
  const std::vector<ByteRange>& ranges_;
  TestMemory& memory_;
  std::vector<uint8_t> bytes_;
};

bool equal(std::span<const uint8_t> a, std::span<const uint8_t> b) {
  return std::memcmp(a.data(), b.data(), a.size()) == 0;
}

// "lane 3 + 0x40: 12, reference 13", the first of how many.
std::string difference(TestMemory& actual, TestMemory& expected) {
  auto describe_in = [](std::span<uint8_t> a, std::span<uint8_t> e, uint64_t lane_bytes) {
    uint64_t first = std::mismatch(a.begin(), a.end(), e.begin()).first - a.begin(), count = 0;
    for (uint64_t i = first; i < a.size(); ++i) count += a[i] != e[i];
    std::string place =
        lane_bytes == 0 ? fmt::format("global {:#x}", first)
                        : fmt::format("lane {} + {:#x}", first / lane_bytes, first % lane_bytes);
    return fmt::format("{} bytes differ, first {}: {}, reference {}", count, place, a[first],
                       e[first]);
  };
  if (!equal(actual.local_bytes(), expected.local_bytes()))
    return describe_in(actual.local_bytes(), expected.local_bytes(), expected.local().lane_bytes());
  return describe_in(actual.global_bytes(), expected.global_bytes(), 0);
}

bool touches_global(const Operation& operation) {
  for (const Operand& operand : operands(operation))
    if (operand.view->space == Space::global) return true;
  return false;
}

// The sign of a matrix product follows its ReLU; what the result declares has no effect.
void misdeclare(Operation& operation) {
  if (auto* op = std::get_if<MatrixMac>(&operation)) {
    DType& type = op->res.tensor.dtype;
    type = make_dtype(!is_signed(type), !is_16bit(type));
  }
}

}  // namespace

void Differential::run_case(OperationKind kind, uint64_t seed, const DifferentialOptions& options,
                            DifferentialReport& report) {
  const Chip& chip = bm1880();
  Rng rng(seed, static_cast<uint64_t>(kind));
  std::optional<Operation> large;
  if (rng.chance(1, 4)) large = large_operation(rng, kind, chip);
  Operation operation = large ? *large : random_operation(rng, kind, chip);
  if (seed % 2 == 0) misdeclare(operation);
  Rng again = rng;
  fill_operands(rng, operation, chip, expected_.memory());
  fill_operands(again, operation, chip, actual_.memory());

  const Footprint touched = footprint(operation, chip);
  Saved saved(touched.writes, actual_);
  execute(operation, expected_.memory(), Body::reference);
  const bool compare_global = touches_global(operation);
  auto memories_equal = [&] {
    return equal(actual_.local_bytes(), expected_.local_bytes()) &&
           (!compare_global || equal(actual_.global_bytes(), expected_.global_bytes()));
  };

  ++report.cases;
  bool covered = false;
  int turn = static_cast<int>(seed);
  for (const std::string& isa : fast::available_isas()) {
    if (!options.isa.empty() && isa != options.isa) continue;
    const int threads = options.threads != 0 ? options.threads : 1 + turn++ % 2;
    fast::select_isa(isa);
    set_thread_count(threads);
    saved.restore();
    if (!execute_fast(operation, actual_.memory())) continue;
    covered = true;
    ++report.bodies;
    if (memories_equal()) continue;
    report.failures.push_back(fmt::format(
        "{} of {}\n  on {} with {} threads: {}\n  rerun: build/bin/test_differential --cases 1 "
        "--seed {} --only {} --isa {} --threads {}",
        to_string(kind), describe(operation), isa, threads, difference(actual_, expected_), seed,
        to_string(kind), isa, threads));
    actual_.copy_from(expected_);
  }
  report.covered += covered;
  // Leave both memories equal, whichever body ran last, if any.
  saved.restore();
  execute(operation, actual_.memory(), Body::reference);
}

DifferentialReport Differential::run(OperationKind kind, const DifferentialOptions& options) {
  DifferentialReport report;
  actual_.copy_from(expected_);
  for (uint64_t i = 0; i < options.cases && report.failures.size() < 5; ++i)
    run_case(kind, options.seed + i, options, report);
  set_thread_count(0);
  fast::select_isa("");
  return report;
}

}  // namespace tputwin::testing
