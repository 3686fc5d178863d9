// Formats findings as text.
#include "insight/finding.h"

#include <fmt/format.h>

#include <array>

namespace tputwin::insight {
namespace {

constexpr std::array kFindings{
#define TW_FINDING(name, id, check, text) FindingInfo{id, Check::check, text},
#include "insight/findings.def"
#undef TW_FINDING
};

std::string span_of(std::string_view word, uint32_t first, uint32_t last) {
  return first == last ? fmt::format("{} {}", word, first)
                       : fmt::format("{}s {} to {}", word, first, last);
}

std::string describe(const Actor& actor) {
  std::string text = actor.does;
  if (!actor.call.empty()) text += fmt::format(" {}", actor.call);
  if (actor.command != 0)
    text += fmt::format("{} command {} of {} ({})", actor.call.empty() ? "" : ",", actor.command,
                        actor.kernel.empty() ? "the launch" : actor.kernel, actor.engine);
  if (!actor.layer.empty()) text += fmt::format("\n      layer {}", actor.layer);
  for (const SourceLine& line : actor.lines) text += fmt::format("\n      at {}", describe(line));
  if (!actor.launch.lines.empty())
    text += fmt::format("\n      launched by {} at {}", actor.launch.call,
                        describe(actor.launch.lines.front()));
  if (!actor.operation.empty()) text += fmt::format("\n      {}", actor.operation);
  for (const std::string& tensor : actor.tensors) text += fmt::format("\n      {}", tensor);
  return text;
}

}  // namespace

std::span<const FindingInfo> finding_catalogue() { return kFindings; }

std::string describe(const Place& place) {
  const std::string bytes =
      fmt::format("{} bytes in [{:#x}, {:#x})", place.bytes, place.begin, place.end);
  if (place.space != Space::local)
    return fmt::format("{} of {} memory", bytes, to_string(place.space));
  return fmt::format("{} of {}, {}", bytes, span_of("lane", place.first_lane, place.last_lane),
                     span_of("bank", place.first_bank, place.last_bank));
}

std::string describe(const Finding& finding) {
  const FindingInfo& kind = info(finding.kind);
  std::string text = fmt::format("{}: {}", kind.id, kind.text);
  if (finding.place) text += fmt::format("\n    bytes: {}", describe(*finding.place));
  if (!finding.tensor.empty()) text += fmt::format("\n    tensor: {}", finding.tensor);
  text += fmt::format("\n    {}", describe(finding.actor));
  if (finding.other) text += fmt::format("\n    {}", describe(*finding.other));
  for (const Actor& step : finding.way) text += fmt::format("\n    {}", describe(step));
  if (!finding.note.empty()) text += fmt::format("\n    {}", finding.note);
  if (!finding.missing.empty()) text += fmt::format("\n    missing: {}", finding.missing);
  return text;
}

}  // namespace tputwin::insight
