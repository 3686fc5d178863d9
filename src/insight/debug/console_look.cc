// Console commands that show memory and the history of commands.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "insight/debug/console.h"
#include "insight/debug/provenance.h"
#include "insight/explain/explain.h"
#include "insight/shadow/byte_map.h"

namespace tputwin::debug {
namespace {

// Removes `word` from the end of a text. Returns false if it is not the last word.
bool take_word(std::string& text, std::string_view word) {
  if (!text.ends_with(word)) return false;
  const size_t begin = text.size() - word.size();
  if (begin != 0 && text[begin - 1] != ' ') return false;
  text.resize(begin == 0 ? 0 : begin - 1);
  return true;
}

// Removes and returns the last word of a text if `fits` accepts it; else returns an empty string.
template <class Fits>
std::string take_last(std::string& text, Fits fits) {
  const size_t space = text.rfind(' ');
  if (space == text.npos || !fits(text.substr(space + 1))) return {};
  std::string word = text.substr(space + 1);
  text.resize(space);
  return word;
}

// Answers that `text` names no tensor, and lists the operands of the command that it means.
Console::Answer no_tensor(const std::string& text, const Debugger& debugger) {
  const auto [entry, command] = command_of(debugger, text);
  std::string names;
  if (entry != nullptr && entry->is_command())
    for (const Operand& operand : operands(entry->instruction->op))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", operand.name);
  return {fmt::format("\"{}\" is no operand of {} ({}) and no view\n", text, command,
                      names.empty() ? "there is none" : names)};
}
Console::Answer no_bytes(const std::string& text) {
  return {fmt::format("\"{}\" is no range of bytes and no tensor\n", text)};
}

// The bytes of local memory with one last writer, summarized.
struct Piece {
  uint64_t begin = UINT64_MAX, end = 0, bytes = 0;
  uint32_t first_lane = UINT32_MAX, last_lane = 0;
};

}  // namespace

Console::Answer Console::add_break(const std::string& arguments) {
  auto breakpoint = parse_breakpoint(arguments);
  if (!breakpoint)
    return {
        "break NAME, FILE:LINE, #NUMBER, launch NUMBER, launch NAME, layer NUMBER or layer NAME\n"};
  const std::string text = debug::describe(*breakpoint);
  return {fmt::format("breakpoint {}, {}\n", debugger_.add(std::move(*breakpoint)), text)};
}

Console::Answer Console::add_watch(const std::string& arguments) {
  std::string text = arguments;
  const bool any_write = take_word(text, "write");
  auto ranges = find_bytes(debugger_, text);
  if (!ranges) return no_bytes(text);
  const uint64_t bytes = bytes_in(*ranges);
  const uint32_t id = debugger_.watch(text, std::move(*ranges), any_write);
  return {fmt::format("watchpoint {}, {}: {} bytes\n", id, text, bytes)};
}

Console::Answer Console::remove(const std::string& arguments) {
  const auto id = static_cast<uint32_t>(std::strtoul(arguments.c_str(), nullptr, 0));
  if (debugger_.remove(id)) return {};
  return {fmt::format("there is no breakpoint or watchpoint {}\n", arguments)};
}

Console::Answer Console::stops(const std::string&) {
  std::string text;
  for (const Breakpoint& b : debugger_.breakpoints())
    text += fmt::format("breakpoint {}, {}\n", b.id, debug::describe(b));
  for (const Watchpoint& w : debugger_.watchpoints().all())
    text += fmt::format("watchpoint {}, {}: {} bytes\n", w.id, w.text, bytes_in(w.ranges));
  return {text.empty() ? "none\n" : text};
}

Console::Answer Console::where(const std::string&) { return {position()}; }

Console::Answer Console::list(const std::string& arguments) {
  const Journal& journal = debugger_.journal();
  const Entry* next = debugger_.next();
  char* rest = nullptr;
  const std::string digits = arguments.starts_with('#') ? arguments.substr(1) : arguments;
  uint64_t middle = std::strtoull(digits.c_str(), &rest, 0);
  uint64_t count = std::strtoull(rest, nullptr, 0);
  if (count == 0) count = 11;
  const Entry* last = debugger_.last();
  if (digits.empty())
    middle = next != nullptr ? next->number : last != nullptr ? last->number + 1 : 1;
  const uint64_t first = middle > count / 2 ? middle - count / 2 : 1;
  std::string text;
  for (uint64_t number = first; number < first + count; ++number) {
    const Moment moment = journal.of_command(number);
    if (moment == journal.end()) continue;
    const Entry& entry = journal.at(moment);
    const std::string_view call = entry.call;
    text += fmt::format("{} #{:<5} {:<8}{}{} {}\n", &entry == next ? "=>" : "  ", number,
                        to_string(entry.instruction->engine), call.empty() ? "" : " ", call,
                        operation_text(entry.instruction->op, debugger_.chip()));
  }
  return {text.empty() ? "no command there\n" : text};
}

Console::Answer Console::launches(const std::string&) {
  const Journal& journal = debugger_.journal();
  std::string text;
  uint32_t before = 0;
  for (Moment m = journal.first(); m < journal.end(); ++m) {
    const Entry& entry = journal.at(m);
    if (!entry.is_command() || entry.launch == before) continue;
    before = entry.launch;
    text += fmt::format("launch {} {} from #{}\n", entry.launch,
                        debugger_.launch_name(entry.launch), entry.number);
  }
  return {text.empty() ? "none\n" : text};
}

Console::Answer Console::print(const std::string& arguments) {
  std::string text = arguments;
  const bool all = take_word(text, "all");
  if (const auto tensor = find_view(debugger_, text))
    return {tensor_text(*tensor, debugger_.memory(), all)};
  if (!text.empty() || debugger_.next() == nullptr) return no_tensor(text, debugger_);
  for (const Operand& operand : operands(debugger_.next()->instruction->op))
    text += tensor_text({std::string(operand.name), *operand.view}, debugger_.memory(), all);
  return {text};
}

Console::Answer Console::hex(const std::string& arguments) {
  std::string text = arguments;
  const bool all = take_word(text, "all");
  const auto ranges = find_bytes(debugger_, text);
  return ranges ? Answer{hex_text(*ranges, debugger_.memory(), all)} : no_bytes(text);
}

Console::Answer Console::statistics(const std::string& arguments) {
  const auto tensor = find_view(debugger_, arguments);
  return tensor ? Answer{statistics_text(*tensor, debugger_.memory())}
                : no_tensor(arguments, debugger_);
}

Console::Answer Console::lanes(const std::string& arguments) {
  const auto tensor = find_view(debugger_, arguments);
  if (!tensor) return no_tensor(arguments, debugger_);
  return {lanes_text(*tensor, debugger_.memory(), debugger_.chip())};
}

Console::Answer Console::image(const std::string& arguments) {
  std::string text = arguments;
  std::string file = take_last(text, [](const std::string& w) { return w.ends_with(".png"); });
  unsigned n = 0, c = 0;
  take_last(text, [&](const std::string& word) {
    int length = 0;
    return std::sscanf(word.c_str(), "%u,%u%n", &n, &c, &length) == 2 &&
           static_cast<size_t>(length) == word.size();
  });
  const auto tensor = find_view(debugger_, text);
  if (!tensor) return no_tensor(text, debugger_);
  const Shape& shape = tensor->view.shape;
  if (n >= shape.n || c >= shape.c) return {"N,C is a plane of the tensor\n"};
  Picture picture = picture_of(tensor->view, debugger_.memory(), n, c);
  if (file.empty()) return {terminal_text(picture, has_colour_)};
  std::string answer = fmt::format("{}, {} x {}\n", file, picture.width, picture.height);
  return {.text = std::move(answer), .picture = std::move(picture), .file = std::move(file)};
}

Console::Answer Console::colour(const std::string& arguments) {
  has_colour_ = arguments == "on";
  return {};
}

std::string Console::writer_text(Moment moment) {
  const Entry& entry = debugger_.journal().at(moment);
  std::string text = headline(debugger_, entry);
  if (!entry.is_command() && entry.number != 0) text += fmt::format(", after #{}", entry.number);
  return text;
}

Console::Answer Console::map(const std::string&) {
  const Journal& journal = debugger_.journal();
  std::string text;
  for (const insight::Allocation& block : debugger_.allocations().live()) {
    const ByteRange range{Space::global, 0, block.begin, block.end};
    const Writers writers = last_writers(journal, {range});
    text += fmt::format("{}, {}\n", debug::describe(range, debugger_.chip()),
                        writers.known.empty()
                            ? "never written"
                            : "written by " + writer_text(writers.known.front().moment));
  }
  std::vector<insight::ByteMap<Moment>> lanes(debugger_.chip().lanes);
  for (Moment m = journal.first(); m < journal.now(); ++m)
    for (const ByteRange& range : journal.writes(m))
      if (range.space == Space::local) lanes[range.lane].assign(range.begin, range.end, m + 1);
  std::map<Moment, Piece> pieces;
  for (uint32_t lane = 0; lane < lanes.size(); ++lane)
    lanes[lane].update(0, debugger_.chip().lane_bytes, [&](Moment m, uint64_t begin, uint64_t end) {
      if (m == 0) return;
      Piece& piece = pieces[m - 1];
      piece.begin = std::min(piece.begin, begin), piece.end = std::max(piece.end, end);
      piece.bytes += end - begin;
      piece.first_lane = std::min(piece.first_lane, lane);
      piece.last_lane = std::max(piece.last_lane, lane);
    });
  for (const auto& [moment, piece] : pieces)
    text +=
        fmt::format("[{:#x}, {:#x}) of lanes {} to {}, {} bytes, written by {}\n", piece.begin,
                    piece.end, piece.first_lane, piece.last_lane, piece.bytes, writer_text(moment));
  return {text.empty() ? "nothing is allocated, nothing was written\n" : text};
}

Console::Answer Console::who(const std::string& arguments) {
  const auto bytes = find_bytes(debugger_, arguments);
  if (!bytes) return no_bytes(arguments);
  constexpr size_t kMost = 8;
  const Writers writers = last_writers(debugger_.journal(), *bytes);
  std::string text;
  for (const Written& written :
       std::span(writers.known).first(std::min(kMost, writers.known.size()))) {
    const Entry& entry = debugger_.journal().at(written.moment);
    text += fmt::format("{} bytes from {}: {}\n{}", bytes_in(written.bytes),
                        debug::describe(written.bytes.front(), debugger_.chip()),
                        writer_text(written.moment), lines_of(debugger_, entry));
  }
  if (writers.known.size() > kMost)
    text += fmt::format("and {} more\n", writers.known.size() - kMost);
  if (!writers.unknown.empty())
    text += fmt::format(
        "{} bytes from {}: no writer since {}\n", bytes_in(writers.unknown),
        debug::describe(writers.unknown.front(), debugger_.chip()),
        debugger_.journal().first() == 0 ? "the program began" : "the begin of what is kept");
  return {text};
}

Console::Answer Console::made(const std::string& arguments) {
  auto bytes = find_bytes(debugger_, arguments);
  if (!bytes) return no_bytes(arguments);
  ByteRange byte = bytes->front();
  byte.end = byte.begin + 1;
  const std::vector<Step> way = way_of(debugger_, byte);
  if (way.empty())
    return {fmt::format("{}: nothing wrote it\n", debug::describe(byte, debugger_.chip()))};
  std::string text;
  for (const Step& step : way) {
    const Entry& entry = debugger_.journal().at(step.moment);
    text += fmt::format("{}: {}\n{}", debug::describe(step.byte, debugger_.chip()),
                        writer_text(step.moment), lines_of(debugger_, entry));
  }
  const Entry& writer = debugger_.journal().at(way.back().moment);
  if (!writer.is_command()) return {text};
  if (const auto at = element_of(writer.instruction->op, debugger_.chip(), way.back().byte))
    text += fmt::format("element ({},{},{},{}) of {}: explain #{} ({},{},{},{})\n", at->n, at->c,
                        at->h, at->w, at->operand, writer.number, at->n, at->c, at->h, at->w);
  return {text};
}

// The formula is computed from memory as it was before the command.
Console::Answer Console::explain(const std::string& arguments) {
  const Entry* entry = debugger_.last();
  std::string rest = arguments;
  if (rest.starts_with('#')) {
    const Moment moment =
        debugger_.journal().of_command(std::strtoull(rest.c_str() + 1, nullptr, 0));
    if (moment == debugger_.journal().end()) return {"there is no such command\n"};
    entry = &debugger_.journal().at(moment);
    const size_t space = rest.find(' ');
    rest = space == rest.npos ? "" : rest.substr(space + 1);
  }
  const auto index = parse_index(rest);
  if (entry == nullptr || !index) return {"explain [#NUMBER] (N,C,H,W) of a command before now\n"};
  const Moment now = debugger_.now(), before = debugger_.journal().of_command(entry->number);
  const Operation& op = entry->instruction->op;
  debugger_.go_to(before);
  const explain::Explanation answer =
      explain::explain(op, debugger_.memory(), debugger_.chip(), *index);
  std::string text = fmt::format("{}\n{}", headline(debugger_, *entry), answer.text);
  if (before < debugger_.newest() && answer.result) {
    debugger_.go_to(before + 1);
    const TensorView& out = *explain::result_of(op);
    const int32_t there = debugger_.memory().read(out, index->n, index->c, index->h, index->w);
    if (there != *answer.result)
      text += fmt::format("  but {} is there\n", element_text(there, out.dtype));
  }
  debugger_.go_to(now);
  return {text};
}

}  // namespace tputwin::debug
