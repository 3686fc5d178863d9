// tputwin run: chooses the variety, runs it, and reports outputs, work and time.
#include "tools/run.h"

#include "base/errors/tools.h"
#include "tools/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>

#include "base/heap.h"
#include "base/last_error.h"
#include "base/parallel.h"
#include "insight/scaling/scaling.h"
#include "insight/timing/commands.h"
#include "isa/bm1880_codec.h"
#include "tools/info.h"
#include "tools/model_chip.h"
#include "tools/progress.h"
#include "tools/recorded_steps.h"
#include "tools/run_times.h"

namespace tputwin::tools {
namespace {

// Work beyond this takes long enough for a progress bar.
constexpr uint64_t kLongWork = uint64_t{1} << 28;
constexpr size_t kShownValues = 12;

ShapeList input_shapes(const bmodel::Variety& variety) {
  ShapeList shapes;
  for (const bmodel::Input& input : variety.inputs) shapes.push_back(input.shape);
  return shapes;
}

std::string describe(const ShapeList& shapes) {
  std::string text;
  for (const auto& shape : shapes)
    text += fmt::format("{}{}", text.empty() ? "" : " ", bmodel::to_string(shape));
  return text;
}

Status check_input(const bmodel::Variety& variety, std::span<const uint8_t> input) {
  if (input.size() == variety.input_bytes()) return {};
  return Error(errors::cli_input_size)
      .argument("input", fmt::format("{} bytes", input.size()))
      .detail(fmt::format("{} has {}", describe(input_shapes(variety)), variety.input_bytes()));
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One device, its output and the times of its runs.
struct Runner {
  Session session;
  std::vector<uint8_t> output;
  std::vector<double> seconds;
  Status status;

  void run(std::span<const uint8_t> input, unsigned repeat) {
    for (unsigned i = 0; i < repeat && status.ok(); ++i) {
      const auto start = Clock::now();
      status = session.infer(input, output);
      seconds.push_back(seconds_since(start));
    }
  }
};

Result<std::vector<std::unique_ptr<Runner>>> open_runners(std::span<const uint8_t> file,
                                                          const bmodel::Variety& variety,
                                                          const RunOptions& options) {
  std::vector<std::unique_ptr<Runner>> runners;
  for (unsigned i = 0; i < options.devices; ++i) {
    Runner& runner = *runners.emplace_back(std::make_unique<Runner>());
    runner.output.resize(variety.output_bytes());
    TW_RETURN_IF_ERROR(runner.session.open(file));
    TW_RETURN_IF_ERROR(runner.session.select(input_shapes(variety)));
    if (Device* device = runner.session.device(); device && options.reference)
      device->set_kernel_choice(KernelChoice::reference);
  }
  return runners;
}

Status run_repeatedly(std::span<const std::unique_ptr<Runner>> runners,
                      std::span<const uint8_t> input, unsigned repeat, RunReport& report) {
  const auto start = Clock::now();
  {
    std::vector<std::jthread> others;
    for (const auto& runner : runners.subspan(1))
      others.emplace_back([&runner, input, repeat] { runner->run(input, repeat); });
    runners.front()->run(input, repeat);
  }
  report.wall_seconds = seconds_since(start);
  report.own_memory = own_memory();
  report.output = runners.front()->output;
  for (const auto& runner : runners) {
    TW_RETURN_IF_ERROR(std::move(runner->status));
    report.seconds.insert(report.seconds.end(), runner->seconds.begin(), runner->seconds.end());
  }
  std::ranges::sort(report.seconds);
  return {};
}

// Returns the images in a run: the first extent of the first input.
uint32_t batch_of(const bmodel::Variety& variety) {
  return variety.inputs.empty() || variety.inputs.front().shape.empty()
             ? 1
             : variety.inputs.front().shape.front();
}

std::string values_text(std::span<const uint8_t> bytes, uint32_t fmt) {
  std::vector<std::string> values;
  size_t size = fmt == 0 ? 4 : 1;  // CPU operators have fp32, others bytes
  for (size_t i = 0; i + size <= bytes.size() && values.size() < kShownValues; i += size) {
    float number = static_cast<int8_t>(bytes[i]);
    if (fmt == 0) std::copy_n(&bytes[i], 4, reinterpret_cast<uint8_t*>(&number));
    values.push_back(fmt::format("{}", number));
  }
  bool more = values.size() * size < bytes.size();
  return fmt::format("{}{}", fmt::join(values, " "), more ? " ..." : "");
}

}  // namespace

Status refuse_options(std::initializer_list<GivenOption> options, std::string_view chip) {
  for (const GivenOption& option : options)
    if (option.given)
      return Error(errors::cli_option_of_chip)
          .argument(option.name, "given")
          .detail(fmt::format("the model is one of the {}", chip));
  return {};
}

void keep_description(bmodel::Model& model) {
  model.weights = {};
  for (bmodel::Variety& variety : model.varieties) variety.cmdbuf = {};
  for (bmodel::Library& library : model.libraries) library.x86_64 = {}, library.armv8 = {};
}

Result<size_t> find_variety(const bmodel::Model& model, const ShapeList& shapes) {
  if (shapes.empty() && model.varieties.size() == 1) return size_t{0};
  auto found = std::ranges::find(model.varieties, shapes, input_shapes);
  if (found != model.varieties.end()) return size_t(found - model.varieties.begin());
  std::string choices;
  for (const bmodel::Variety& variety : model.varieties)
    choices += fmt::format("{}{}", choices.empty() ? "" : " or ", describe(input_shapes(variety)));
  return Error(errors::cli_shape)
      .argument("--shape", shapes.empty() ? "not given" : describe(shapes))
      .detail(fmt::format("the model has {}", choices));
}

namespace {

void add_cost(std::span<const Instruction> program, const Chip& chip, RunReport& report) {
  report.cost = program_cost(program, chip);
  report.predicted_cycles = insight::predicted_cycles(program, chip);
}

}  // namespace

Result<RunReport> run_model(std::span<const uint8_t> file, std::span<const uint8_t> input,
                            const RunOptions& options) {
  auto model = bmodel::read(file);
  if (!model.ok()) return model.error();
  auto index = find_variety(*model, options.shapes);
  if (!index.ok()) return index.error();
  const bmodel::Variety& variety = model->varieties[*index];
  TW_RETURN_IF_ERROR(check_input(variety, input));
  TW_ASSIGN_OR_RETURN(chip, chip_of(*model));
  RunReport report{.variety = *index,
                   .output = std::vector<uint8_t>(variety.output_bytes()),
                   .model_bytes = file.size()};
  TW_ASSIGN_OR_RETURN(program, isa::decode_program(variety.cmdbuf, *chip));
  add_cost(program, *chip, report);
  keep_description(*model);
  if (!options.plugin_directory.empty()) prepend_plugin_path(options.plugin_directory);
  thread_diagnostics().clear();
  if (options.threads != 0) set_thread_count(static_cast<int>(options.threads));
  TW_ASSIGN_OR_RETURN(runners, open_runners(file, variety, options));
  Device* device = options.devices == 1 ? runners.front()->session.device() : nullptr;

  std::optional<ProgressBar> bar;
  const Cost& work = report.cost.cost;
  if (device && options.progress && !options.latency &&
      (work.macs + work.global_bytes) * options.repeat > kLongWork) {
    bar.emplace(report.cost.instructions * options.repeat);
    device->observers().add(&*bar);
  }
  Status status = run_repeatedly(runners, input, options.repeat, report);
  if (bar) device->observers().remove(&*bar);
  if (status.ok() && options.account != 0) {
    Runner& runner = *runners.front();
    LayerFinder layers(program, variety.layers);
    TW_ASSIGN_OR_RETURN(steps,
                        recorded_steps({options.account, options.threads}, std::ref(layers),
                                       [&] { return runner.session.infer(input, runner.output); }));
    report.steps = std::move(steps);
    report.account = options.account;
  }
  TW_RETURN_IF_ERROR(std::move(status));
  report.warnings = thread_diagnostics().warnings();
  return report;
}

std::string report_text(const bmodel::Model& model, const RunReport& report,
                        const RunOptions& options) {
  const bmodel::Variety& variety = model.varieties[report.variety];
  std::string text = fmt::format("model   {} (container {}, chip {})\n", model.name,
                                 to_string(model.container), model.chip);
  for (const bmodel::Input& input : variety.inputs)
    text += fmt::format("input   {} {}\n", bmodel::to_string(input.shape), format_name(input.fmt));
  std::span<const uint8_t> bytes(report.output);
  for (const bmodel::Output& output : variety.outputs) {
    text +=
        fmt::format("output  {} {} {}: {}\n", output.name, bmodel::to_string(output.shape),
                    format_name(output.fmt), values_text(bytes.first(output.bytes()), output.fmt));
    bytes = bytes.subspan(output.bytes());
  }
  text +=
      fmt::format("ran     {} instructions, {} macs, {} bytes to and from global memory{}\n",
                  report.cost.instructions, report.cost.cost.macs, report.cost.cost.global_bytes,
                  options.reference ? ", reference kernels" : "");
  const auto& times = report.seconds;
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  text += fmt::format("time    {}", seconds_text(times.front()));
  if (times.size() > 1)
    text += fmt::format(" at best, {} on average of {} runs", seconds_text(sum / times.size()),
                        times.size());
  text += "\n";
  if (options.latency)
    text += latency_text(times, batch_of(variety), report.wall_seconds, options.devices) +
            memory_text(report.own_memory, report.model_bytes);
  if (options.account != 0) text += insight::scaling_text(report.steps, options.account);
  for (const WarningCount& warning : report.warnings)
    text += fmt::format("warning {} x {}\n", warning.count, warning.sample.message());
  return text;
}

}  // namespace tputwin::tools
