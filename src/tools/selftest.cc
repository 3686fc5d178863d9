// tputwin selftest: random operations against the reference kernels, and a slice of recorded cases.
#include "tools/selftest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/errors/machine.h"
#include "base/errors/tools.h"
#include "base/parallel.h"
#include "ops/fast/dispatch/isa.h"
#include "ops/fast/fast.h"
#include "selftest/differential.h"
#include "tools/campaign/campaign.h"

namespace tputwin::tools {

// Members of SelftestUnits; named because they are visible outside this file.
namespace random_operations {

// Random operations of one kind. Case i has the i-th seed for every division into slices.
struct Slice {
  testing::OperationKind kind;
  uint64_t seed, cases;
};

}  // namespace random_operations

namespace {

using random_operations::Slice;

using testing::OperationKind;

// Returns the empty reports of the selected instruction sets.
std::vector<TargetReport> empty_reports(const std::string& only) {
  std::vector<TargetReport> reports;
  for (const std::string& isa : fast::available_isas())
    if (only.empty() || isa == only) reports.push_back({.isa = isa});
  return reports;
}

std::vector<std::string_view> kinds() {
  std::vector<std::string_view> names;
  for (OperationKind kind : testing::all_operation_kinds()) names.push_back(to_string(kind));
  return names;
}
bool is_kind(std::string_view name) {
  const auto names = kinds();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<Slice> slices_of(const SelftestOptions& options) {
  constexpr uint64_t kMost = 500;
  std::vector<Slice> slices;
  for (OperationKind kind : testing::all_operation_kinds()) {
    if (!options.only.empty() && options.only != to_string(kind)) continue;
    const uint64_t cases = is_costly(kind) ? 1 : options.cases;
    for (uint64_t first = 0; first < cases; first += kMost)
      slices.push_back({kind, options.seed + first, std::min(kMost, cases - first)});
  }
  return slices;
}

void run_slice(const Slice& slice, const SelftestOptions& options,
               testing::Differential& differential, std::vector<TargetReport>& reports) {
  const std::vector<int> threads = options.threads != 0
                                       ? std::vector{options.threads}
                                       : std::vector{1, std::max(thread_count(), 2)};
  const auto report = differential.run(
      slice.kind,
      {.seed = slice.seed, .cases = slice.cases, .isa = options.isa, .threads = threads});
  for (TargetReport& target : reports) {
    if (target.isa != "reference") target.operations += slice.cases * threads.size();
    for (const auto& failure : report.failures)
      if (target.ok() && failure.isa == target.isa) {
        target.difference = failure.difference;
        target.rerun = failure.rerun;
      }
  }
}

void run_random(const SelftestOptions& options, std::vector<TargetReport>& reports) {
  testing::Differential differential;
  for (const Slice& slice : slices_of(options)) run_slice(slice, options, differential, reports);
}

// ---- recorded cases ----

constexpr std::array<std::string_view, 3> kApis = {"bmk1880", "okk", "tpu"};

std::filesystem::path default_prefix() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
}

struct RecordedCases {
  std::filesystem::path program, records;
};

Result<RecordedCases> find_recorded(const std::filesystem::path& prefix, std::string_view api) {
  RecordedCases found{prefix / "libexec/tputwin" / fmt::format("conformance-{}", api),
                      prefix / "share/tputwin/selftest" / api};
  for (const auto& path : {found.program, found.records})
    if (!std::filesystem::exists(path))
      return Error(errors::cli_selftest_files).argument("file", path.string());
  return found;
}

// One run of a checking program, a child process for all cases. It prints "NAME PASSED/ALL ok"
// lines, the differences, and "N passed, M failed" at the end.
TargetReport run_recorded(const RecordedCases& cases, const std::string& isa) {
  TargetReport target{.isa = isa};
  const std::string command = fmt::format(
      "TPUTWIN_SELFTEST=0 TPUTWIN_QUIRKS=all TPUTWIN_ISA={} '{}' --check '{}' --salt public "
      "--together",
      target.isa, cases.program.string(), cases.records.string());
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"), pclose);
  std::string first_failure, text;
  unsigned long passed = 0, failed = 0;
  bool ended = false;
  std::array<char, 4096> line;
  while (pipe && std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
    text = line.data();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (std::sscanf(text.c_str(), "%lu passed, %lu failed", &passed, &failed) == 2)
      ended = true;
    else if (first_failure.empty() && !text.empty() && !text.ends_with(" ok"))
      first_failure = text;
  }
  target.recorded = passed + failed;
  if (ended && failed == 0) return target;
  target.difference = fmt::format("recorded cases: {}", ended ? first_failure : text);
  target.rerun = command;
  return target;
}

// Adds the report of a part to the whole.
void add(const TargetReport& part, TargetReport& whole) {
  whole.operations += part.operations;
  whole.recorded += part.recorded;
  if (part.ok() || !whole.ok()) return;
  whole.difference = part.difference;
  whole.rerun = part.rerun;
}

// Recorded cases of all APIs on all targets, one run per processor, until the object is destroyed.
class RecordedRuns {
 public:
  RecordedRuns(const std::vector<RecordedCases>& cases, std::vector<TargetReport>& reports)
      : cases_(cases), reports_(reports) {
    for (int i = 0; i < thread_count(); ++i) threads_.emplace_back([this] { work(); });
  }

 private:
  void work() {
    const size_t runs = cases_.size() * reports_.size();
    for (size_t i = next_++; i < runs; i = next_++) {
      TargetReport& target = reports_[i % reports_.size()];
      const TargetReport part = run_recorded(cases_[i / reports_.size()], target.isa);
      std::lock_guard lock(mutex_);
      add(part, target);
    }
  }

  const std::vector<RecordedCases>& cases_;
  std::vector<TargetReport>& reports_;
  std::mutex mutex_;  // guards the reports
  std::atomic<size_t> next_ = 0;
  std::vector<std::jthread> threads_;
};

// ---- by several processes ----

std::string line_of(const std::vector<TargetReport>& reports) {
  nlohmann::json json = nlohmann::json::array();
  for (const TargetReport& target : reports)
    json.push_back({target.isa, target.operations, target.difference, target.rerun});
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// All processes have equal instruction sets; one that a process lacks is not counted for it.
void add_line(const std::string& line, std::vector<TargetReport>& reports) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  for (const nlohmann::json& one : json.is_array() ? json : nlohmann::json::array())
    for (TargetReport& target : reports)
      if (one.is_array() && one.size() == 4 && one[0] == target.isa && one[1].is_number_unsigned())
        add({.isa = target.isa,
             .operations = one[1],
             .difference = one[2].is_string() ? one[2].get<std::string>() : "",
             .rerun = one[3].is_string() ? one[3].get<std::string>() : ""},
            target);
}

Result<std::vector<TargetReport>> run_together(const SelftestOptions& options) {
  TW_ASSIGN_OR_RETURN(units, SelftestUnits::open(options));
  TW_ASSIGN_OR_RETURN(lines, run_campaign(units->campaign(),
                                          {.checkpoint = options.checkpoint, .progress = nullptr}));
  return lines ? units->sum_of(*lines) : std::vector<TargetReport>();
}

Status check_options(const SelftestOptions& options) {
  if (empty_reports(options.isa).empty())
    return Error(errors::mch_isa)
        .argument("--isa", options.isa)
        .detail(fmt::format("this host has {}", fmt::join(fast::available_isas(), ", ")));
  if (!options.only.empty() && !is_kind(options.only))
    return Error(errors::cli_selftest_kind)
        .argument("--only", options.only)
        .detail(fmt::format("{}", fmt::join(kinds(), ", ")));
  return {};
}

}  // namespace

struct SelftestUnits::Parts {
  SelftestOptions options;
  std::vector<random_operations::Slice> slices;
  testing::Differential differential;
};

SelftestUnits::SelftestUnits(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
SelftestUnits::~SelftestUnits() = default;

Result<std::unique_ptr<SelftestUnits>> SelftestUnits::open(const SelftestOptions& options) {
  TW_RETURN_IF_ERROR(check_options(options));
  auto parts = std::make_unique<Parts>();
  parts->options = options;
  parts->slices = slices_of(options);
  return std::unique_ptr<SelftestUnits>(new SelftestUnits(std::move(parts)));
}

Campaign SelftestUnits::campaign() {
  const SelftestOptions& o = parts_->options;
  return {
      .identity = fmt::format("selftest {} {} {} {} {}", o.cases, o.seed, o.only, o.isa, o.threads),
      .units = parts_->slices.size(),
      .work = [&parts = *parts_](uint64_t unit) -> Result<std::string> {
        std::vector<TargetReport> reports = empty_reports(parts.options.isa);
        run_slice(parts.slices[unit], parts.options, parts.differential, reports);
        return line_of(reports);
      }};
}

std::vector<TargetReport> SelftestUnits::sum_of(const std::vector<std::string>& lines) const {
  std::vector<TargetReport> reports = empty_reports(parts_->options.isa);
  for (const std::string& line : lines) add_line(line, reports);
  return reports;
}

Result<std::vector<TargetReport>> run_selftest(const SelftestOptions& options) {
  TW_RETURN_IF_ERROR(check_options(options));
  std::vector<TargetReport> reports = empty_reports(options.isa);
  if (!options.only.empty() || options.random) return run_together(options);
  const auto prefix =
      options.prefix.empty() ? default_prefix() : std::filesystem::path(options.prefix);
  std::vector<RecordedCases> recorded;
  for (std::string_view api : kApis) {
    auto found = find_recorded(prefix, api);
    if (!found.ok()) return found.error();
    recorded.push_back(*found);
  }
  std::vector<TargetReport> of_recorded = empty_reports(options.isa);
  {
    RecordedRuns runs(recorded, of_recorded);
    run_random(options, reports);
  }
  for (size_t i = 0; i < reports.size(); ++i) add(of_recorded[i], reports[i]);
  return reports;
}

std::string selftest_text(const std::vector<TargetReport>& reports) {
  std::string text;
  for (const TargetReport& target : reports)
    text += target.ok() ? fmt::format("{:12} ok: {} random operations, {} recorded cases\n",
                                      target.isa, target.operations, target.recorded)
                        : fmt::format("{:12} differs: {}\n{:12} rerun: {}\n", target.isa,
                                      target.difference, "", target.rerun);
  if (!fast::missing_isas().empty())
    text +=
        fmt::format("compiled, but not on this host: {}\n", fmt::join(fast::missing_isas(), ", "));
  return text;
}

}  // namespace tputwin::tools
