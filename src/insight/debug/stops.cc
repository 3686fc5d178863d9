// Matches breakpoints and watchpoints with commands.
#include "insight/debug/stops.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace tputwin::debug {
namespace {

std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

bool fits(const std::string& pattern, std::string_view name) {
  return fnmatch(pattern.c_str(), std::string(name).c_str(), 0) == 0;
}

// Compares paths from their ends: "kernel.c" matches every kernel.c. A compiler may record
// "../device/kernel.c" for a file that the editor names by its absolute path.
bool is_file(const std::string& path, const std::string& wanted) {
  const std::filesystem::path a(path), b(wanted);
  for (auto x = a.end(), y = b.end(); x != a.begin() && y != b.begin();) {
    --x, --y;
    if (*x == ".." || *y == "..") return true;
    if (*x != *y) return false;
  }
  return true;
}

}  // namespace

std::string describe(const Breakpoint& b) {
  switch (b.kind) {
    case Breakpoint::Kind::name:
      return b.text;
    case Breakpoint::Kind::line:
      return fmt::format("{}:{}", b.text, b.number);
    case Breakpoint::Kind::launch:
      return b.text.empty() ? fmt::format("launch {}", b.number) : fmt::format("launch {}", b.text);
    case Breakpoint::Kind::layer:
      return b.text.empty() ? fmt::format("layer {}", b.number) : fmt::format("layer {}", b.text);
    case Breakpoint::Kind::command:
      return fmt::format("#{}", b.number);
  }
  return {};
}

std::optional<Breakpoint> parse_breakpoint(const std::string& text) {
  using Kind = Breakpoint::Kind;
  const auto numbered = [](Kind kind, std::string_view digits,
                           std::string name = {}) -> std::optional<Breakpoint> {
    const auto number = number_of(digits);
    if (!number) return {};
    return Breakpoint{.kind = kind, .text = std::move(name), .number = *number};
  };
  if (text.empty()) return {};
  if (text.front() == '#') return numbered(Kind::command, text.substr(1));
  if (text.starts_with("layer ")) {
    if (const auto by_number = numbered(Kind::layer, text.substr(6))) return by_number;
    return Breakpoint{.kind = Kind::layer, .text = text.substr(6)};
  }
  if (text == "launch" || text == "layer") return {};
  if (text.starts_with("launch ")) {
    const std::string name = text.substr(7);
    const auto by_number = numbered(Kind::launch, name);
    if (by_number && by_number->number != 0) return by_number;
    // No function begins with a digit or a sign.
    if (name.empty() || name[0] == '-' || (name[0] >= '0' && name[0] <= '9')) return {};
    return Breakpoint{.kind = Kind::launch, .text = name};
  }
  if (const size_t colon = text.rfind(':'); colon != text.npos)
    return numbered(Kind::line, text.substr(colon + 1), text.substr(0, colon));
  if (text.find(' ') != text.npos) return {};
  return Breakpoint{.kind = Kind::name, .text = text};
}

bool matches(const Breakpoint& b, const Candidate& at) {
  switch (b.kind) {
    case Breakpoint::Kind::name:
      return fits(b.text, at.entry.call) || fits(b.text, name(at.entry.instruction->op));
    case Breakpoint::Kind::launch:
      return at.begins_launch &&
             (b.text.empty() ? at.entry.launch == b.number : fits(b.text, at.launch));
    case Breakpoint::Kind::layer:
      return at.begins_layer &&
             (b.text.empty() ? at.entry.layer == b.number : fits(b.text, at.layer));
    case Breakpoint::Kind::command:
      return at.entry.number == b.number;
    case Breakpoint::Kind::line:
      return at.begins_line && std::ranges::any_of(at.code.lines, [&](const auto& line) {
               return static_cast<uint64_t>(line.line) == b.number && is_file(line.file, b.text);
             });
  }
  return false;
}

uint32_t Watchpoints::add(uint32_t id, std::string text, std::vector<ByteRange> ranges,
                          bool any_write) {
  Watchpoint watch{id, std::move(text), std::move(ranges), any_write, {}};
  watch.value = value_of(watch);
  all_.push_back(std::move(watch));
  return id;
}

bool Watchpoints::remove(uint32_t id) {
  return std::erase_if(all_, [&](const Watchpoint& watch) { return watch.id == id; }) != 0;
}

const Watchpoint* Watchpoints::notice(const std::vector<ByteRange>& written) {
  const Watchpoint* noticed = nullptr;
  for (Watchpoint& watch : all_) {
    const bool met = std::ranges::any_of(watch.ranges, [&](const ByteRange& range) {
      return std::ranges::any_of(written, [&](const ByteRange& w) { return overlap(w, range); });
    });
    if (!met) continue;
    std::vector<uint8_t> value = value_of(watch);
    if (noticed == nullptr && (watch.any_write || value != watch.value)) noticed = &watch;
    watch.value = std::move(value);
  }
  return noticed;
}

void Watchpoints::refresh() {
  for (Watchpoint& watch : all_) watch.value = value_of(watch);
}

std::vector<uint8_t> Watchpoints::value_of(const Watchpoint& watch) const {
  std::vector<uint8_t> value;
  for (const ByteRange& range : watch.ranges) {
    const uint8_t* from = bytes_at(memory_, range);
    value.insert(value.end(), from, from + (range.end - range.begin));
  }
  return value;
}

}  // namespace tputwin::debug
