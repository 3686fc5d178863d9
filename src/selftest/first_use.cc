// The self-test at the first use of a fast kernel.
#include "selftest/first_use.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "base/parallel.h"
#include "base/variables.h"
#include "ops/fast/dispatch/kernel_switches.h"
#include "ops/fast/fast.h"
#include "selftest/differential.h"

namespace tputwin::testing {
namespace {

constexpr uint64_t kCases = 40, kCostlyCases = 2;

bool wanted() { return is_on(EnvVariable::selftest); }

std::atomic<bool>& is_enabled() {
  static std::atomic<bool> value{wanted()};
  return value;
}

std::mutex mutex;                 // one test at a time
std::atomic<uint64_t> tested{0};  // one bit per alternative

// Returns the first difference of all kinds with this alternative of Operation.
std::optional<std::string> first_difference(size_t alternative) {
  Differential differential;
  const std::string isa(fast::selected_isa());
  for (OperationKind kind : all_operation_kinds()) {
    if (alternative_of(kind) != alternative) continue;
    const uint64_t cases = is_costly(kind) ? kCostlyCases : kCases;
    const auto report = differential.run(kind, {.seed = 1,
                                                .cases = cases,
                                                .isa = isa,
                                                .threads = {1, std::max(thread_count(), 2)},
                                                .most_failures = 1,
                                                .varies_budgets = false});
    if (!report.failures.empty()) return report.failures.front().text();
  }
  return {};
}

}  // namespace

bool tests_kernels() { return is_enabled().load(std::memory_order_relaxed); }

void set_tests_kernels(bool value) {
  std::lock_guard lock(mutex);
  is_enabled().store(value);
  tested.store(0);
  fast::switch_all_on();
}

std::optional<std::string> test_kernel(const Operation& operation) {
  const size_t alternative = operation.index();
  const uint64_t bit = uint64_t{1} << alternative;
  if (tested.load(std::memory_order_acquire) & bit) [[likely]]
    return {};
  std::lock_guard lock(mutex);
  if (tested.load() & bit) return {};
  auto difference = first_difference(alternative);
  if (difference) fast::switch_off(alternative);
  tested.fetch_or(bit, std::memory_order_release);
  return difference;
}

}  // namespace tputwin::testing
