// Suppresses, prints and writes findings as they are added.
#include "insight/report.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "base/log.h"

namespace tputwin::insight {
namespace {

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool matches(const std::string& pattern, const Actor& actor) {
  return matches(pattern, actor.call) || matches(pattern, actor.kernel) ||
         std::ranges::any_of(actor.lines, [&](const SourceLine& line) {
           return matches(pattern, line.function) || matches(pattern, line.file);
         });
}

// Returns true if two actors look equal to a reader: they have the same source lines or, without
// lines, the same commands.
bool is_same(const Actor& a, const Actor& b) {
  if (a.call != b.call || a.does != b.does || a.kernel != b.kernel || a.lines != b.lines)
    return false;
  return !a.lines.empty() || a.command == b.command;
}

bool is_same(const Finding& a, const Finding& b) {
  if (a.kind != b.kind || !is_same(a.actor, b.actor)) return false;
  if (a.other.has_value() != b.other.has_value()) return false;
  return !a.other || is_same(*a.other, *b.other);
}

}  // namespace

Result<std::vector<std::string>> read_suppressions(const std::string& path) {
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path));
  std::istringstream text(std::string(bytes.begin(), bytes.end()));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    line = line.substr(0, line.find('#'));
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

bool Report::is_suppressed(const Finding& finding) const {
  return std::ranges::any_of(options_.suppressions, [&](const std::string& line) {
    const size_t colon = std::min(line.find(':'), line.size());
    const std::string id = line.substr(0, colon);
    const std::string pattern = colon < line.size() ? line.substr(colon + 1) : "*";
    return matches(id, std::string(info(finding.kind).id)) &&
           (matches(pattern, finding.actor) || (finding.other && matches(pattern, *finding.other)));
  });
}

void Report::add(Finding finding) {
  std::lock_guard lock(mutex_);
  if (is_suppressed(finding)) return;
  if (std::ranges::any_of(findings_, [&](const Finding& f) { return is_same(f, finding); })) return;
  if (options_.print)
    fmt::print(stderr, "tputwin check: {}{}\n", is_hint(finding) ? "hint: " : "",
               describe(finding));
  findings_.push_back(std::move(finding));
  // Files are written now, as the program may crash because of the finding.
  if (Status status = write_files(); !status.ok()) log(status.error(), Level::error);
}

std::vector<Finding> Report::findings() const {
  std::lock_guard lock(mutex_);
  return findings_;
}

Status Report::write() const {
  std::lock_guard lock(mutex_);
  return write_files();
}

Status Report::write_files() const {
  const auto write = [](const std::string& path, const nlohmann::json& content) -> Status {
    if (path.empty()) return {};
    const std::string text = content.dump(2) + "\n";
    return write_bytes(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  };
  TW_RETURN_IF_ERROR(write(options_.json, to_json(findings_)));
  return write(options_.sarif, to_sarif(findings_));
}

}  // namespace tputwin::insight
