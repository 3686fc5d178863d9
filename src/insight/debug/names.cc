// Parses views and ranges in the form that the disassembly prints.
#include "insight/debug/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <regex>

#include "insight/recording/touched.h"
#include "memory/layout.h"
#include "numerics/convert.h"

namespace tputwin::debug {
namespace {

std::optional<DType> parse_type(const std::string& text) {
  for (int i = 0; i <= static_cast<int>(DType::i32); ++i)
    if (text == to_string(static_cast<DType>(i))) return static_cast<DType>(i);
  return {};
}

std::optional<Space> parse_space(const std::string& text) {
  constexpr std::string_view kNames[] = {"L", "G", "L2", "DTCM"};
  const auto found = std::ranges::find(kNames, text);
  if (found == std::end(kNames)) return {};
  return static_cast<Space>(found - std::begin(kNames));
}

constexpr std::string_view prefix(Space space) {
  constexpr std::string_view kNames[] = {"L", "G", "L2", "DTCM"};
  return kNames[static_cast<size_t>(space)];
}

uint64_t number(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 0); }

// The BM1880's kernels address global memory by offsets.
bool has_addresses(const Chip& chip) { return chip.family != ChipFamily::bm1880; }

// Returns the offset for a text of digits; with `is_address` it is what kernels print.
std::optional<uint64_t> offset_of(const std::string& digits, bool is_address, const Chip& chip) {
  const uint64_t value = number(digits);
  if (!is_address) return value;
  if (!has_addresses(chip) || value < chip.global_base) return {};
  return value - chip.global_base;
}

std::optional<std::array<uint32_t, 4>> four(const std::string& text) {
  std::array<uint32_t, 4> values;
  const char* at = text.data();
  for (size_t i = 0; i < 4; ++i) {
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), values[i]);
    if (error != std::errc()) return {};
    at = end;
    if (i < 3 && *at++ != ',') return {};
  }
  if (at != text.data() + text.size()) return {};
  return values;
}

uint64_t size_of(const Debugger& debugger, Space space) {
  const Memory& memory = debugger.memory();
  if (space == Space::local) return memory.local.size();
  if (space == Space::global) return memory.global.size();
  const GlobalMemory* of = space == Space::l2 ? memory.l2 : memory.dtcm;
  return of != nullptr ? of->size() : 0;
}

const TensorView* operand_of(const Entry* entry, std::string_view name) {
  if (entry == nullptr) return nullptr;
  for (const Operand& operand : operands(entry->instruction->op))
    if (operand.name == name) return operand.view;
  return nullptr;
}

// Returns ranges of a space, split by lanes.
std::vector<ByteRange> split(Space space, uint64_t begin, uint64_t bytes, const Chip& chip) {
  if (space != Space::local) return {{space, 0, begin, begin + bytes}};
  std::vector<ByteRange> ranges;
  for (const uint64_t end = begin + bytes; begin < end;) {
    const uint64_t lane = begin / chip.lane_bytes, offset = begin % chip.lane_bytes;
    const uint64_t count = std::min<uint64_t>(end - begin, chip.lane_bytes - offset);
    ranges.push_back({space, static_cast<uint32_t>(lane), offset, offset + count});
    begin += count;
  }
  return ranges;
}

bool is_inside(const Debugger& debugger, const std::vector<ByteRange>& ranges) {
  const Chip& chip = debugger.chip();
  return std::ranges::all_of(ranges, [&](const ByteRange& range) {
    return range.space == Space::local ? range.lane < chip.lanes && range.end <= chip.lane_bytes
                                       : range.end <= size_of(debugger, range.space);
  });
}

}  // namespace

std::optional<Shape> parse_index(const std::string& text) {
  const bool bracketed = text.size() > 2 && text.front() == '(' && text.back() == ')';
  const auto values = four(bracketed ? text.substr(1, text.size() - 2) : text);
  if (!values) return {};
  return Shape{(*values)[0], (*values)[1], (*values)[2], (*values)[3]};
}

std::optional<TensorView> parse_view(const std::string& text, const Chip& chip) {
  static const std::regex kForm(
      R"((\w+)(\([0-9,]+\))@(?:(L|G|L2|DTCM)\+)?(0x[0-9a-fA-F]+|[0-9]+)(?:=0x[0-9a-fA-F]+)?)"
      R"((?: stride(\([0-9,]+\)))?(?: pack (\d+))?(?: high\+(0x[0-9a-fA-F]+))?)");
  std::smatch found;
  if (!std::regex_match(text, found, kForm)) return {};
  const auto type = parse_type(found[1]);
  const auto shape = parse_index(found[2]);
  const auto space = found[3].matched ? parse_space(found[3]) : Space::global;
  const auto offset = offset_of(found[4], !found[3].matched, chip);
  if (!type || !shape || !space || !offset || shape->count() == 0) return {};
  TensorView view{.space = *space, .dtype = *type, .address = *offset, .shape = *shape};
  if (found[6].matched) view.pack = static_cast<uint8_t>(std::max<uint64_t>(1, number(found[6])));
  if (is_16bit(*type))
    view.plane_stride = found[7].matched ? static_cast<uint32_t>(number(found[7])) : 1;
  const uint32_t unit = run_bytes(view);
  if (found[5].matched) {
    const auto s = four(found[5].str().substr(1, found[5].length() - 2));
    if (!s) return {};
    view.stride = {(*s)[0] * unit, (*s)[1] * unit, (*s)[2] * unit, (*s)[3] * unit};
  } else if (*space == Space::local) {
    view.stride = lane_stride(chip, *shape, view.address / chip.lane_bytes, unit, /*aligned=*/true);
  } else {
    view.stride = system_stride(*shape, unit);
  }
  return view;
}

NamedCommand command_of(const Debugger& debugger, const std::string& text) {
  const size_t dot = text.find('.');
  if (text.starts_with("last.")) return {debugger.last(), "the last command"};
  if (!text.starts_with("#") || dot == text.npos) return {debugger.next(), "the next command"};
  const Journal& journal = const_cast<Debugger&>(debugger).journal();
  const Moment of = journal.of_command(number(text.substr(1, dot - 1)));
  return {of < journal.end() ? &journal.at(of) : nullptr, "command " + text.substr(0, dot)};
}

std::optional<NamedView> find_view(const Debugger& debugger, const std::string& text) {
  const bool names_command = text.starts_with("last.") || text.starts_with("#");
  const TensorView* const view = operand_of(command_of(debugger, text).entry,
                                            names_command ? text.substr(text.find('.') + 1) : text);
  if (view != nullptr) return NamedView{text, *view};
  auto parsed = parse_view(text, debugger.chip());
  if (!parsed) return {};
  std::vector<ByteRange> ranges;
  add_ranges(*parsed, debugger.chip(), ranges);
  if (!is_inside(debugger, ranges)) return {};
  return NamedView{"view", *parsed};
}

std::optional<std::vector<ByteRange>> find_bytes(const Debugger& debugger,
                                                 const std::string& text) {
  static const std::regex kForm(
      R"((?:(L|G|L2|DTCM|L(\d+))\+)?(0x[0-9a-fA-F]+|[0-9]+)(?::(0x[0-9a-fA-F]+|[0-9]+))?)");
  std::smatch found;
  std::vector<ByteRange> ranges;
  if (std::regex_match(text, found, kForm)) {
    const auto offset = offset_of(found[3], !found[1].matched, debugger.chip());
    if (!offset) return {};
    const uint64_t begin = *offset, bytes = found[4].matched ? number(found[4]) : 1;
    const bool has_l2 = debugger.memory().l2 != nullptr;
    if (!found[1].matched)
      ranges = split(Space::global, begin, bytes, debugger.chip());
    else if (const auto space = parse_space(found[1]); space && (*space != Space::l2 || has_l2))
      ranges = split(*space, begin, bytes, debugger.chip());
    else
      ranges = {{Space::local, static_cast<uint32_t>(number(found[1].str().substr(1))), begin,
                 begin + bytes}};
  } else if (const auto named = find_view(debugger, text)) {
    add_ranges(named->view, debugger.chip(), ranges);
  }
  sort_and_merge(ranges);
  if (ranges.empty() || bytes_in(ranges) == 0 || !is_inside(debugger, ranges)) return {};
  return ranges;
}

std::string describe(const ByteRange& range) {
  const std::string lane = range.space == Space::local ? fmt::format("{}", range.lane) : "";
  return fmt::format("{}{}+{:#x}:{}", prefix(range.space), lane, range.begin,
                     range.end - range.begin);
}

std::string describe(const ByteRange& range, const Chip& chip) {
  if (range.space != Space::global || !has_addresses(chip)) return describe(range);
  return fmt::format("{} ({:#x})", describe(range), chip.global_base + range.begin);
}

namespace {

// Replaces each match of a pattern.
template <class Replacement>
std::string replaced(const std::string& text, const std::regex& pattern, Replacement replacement) {
  std::string result;
  auto rest = text.begin();
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    result.append(rest, (*at)[0].first);
    result += replacement(*at);
    rest = (*at)[0].second;
  }
  return result.append(rest, text.end());
}

}  // namespace

std::string operation_text(const Operation& op, const Chip& chip) {
  static const std::regex kConstant(R"( (\w+) (0x[0-9a-f]+))"), kGlobal(R"(@G\+(0x[0-9a-f]+))");
  std::string text = tputwin::describe(op);
  const OperandList list = operands(op);
  if (list.size() != 0 && is_float(list[0].view->dtype)) {
    const DType type = list[0].view->dtype;
    text = replaced(text, kConstant, [&](const std::smatch& found) {
      if (found[1] == "address") return found.str();
      const float value = float_value(static_cast<uint32_t>(number(found[2])), type);
      return fmt::format(" {} {} ({})", found[1].str(), value, found[2].str());
    });
  }
  if (!has_addresses(chip)) return text;
  return replaced(text, kGlobal, [&](const std::smatch& found) {
    return fmt::format("{}={:#x}", found.str(), chip.global_base + number(found[1]));
  });
}

std::string place_of(const TensorView& view) {
  return fmt::format("{}+{:#x}", prefix(view.space), view.address);
}

std::vector<uint8_t> bytes_from(const Debugger& debugger, const ByteRange& range, int64_t offset,
                                uint64_t count, uint64_t& address) {
  const Memory& memory = debugger.memory();
  const uint64_t size = size_of(debugger, range.space);
  address = insight::recording::address_of(memory, range) + static_cast<uint64_t>(offset);
  if (address >= size) return {};
  std::vector<uint8_t> bytes(std::min(count, size - address));
  for (uint64_t i = 0; i < bytes.size(); ++i)
    bytes[i] = *insight::recording::data_of(memory, range.space, address + i);
  return bytes;
}

std::string headline(Debugger& debugger, const Entry& entry) {
  const std::string& launch = debugger.launch_name(entry.launch);
  if (!entry.is_command()) return "the host";
  std::string text = fmt::format("#{}", entry.number);
  const std::string& call = debugger.code(entry).call;
  if (!call.empty()) text += fmt::format(" {},", call);
  text += fmt::format(" command {}", entry.in_launch);
  if (!launch.empty()) text += fmt::format(" of {}", launch);
  const std::string_view layer = debugger.layer_name(entry.layer);
  if (!layer.empty()) text += fmt::format(", layer {}", layer);
  return text + fmt::format(" ({})", to_string(entry.instruction->engine));
}

std::string lines_of(const UserCode& code) {
  std::string text;
  for (const insight::SourceLine& line : code.lines)
    text += fmt::format("  at {}\n", insight::describe(line));
  return text;
}

std::string lines_of(Debugger& debugger, const Entry& entry) {
  return lines_of(debugger.code(entry));
}

}  // namespace tputwin::debug
