// Runs programs that record themselves (insight/timing/timing_process.h), and decodes models.
#include "tools/timing/timing.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/errors/tools.h"
#include "base/file.h"
#include "bmodel/open.h"
#include "chip/family.h"
#include "insight/timing/command_recording.h"
#include "insight/timing/commands.h"
#include "insight/timing/simulate.h"
#include "insight/timing/time_breakdown.h"
#include "isa/bm1880_codec.h"
#include "tools/bm168x/stage_programs.h"
#include "tools/compile.h"
#include "tools/environment.h"
#include "tools/model_chip.h"
#include "tools/program.h"
#include "tools/run.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;
using insight::Timeline;

}  // namespace

std::string take_recording(const fs::path& path) {
  std::error_code ignored;
  std::string text;
  for (const auto& entry : fs::directory_iterator(path.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string(), wanted = path.filename().string();
    if (name != wanted && !name.starts_with(wanted + ".part-")) continue;
    if (auto bytes = read_bytes(entry.path().string()); bytes.ok() && bytes->size() > text.size())
      text.assign(bytes->begin(), bytes->end());
    fs::remove(entry.path(), ignored);
  }
  text.resize(text.rfind('\n') + 1);
  return text;
}

namespace {

Result<Timeline> of_program(const std::vector<std::string>& words, ProgramEnd& end) {
  TW_ASSIGN_OR_RETURN(program, program_of(words));
  const fs::path path =
      fs::temp_directory_path() / fmt::format("tputwin-timing-{}.jsonl", getpid());
  const Variable to("TPUTWIN_TIMING", path.string());
  auto ended = run_to_end(program, errors::cli_check);
  const std::string text = take_recording(path);
  TW_RETURN_IF_ERROR(ended);
  end = *ended;
  const auto failed = [&](std::string why) {
    return Error(errors::cli_check).argument("PROGRAM", words.front()).detail(std::move(why));
  };
  const Chip* chip = find_chip(insight::chip_of_command_recording(text));
  if (chip == nullptr)
    return failed(end.code != 0 ? describe(end) : "it opened no device, or launched nothing");
  if (end.code != 0)
    fmt::print(stderr, "tputwin: {} ended with {}: its commands up to there\n", words.front(),
               describe(end));
  return insight::read_command_recording(text, *chip);
}

Result<Timeline> of_bm1880(const bmodel::Model& model) {
  TW_ASSIGN_OR_RETURN(chip, chip_of(model));
  Timeline timeline = insight::timeline_of(*chip);
  for (size_t i = 0; i < model.varieties.size(); ++i) {
    TW_ASSIGN_OR_RETURN(program, isa::decode_program(model.varieties[i].cmdbuf, *chip));
    insight::add_program(timeline, fmt::format("{} variety {}", model.name, i), program,
                         model.varieties[i].layers.by_command());
  }
  return timeline;
}

Result<Timeline> of_bmodel(const std::vector<std::string>& words) {
  static constexpr std::string_view kOptions[] = {"--net", "--stage"};
  const std::string& path = words.front();
  TW_RETURN_IF_ERROR(check_words(words, kOptions, "--net NAME and --stage N"));
  TW_ASSIGN_OR_RETURN(file, bmodel::open_file(path));
  if (const auto* model = file.bm1880()) {
    TW_RETURN_IF_ERROR(refuse_options({{"--net", value_of(words, "--net").has_value()},
                                       {"--stage", value_of(words, "--stage").has_value()}},
                                      "BM1880"));
    return of_bm1880(*model);
  }
  TW_ASSIGN_OR_RETURN(programs, programs_of(*file.bm168x(), {value_of(words, "--net"),
                                                             value_of(words, "--stage")}));
  for (const Error& why : programs.not_priced)
    fmt::print(stderr, "tputwin: not priced: {}\n", why.message());
  Timeline timeline = insight::timeline_of(*programs.stages.front().chip);
  for (const StageProgram& stage : programs.stages)
    insight::add_program(timeline, stage.name, stage.commands, stage.layers);
  return timeline;
}

Result<Timeline> of_caffe(const std::vector<std::string>& words) {
  constexpr size_t kFiles = 3;
  for (size_t i = 1; i < words.size(); ++i)
    if (i == kFiles || words[i].starts_with('-'))
      return Error(errors::cli_usage)
          .in(words[0])
          .argument(words[i], "not known")
          .detail(
              "after a .caffemodel may stand its table and its prototxt; options of the "
              "command stand before it, and --help lists them");
  CompileRequest request;
  request.caffemodel = words[0];
  if (words.size() > 1) request.table = words[1];
  if (words.size() > 2) request.prototxt = words[2];
  TW_ASSIGN_OR_RETURN(result, compile_caffe(request));
  const Chip& chip = first_of(ChipFamily::bm1880);
  TW_ASSIGN_OR_RETURN(program, isa::decode_program(result.compiled.cmdbuf, chip));
  Timeline timeline = insight::timeline_of(chip);
  insight::add_program(timeline, fs::path(words[0]).stem().string(), program,
                       result.compiled.layers.by_command());
  return timeline;
}

bool is_bmodel(const std::vector<std::string>& words) { return words[0].ends_with(".bmodel"); }

}  // namespace

bool is_model(const std::vector<std::string>& words) {
  return is_bmodel(words) || words[0].ends_with(".caffemodel");
}

Result<Timeline> timeline_of_words(const std::vector<std::string>& words, ProgramEnd* end) {
  ProgramEnd own;
  auto timeline = is_bmodel(words)  ? of_bmodel(words)
                  : is_model(words) ? of_caffe(words)
                                    : of_program(words, end != nullptr ? *end : own);
  if (timeline.ok()) insight::simulate(*timeline);
  return timeline;
}

std::string timing_text(const Timeline& timeline) {
  return insight::breakdown_text(timeline, insight::break_down(timeline));
}

std::string timing_json(const Timeline& timeline) {
  return insight::breakdown_json(timeline, insight::break_down(timeline));
}

}  // namespace tputwin::tools
