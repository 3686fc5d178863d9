// Report: the findings of a process, as lines on standard error and as files for machines.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "insight/finding.h"

namespace tputwin::insight {

struct ReportOptions {
  bool print = true;        // print findings on standard error at once
  std::string json, sarif;  // file names; empty: no file
  // Lines "ID:PATTERN". A finding is suppressed if its call, function, file or kernel matches the
  // pattern (wildcards *, ? and []). "*" stands for every id. "#" begins a comment.
  std::vector<std::string> suppressions;
};

// Reads a file of suppressions.
Result<std::vector<std::string>> read_suppressions(const std::string& path);

class Report {
 public:
  explicit Report(ReportOptions options = {}) : options_(std::move(options)) {}

  // Adds a finding, unless an earlier one looks equal to a reader.
  void add(Finding finding);
  std::vector<Finding> findings() const;
  // Records that a command was checked. If none was, a report without findings does not mean that
  // the program is correct.
  void add_command() { has_commands_.store(true, std::memory_order_relaxed); }
  bool has_commands() const { return has_commands_.load(std::memory_order_relaxed); }
  // Writes the files, even without findings.
  Status write() const;

 private:
  bool is_suppressed(const Finding& finding) const;
  Status write_files() const;  // mutex_ must be held

  const ReportOptions options_;
  mutable std::mutex mutex_;
  std::vector<Finding> findings_;
  std::atomic<bool> has_commands_ = false;
};

nlohmann::json to_json(const std::vector<Finding>& findings);
nlohmann::json to_sarif(const std::vector<Finding>& findings);

}  // namespace tputwin::insight
