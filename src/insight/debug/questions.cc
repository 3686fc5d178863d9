// Answers in terms of the Debug Adapter Protocol.
#include "insight/debug/questions.h"

#include <fmt/format.h>

#include <algorithm>

namespace tputwin::debug {
namespace {

using Json = CheckedJson;

Json stack(Debugger& debugger) {
  const UserCode* const refused = debugger.refused();
  const Entry* entry = debugger.next() != nullptr ? debugger.next() : debugger.last();
  Json frames = Json::array();
  if (entry == nullptr && refused == nullptr) return frames;
  const std::string command =
      refused != nullptr ? refused->call + ", refused" : headline(debugger, *entry);
  const UserCode& code = refused != nullptr ? *refused : debugger.code(*entry);
  for (const insight::SourceLine& line : code.lines)
    frames.push_back({{"name", line.function}, {"file", line.file}, {"line", line.line}});
  if (frames.empty()) frames.push_back({{"name", command}, {"file", ""}, {"line", 0}});
  frames.front()["name"] = frames.front()["name"].get<std::string>() + ", " + command;
  return frames;
}

Json variables(const Entry* entry, const Memory& memory) {
  Json list = Json::array();
  if (entry == nullptr) return list;
  for (const Operand& operand : operands(entry->instruction->op)) {
    const NamedView tensor{std::string(operand.name), *operand.view};
    list.push_back({{"name", operand.name},
                    {"type", tputwin::describe(*operand.view)},
                    {"place", place_of(*operand.view)},
                    {"value", statistics_text(tensor, memory)},
                    {"text", tensor_text(tensor, memory, /*all=*/false)}});
  }
  return list;
}

// Returns bytes of a memory from a named range on.
Json memory(const Debugger& debugger, const Json& question) {
  constexpr uint64_t kMost = uint64_t{1} << 20;
  const auto ranges = find_bytes(debugger, question.value("at", ""));
  if (!ranges) return {{"error", "no such bytes"}};
  uint64_t address = 0;
  const auto bytes = bytes_from(debugger, ranges->front(), question.value("offset", int64_t{0}),
                                std::min(question.value("count", uint64_t{0}), kMost), address);
  return {{"address", address}, {"bytes", Json(bytes)}};
}

// Replaces the line breakpoints of a file.
Json set_lines(Debugger& debugger, const Json& question) {
  const std::string file = question.value("file", "");
  debugger.remove_lines(file);
  Json ids = Json::array();
  for (const Json& line : question.value("lines", Json::array()))
    ids.push_back(debugger.add({.kind = Breakpoint::Kind::line,
                                .text = file,
                                .number = line.is_number() ? line.get<uint64_t>() : 0}));
  return ids;
}

Json set_names(Debugger& debugger, const Json& question) {
  std::vector<uint32_t> old;
  for (const Breakpoint& b : debugger.breakpoints())
    if (b.kind == Breakpoint::Kind::name || b.kind == Breakpoint::Kind::launch) old.push_back(b.id);
  for (const uint32_t id : old) debugger.remove(id);
  Json ids = Json::array();
  for (const Json& name : question.value("names", Json::array())) {
    const std::string text = name.is_string() ? name.get<std::string>() : "";
    debugger.add({.kind = Breakpoint::Kind::launch, .text = text});
    ids.push_back(debugger.add({.kind = Breakpoint::Kind::name, .text = text}));
  }
  return ids;
}

Json answer_well_formed(Console& console, Debugger& debugger, const Json& question) {
  const std::string what = question.value("get", "");
  if (what == "stack") return {{"stack", stack(debugger)}};
  if (what == "variables") {
    const bool last = question.value("of", "") == "last";
    return {{"variables", variables(last ? debugger.last() : debugger.next(), debugger.memory())}};
  }
  if (what == "completions")
    return {{"completions", console.completions(question.value("line", ""))}};
  if (what == "memory") return memory(debugger, question);
  if (what == "break") return {{"ids", set_lines(debugger, question)}};
  if (what == "names") return {{"ids", set_names(debugger, question)}};
  return {{"error", "unknown question"}};
}

}  // namespace

Json answer(Console& console, Debugger& debugger, const Json& question) {
  try {
    return answer_well_formed(console, debugger, question);
  } catch (const Json::exception& wrong) {
    return {{"error", wrong.what()}};
  }
}

}  // namespace tputwin::debug
