// Writes trace events, one per line.
#include "insight/profile/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

namespace tputwin::insight {
namespace {

constexpr int kProcess = 1, kLaunchTrack = 1, kFirstEngineTrack = 2;

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', /*ensure_ascii=*/true,
                                   nlohmann::json::error_handler_t::replace);
}

int track_of(Engine engine) { return kFirstEngineTrack + static_cast<int>(engine); }

class Writer {
 public:
  explicit Writer(const ProfiledRun& run) : run_(run), timeline_(run.timeline) {}

  std::string write() {
    text_ = R"({"displayTimeUnit":"ns","traceEvents":[)";
    name_tracks();
    for (const TimelineLaunch& launch : timeline_.launches)
      slice(kLaunchTrack, launch.name.empty() ? "commands" : launch.name, "launch", launch.begin,
            launch.end, fmt::format(R"("launch":{})", launch.number));
    // Slices that begin at the same time must be in the order of their nesting.
    for (const CommandRun& group : layer_groups(timeline_)) around(group, "layer");
    for (const CommandRun& group : call_groups(timeline_)) around(group, "call");
    for (const TimelineCommand& command : timeline_.commands) add(command);
    add_arrows();
    add_rates();
    add_local_memory();
    text_ += "\n]}\n";
    return std::move(text_);
  }

 private:
  double microseconds(uint64_t cycles) const { return timeline_.seconds(cycles) * 1e6; }

  void event(std::string_view fields) {
    text_ += is_first_ ? "\n{" : ",\n{";
    is_first_ = false;
    fmt::format_to(std::back_inserter(text_), R"("pid":{},{}}})", kProcess, fields);
  }
  void metadata(int track, std::string_view what, std::string_view arguments) {
    event(fmt::format(R"("ph":"M","cat":"__metadata","ts":0,"tid":{},"name":"{}","args":{{{}}})",
                      track, what, arguments));
  }
  void name_track(int track, std::string_view name) {
    metadata(track, "thread_name", fmt::format(R"("name":{})", json_text(name)));
    metadata(track, "thread_sort_index", fmt::format(R"("sort_index":{})", track));
  }
  void name_tracks() {
    const std::string name = fmt::format("{} on {}, predicted", run_.title, timeline_.chip.name);
    metadata(0, "process_name", fmt::format(R"("name":{})", json_text(name)));
    name_track(kLaunchTrack, "launches");
    for (const EngineUse& use : engine_use(timeline_))
      name_track(track_of(use.engine), to_string(use.engine));
  }
  void slice(int track, std::string_view name, std::string_view category, uint64_t begin,
             uint64_t end, std::string_view arguments) {
    event(fmt::format(
        R"("ph":"X","tid":{},"name":{},"cat":"{}","ts":{:.4f},"dur":{:.4f},"args":{{{}}})", track,
        json_text(name), category, microseconds(begin), microseconds(end - begin), arguments));
  }
  void around(const CommandRun& group, std::string_view category) {
    slice(track_of(group.engine), group.name, category, timeline_.commands[group.first].start,
          timeline_.commands[group.last].end, {});
  }
  void add(const TimelineCommand& command) {
    std::string arguments = fmt::format(R"("number":{})", command.number);
    const auto text = [&](std::string_view key, std::string_view value) {
      if (!value.empty()) arguments += fmt::format(R"(,"{}":{})", key, json_text(value));
    };
    text("call", command.call);
    text("line", run_.line(command));
    text("layer", command.layer);
    text("kernel", run_.kernel(command));
    text("waited for", to_string(command.delay));
    if (command.macs() != 0) arguments += fmt::format(R"(,"products":{})", command.macs());
    if (command.bytes_moved() != 0)
      arguments += fmt::format(R"(,"bytes":{})", command.bytes_moved());
    slice(track_of(command.engine), command.operation, "command", command.start, command.end,
          arguments);
  }
  // Adds arrows from a blocking command to the waiting command of the other engine.
  void add_arrows() {
    for (size_t i = 0; i < timeline_.commands.size(); ++i) {
      const TimelineCommand& command = timeline_.commands[i];
      if (command.delay != Delay::command || command.blocker == kNoCommand) continue;
      const TimelineCommand& from = timeline_.commands[command.blocker];
      event(fmt::format(
          R"("ph":"s","id":{},"tid":{},"name":"wait","cat":"wait","ts":{:.4f},"args":{{}})", i,
          track_of(from.engine), microseconds(from.start)));
      event(fmt::format(
          R"("ph":"f","bp":"e","id":{},"tid":{},"name":"wait","cat":"wait","ts":{:.4f},"args":{{}})",
          i, track_of(command.engine), microseconds(command.start)));
    }
  }
  void counter(std::string_view name, uint64_t at, double value) {
    event(fmt::format(
        R"("ph":"C","cat":"counter","tid":0,"name":"{}","ts":{:.4f},"args":{{"value":{:.6g}}})",
        name, microseconds(at), value));
  }
  // Adds counters. Concurrent changes are summed, and a level lasts until the next change.
  void counters(std::string_view name, const std::map<uint64_t, double>& changes) {
    double level = 0;
    for (const auto& [at, change] : changes) {
      level += change;
      counter(name, at, std::abs(level) < 1e-6 ? 0 : level);
    }
  }
  void add_rates() {
    std::map<uint64_t, double> bandwidth, products;
    for (const TimelineCommand& command : timeline_.commands) {
      const double seconds = timeline_.seconds(command.end - command.start);
      if (seconds == 0) continue;
      const auto add = [&](std::map<uint64_t, double>& to, double amount) {
        if (amount == 0) return;
        to[command.start] += amount / seconds * 1e-9;
        to[command.end] -= amount / seconds * 1e-9;
      };
      add(bandwidth, static_cast<double>(command.bytes_moved()));
      add(products, static_cast<double>(command.macs()));
    }
    counters("global memory GB/s", bandwidth);
    counters("products G/s", products);
  }
  void add_local_memory() {
    std::map<uint64_t, double> bytes;
    for (const Hold& hold : holds(timeline_)) {
      bytes[hold.begin] += static_cast<double>(hold.bytes);
      bytes[hold.end] -= static_cast<double>(hold.bytes);
    }
    counters("local memory, bytes of a lane", bytes);
  }

  const ProfiledRun& run_;
  const Timeline& timeline_;
  std::string text_;
  bool is_first_ = true;
};

}  // namespace

std::string to_trace(const ProfiledRun& run) { return Writer(run).write(); }

}  // namespace tputwin::insight
