// Converts commands to lines of JSON and back.
#include "insight/timing/command_recording.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/checked_json.h"
#include "base/errors/tools.h"
#include "insight/timing/commands.h"
#include "insight/timing/recorded_names.h"

namespace tputwin::insight {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::array<std::string_view, 3> kEngines{"bdc", "cpu", "gdma"};  // by enum Engine

// Keeps a name until the process ends, as names of calls are kept.
std::string_view keep(const std::string& name) {
  static std::mutex mutex;
  static auto& names = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return *names.insert(name).first;
}

// The source lines of commands. Commands of a loop share a stack, which is described once.
class Lines {
 public:
  const std::string& of(const TimelineCommand& command) {
    const auto [known, is_new] = texts_.try_emplace({command.stack, command.call});
    if (is_new) known->second = describe_line(command);
    return known->second;
  }

 private:
  static std::string describe_line(const TimelineCommand& command) {
    const UserCode code = Stacks::of_process().user_code(command.stack, command.call);
    return code.lines.empty() ? std::string() : describe(code.lines.front());
  }
  std::map<std::pair<StackId, std::string_view>, std::string> texts_;
};

std::string line_of(const TimelineCommand& command, Lines& lines) {
  return command.stack == 0 ? std::string(command.source) : lines.of(command);
}

Json work_json(const Work& w) {
  return {std::string(to_string(w.kind)),
          w.cycles,
          w.latency,
          w.conflicts,
          w.runs,
          w.split_beats,
          w.lanes_filled,
          w.units_filled,
          w.units};
}

// Reads what work_json() wrote. Recordings of earlier versions have a number as the kind, and other
// members: nullopt.
std::optional<Work> work_from(const CheckedJson& j) {
  for (auto kind = Work::Kind::sums; kind <= Work::Kind::on_chip;
       kind = static_cast<Work::Kind>(static_cast<int>(kind) + 1))
    if (j.at(0).is_string() && j.at(0).get<std::string>() == to_string(kind))
      return Work{.kind = kind,
                  .cycles = j.at(1),
                  .latency = j.at(2),
                  .conflicts = j.at(3),
                  .runs = j.at(4),
                  .split_beats = j.at(5),
                  .lanes_filled = j.at(6),
                  .units_filled = j.at(7),
                  .units = j.at(8)};
  return {};
}

// Returns a command as JSON. If `lines` is nullptr, source lines are omitted.
Json command_json(const TimelineCommand& c, Lines* lines) {
  Json line = {{"call", std::string(c.call)},
               {"operation", std::string(c.operation)},
               {"engine", kEngines[static_cast<size_t>(c.engine)]},
               {"id", c.id},
               {"wait", c.wait},
               {"compute", c.cost.compute_cycles},
               {"conflict", c.cost.conflict_cycles},
               {"macs", c.cost.macs},
               {"global_bytes", c.cost.global_bytes},
               {"issued", c.is_issued},
               {"behind_poll", c.follows_poll},
               {"work", work_json(c.work)}};
  if (!c.layer.empty()) line["layer"] = c.layer;
  if (lines != nullptr)
    if (std::string at = line_of(c, *lines); !at.empty()) line["source"] = std::move(at);
  return line;
}

// Parses "f32(1,3,60,75)@L+0x10000 stride(0,768,52,4) pack 2", with strides in bytes.
bool parse_view(const std::string& text, TensorView& view) {
  char type[8] = {}, space[8] = {};
  unsigned long long address = 0;
  unsigned pack = 1;
  Shape& s = view.shape;
  Stride& t = view.stride;
  const int read = std::sscanf(
      text.c_str(), "%7[a-z0-9](%u,%u,%u,%u)@%7[A-Z0-9]+0x%llx stride(%u,%u,%u,%u) pack %u", type,
      &s.n, &s.c, &s.h, &s.w, space, &address, &t.n, &t.c, &t.h, &t.w, &pack);
  if (read < 11) return false;
  view.address = address;
  view.pack = static_cast<uint8_t>(pack);
  const std::string_view of(space);
  view.space = of == "L"    ? Space::local
               : of == "G"  ? Space::global
               : of == "L2" ? Space::l2
                            : Space::dtcm;
  for (auto dtype = DType::u8; dtype <= DType::i32;
       dtype = static_cast<DType>(static_cast<int>(dtype) + 1))
    if (std::string_view(type) == to_string(dtype)) {
      view.dtype = dtype;
      return true;
    }
  return false;
}

class Reader {
 public:
  explicit Reader(const Chip& chip) : timeline_(timeline_of(chip)) {}

  Status read(std::string_view text) {
    for (size_t number = 1; !text.empty(); ++number) {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.empty()) continue;
      if (!read_line(line))
        return Error(errors::cli_timing)
            .argument("line", std::to_string(number))
            .detail(std::string(line.substr(0, 80)));
    }
    return {};
  }
  Timeline take() { return std::move(timeline_); }

 private:
  bool read_line(std::string_view text) {
    const CheckedJson line = CheckedJson::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!line.is_object()) return false;
    try {
      if (line.contains("launch")) {
        begin_launch(timeline_, line.at("launch").get<std::string>(),
                     line.value("number", uint64_t{0}));
        return true;
      }
      return read_command(line);
    } catch (const nlohmann::json::exception&) {
      return false;
    }
  }

  bool read_command(const CheckedJson& line) {
    if (timeline_.launches.empty()) begin_launch(timeline_, {});
    const auto engine = std::ranges::find(kEngines, line.at("engine").get<std::string>());
    if (engine == kEngines.end()) return false;
    TimelineCommand c;
    c.engine = static_cast<Engine>(engine - kEngines.begin());
    c.call = keep(line.at("call"));
    c.operation = keep(line.value("operation", std::string(c.call)));
    c.id = line.at("id");
    c.wait = line.at("wait");
    c.cost = {.compute_cycles = line.at("compute"),
              .conflict_cycles = line.at("conflict"),
              .setup_cycles = 0,
              .macs = line.at("macs"),
              .local_bytes = 0,
              .global_bytes = line.at("global_bytes")};
    c.is_issued = line.value("issued", true);
    c.follows_poll = line.value("behind_poll", false);
    c.layer = line.value("layer", std::string());
    c.source = keep(line.value("source", std::string()));
    if (line.contains("work")) {
      const std::optional<Work> work = work_from(line["work"]);
      if (!work) return false;
      c.work = *work;
    } else if (!read_operands(line.at("operands"), c)) {
      return false;
    }
    add_command(timeline_, std::move(c));
    return true;
  }

  bool read_operands(const CheckedJson& list, TimelineCommand& c) {
    std::array<TensorView, 10> views;
    if (list.size() > views.size()) return false;
    OperandList operands;
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string access = list[i].at(1);
      if (!parse_view(list[i].at(2), views[i])) return false;
      operands.push_back({.name = "",
                          .view = &views[i],
                          .access = access == "r"   ? Access::read
                                    : access == "w" ? Access::write
                                                    : Access::read_write});
    }
    c.work = work_of(arithmetic_named(c.operation), c.engine, operands, c.cost, timeline_.chip);
    return true;
  }

  Timeline timeline_;
};

}  // namespace

std::string command_recording_of(const Timeline& timeline, bool with_lines) {
  std::string text;
  Lines lines;
  for (const TimelineLaunch& launch : timeline.launches) {
    text += Json{{"launch", launch.name},
                 {"number", launch.number},
                 {"chip", std::string(timeline.chip.name)}}
                .dump() +
            "\n";
    for (uint32_t i = launch.first; i < launch.first + launch.count; ++i)
      text += command_json(timeline.commands[i], with_lines ? &lines : nullptr).dump() + "\n";
  }
  return text;
}

std::string chip_of_command_recording(std::string_view text) {
  const Json line = Json::parse(text.substr(0, text.find('\n')), nullptr,
                                /*allow_exceptions=*/false);
  const bool has_chip = line.is_object() && line.contains("chip") && line["chip"].is_string();
  return has_chip ? line["chip"].get<std::string>() : std::string();
}

Result<Timeline> read_command_recording(std::string_view text, const Chip& chip) {
  Reader reader(chip);
  TW_RETURN_IF_ERROR(reader.read(text));
  return reader.take();
}

}  // namespace tputwin::insight
