// Recordings, repeated on devices of this process.
#include "tools/record/play.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/errors/tools.h"
#include "base/parallel.h"
#include "insight/recording/compare_runs.h"
#include "insight/watch.h"
#include "ops/fast/fast.h"
#include "tools/environment.h"
#include "tools/program.h"
#include "tools/record/record.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;
namespace rec = insight::recording;

constexpr std::array<std::pair<std::string_view, Schedule>, 4> kSchedules{
    {{"program", Schedule::program},
     {"compute_first", Schedule::compute_first},
     {"dma_first", Schedule::dma_first},
     {"shuffled", Schedule::shuffled}}};

Result<rec::PlayOptions> options_of(const PlaySettings& settings) {
  rec::PlayOptions options{
      .kernel_choice = settings.reference ? KernelChoice::reference : KernelChoice::automatic,
      .seed = settings.seed};
  if (!settings.isa.empty()) {
    const std::string before(fast::selected_isa());
    if (!fast::select_isa(settings.isa))
      return Error(errors::cli_usage).argument("--isa", settings.isa);
    fast::select_isa(before);
  }
  for (const auto& [name, schedule] : kSchedules) {
    if (name != settings.schedule) continue;
    options.schedule = schedule;
    return options;
  }
  return Error(errors::cli_usage).argument("--schedule", settings.schedule);
}

std::string summary(const rec::Recording& recording, const rec::Replayed& done) {
  std::string text =
      fmt::format("replayed {} commands of {} launches on a {} with {}\n", done.commands,
                  done.launches, recording.header.chip, fast::selected_isa());
  if (done.first_difference)
    text += fmt::format("other bytes than recorded, first by {}\n",
                        rec::describe_command(recording, *done.first_difference));
  return text + (done.equals ? "memory at the end equals the recording\n"
                             : "memory at the end differs from the recording\n");
}

nlohmann::ordered_json summary_json(const rec::Recording& recording, const rec::Replayed& done) {
  nlohmann::ordered_json json{{"commands", done.commands},
                              {"launches", done.launches},
                              {"chip", recording.header.chip},
                              {"isa", fast::selected_isa()},
                              {"equal", done.equals && !done.first_difference}};
  if (done.first_difference)
    json["first_difference"] = rec::describe_command(recording, *done.first_difference);
  return json;
}

// Returns the recording of a path.
Result<rec::Recording> recording_of(const DiffSide& side,
                                    const std::vector<std::string>& run_options) {
  if (!side.path.ends_with(".bmodel")) return rec::open(side.path);
  std::vector<std::string> words{side.path};
  words.insert(words.end(), run_options.begin(), run_options.end());
  const std::string path =
      (fs::temp_directory_path() / fmt::format("tputwin-diff-{}.tprec", getpid())).string();
  const Variable quirks("TPUTWIN_QUIRKS", side.settings.quirks);
  TW_ASSIGN_OR_RETURN(program, program_of(words));
  auto recorded = record_program(path, program);
  auto recording = recorded.ok() ? rec::open(path) : Result<rec::Recording>(recorded.error());
  std::error_code ignored;
  fs::remove(path, ignored);
  return recording;
}

}  // namespace

Result<PlayResult> replay_file(const std::string& path, const PlaySettings& settings) {
  TW_ASSIGN_OR_RETURN(options, options_of(settings));
  TW_ASSIGN_OR_RETURN(recording, rec::open(path));
  if (!settings.isa.empty()) fast::select_isa(settings.isa);
  set_thread_count(static_cast<int>(settings.threads));
  TW_ASSIGN_OR_RETURN(device, rec::make_device(recording, options));
  const insight::Watchers watchers = insight::watch(*device);
  TW_ASSIGN_OR_RETURN(done, rec::replay(recording, *device, options.schedule));
  return PlayResult{summary(recording, done), done.equals && !done.first_difference,
                    summary_json(recording, done)};
}

Result<PlayResult> diff_files(const DiffSide& a, const DiffSide& b,
                              const std::vector<std::string>& run_options) {
  TW_ASSIGN_OR_RETURN(options_a, options_of(a.settings));
  TW_ASSIGN_OR_RETURN(options_b, options_of(b.settings));
  TW_ASSIGN_OR_RETURN(of_a, recording_of(a, run_options));
  TW_ASSIGN_OR_RETURN(of_b, recording_of(b, run_options));
  TW_ASSIGN_OR_RETURN(
      found,
      rec::compare({&of_a, options_a, a.settings.isa, static_cast<int>(a.settings.threads)},
                   {&of_b, options_b, b.settings.isa, static_cast<int>(b.settings.threads)}));
  if (!found.difference)
    return PlayResult{fmt::format("the results of all {} commands are equal\n", found.commands),
                      true,
                      {{"commands", found.commands}, {"equal", true}}};
  return PlayResult{
      fmt::format("equal up to command {}, then\n{}\n", found.commands, *found.difference),
      false,
      {{"commands", found.commands}, {"equal", false}, {"difference", *found.difference}}};
}

}  // namespace tputwin::tools
