// tputwin run of BM1684 and BM1684X models: choice of net and stage, inputs, runs, report.
#include "tools/bm168x/run168x.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <utility>

#include "base/errors/bmrt.h"
#include "base/errors/isa.h"
#include "base/errors/tools.h"
#include "base/errors/tpukernel.h"
#include "base/file.h"
#include "base/heap.h"
#include "base/last_error.h"
#include "insight/layer_scope.h"
#include "insight/scaling/scaling.h"
#include "insight/timing/commands.h"
#include "tools/bm168x/input_files.h"
#include "tools/bm168x/made_up.h"
#include "tools/bm168x/session168x.h"
#include "tools/bm168x/stage_programs.h"
#include "tools/bm168x/tensor_values.h"
#include "tools/recorded_steps.h"
#include "tools/reports/json.h"
#include "tools/run.h"
#include "tools/run_times.h"

namespace tputwin::tools {

using namespace bmodel::bm168x;

namespace {

using Buffers = Session168x::Buffers;
using Tensors = std::vector<std::unique_ptr<TensorT>>;

bool has_shapes(const NetParameterT& stage, const ShapeList& shapes) {
  return std::equal(shapes.begin(), shapes.end(), stage.input_tensor.begin(),
                    stage.input_tensor.end(), [](const auto& wanted, const auto& tensor) {
                      return std::ranges::equal(wanted, shape(*tensor));
                    });
}

Result<const NetT*> choose_net(const File& file, const std::string& name) {
  const auto& nets = file.model.net;
  if (name.empty() && nets.size() == 1) return static_cast<const NetT*>(nets.front().get());
  for (const auto& net : nets)
    if (net->name == name) return static_cast<const NetT*>(net.get());
  return no_such_net(file, name);
}

// Returns the first stage whose inputs are those of the files, by their shapes if possible.
std::optional<size_t> stage_of_inputs(const NetT& net, const InputFiles& inputs) {
  for (const InputFiles::Fit wanted : {InputFiles::Fit::shape, InputFiles::Fit::size})
    for (size_t i = 0; i < net.parameter.size(); ++i)
      if (inputs.fit(*net.parameter[i]) >= wanted) return i;
  return {};
}

// Returns the first stage that has commands, or the first.
size_t default_stage(const NetT& net) {
  const auto found =
      std::ranges::find_if(net.parameter, [](const auto& s) { return !is_dynamic(*s); });
  return found == net.parameter.end() ? 0 : static_cast<size_t>(found - net.parameter.begin());
}

std::vector<uint8_t> joined(const Buffers& buffers) {
  std::vector<uint8_t> all;
  for (const auto& bytes : buffers) all.insert(all.end(), bytes.begin(), bytes.end());
  return all;
}

Status write_output(const Run168xOptions& options, const Tensors& tensors, const Buffers& outputs) {
  if (is_array_file(options.output)) {
    NamedArrays arrays;
    for (size_t i = 0; i < tensors.size(); ++i)
      arrays.emplace_back(tensors[i]->name, array_of(outputs[i], *tensors[i], options.dequantize));
    return write_array_file(options.output, arrays);
  }
  return write_bytes(options.output, joined(outputs));
}

// Returns the outputs with the shapes of a run, cut to the bytes of these shapes.
Tensors tensors_of_run(const Tensors& compiled, const std::vector<bm_shape_t>& shapes,
                       Buffers& outputs) {
  Tensors tensors;
  for (size_t i = 0; i < compiled.size(); ++i) {
    tensors.push_back(std::make_unique<TensorT>(*compiled[i]));
    tensors[i]->shape[0]->dim.assign(shapes[i].dims, shapes[i].dims + shapes[i].num_dims);
    outputs[i].resize(tensor_bytes(*tensors[i]));
  }
  return tensors;
}

}  // namespace

Result<ChosenStage> choose_stage(const File& file, const Run168xOptions& options,
                                 const InputFiles* inputs) {
  TW_ASSIGN_OR_RETURN(net, choose_net(file, options.net));
  const auto& stages = net->parameter;
  for (size_t i = 0; i < stages.size(); ++i) {
    const bool wanted = options.stage            ? i == *options.stage
                        : options.shapes.empty() ? stages.size() == 1
                                                 : has_shapes(*stages[i], options.shapes);
    if (wanted) return ChosenStage{net, stages[i].get(), i};
  }
  const bool is_open = !options.stage && options.shapes.empty() && !stages.empty();
  if (is_open && inputs != nullptr && inputs->empty()) {
    const size_t i = default_stage(*net);
    fmt::print(stderr,
               "tputwin: net {} has {} stages; stage {} is taken: --stage, --shape or the shape of "
               "--input chooses\n",
               net->name, stages.size(), i);
    return ChosenStage{net, stages[i].get(), i};
  }
  if (is_open && inputs != nullptr)
    if (const auto i = stage_of_inputs(*net, *inputs))
      return ChosenStage{net, stages[*i].get(), *i};
  return no_such_stage(*net, options.stage ? fmt::format("stage {}", *options.stage)
                             : is_open && inputs == nullptr ? "stage not given"
                                                            : "no stage of these shapes");
}

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A net on a device of its own, its runs, and the outputs of the last run.
struct Runner {
  std::unique_ptr<Session168x> session;
  Buffers outputs;
  std::vector<bm_shape_t> shapes;
  std::vector<double> seconds;
  Status status;

  void run(const ChosenStage& chosen, const Buffers& inputs, unsigned repeat) {
    for (unsigned i = 0; i < repeat && status.ok(); ++i) {
      const auto start = Clock::now();
      status = session->infer(chosen.net->name, chosen.index, inputs, outputs, &shapes);
      seconds.push_back(seconds_since(start));
    }
  }
};

Result<std::vector<Runner>> open_runners(const bmodel::OpenFile& file,
                                         const Run168xOptions& options) {
  bmlib::use_chip(*chip_of(file.bm168x()->model));
  // --devices counts them; one device leaves the number to TPUTWIN_DEVICES.
  const int count = options.devices > 1 ? static_cast<int>(options.devices) : bmlib::Card::count();
  std::vector<Runner> runners(options.devices);
  for (unsigned i = 0; i < options.devices; ++i) {
    TW_ASSIGN_OR_RETURN(card, bmlib::Card::open(static_cast<int>(i), count));
    TW_ASSIGN_OR_RETURN(session, Session168x::open(file, std::move(card), options.host_libraries));
    if (options.reference) session->runtime().card().set_kernel_choice(KernelChoice::reference);
    runners[i].session = std::move(session);
  }
  return runners;
}

// Times of all runs, the fastest first, and the wall time of all.
struct Times {
  std::vector<double> seconds;
  double wall = 0;
  std::optional<uint64_t> own_memory;  // memory of the process at the end
};
Result<Times> run_all(std::vector<Runner>& runners, const ChosenStage& chosen,
                      const Buffers& inputs, unsigned repeat) {
  Times times;
  const auto start = Clock::now();
  {
    std::vector<std::jthread> others;
    for (Runner& runner : std::span(runners).subspan(1))
      others.emplace_back([&] { runner.run(chosen, inputs, repeat); });
    runners.front().run(chosen, inputs, repeat);
  }
  times.wall = seconds_since(start);
  times.own_memory = own_memory();
  for (Runner& runner : runners) {
    TW_RETURN_IF_ERROR(std::move(runner.status));
    times.seconds.insert(times.seconds.end(), runner.seconds.begin(), runner.seconds.end());
  }
  std::ranges::sort(times.seconds);
  return times;
}

// Returns the images in a run: the first extent of the first input.
uint64_t batch_of(const NetParameterT& stage) {
  if (stage.input_tensor.empty() || shape(*stage.input_tensor[0]).empty()) return 1;
  return shape(*stage.input_tensor[0])[0];
}

std::string times_text(const Times& times, double loading, const NetParameterT& stage,
                       uint64_t model_bytes, const Run168xOptions& options) {
  const double sum = std::accumulate(times.seconds.begin(), times.seconds.end(), 0.0);
  const size_t runs = times.seconds.size();
  std::string text = fmt::format(
      "time    loaded in {:.3f} ms, fastest of {}: {:.3f} ms, average {:.3f} ms\n", loading * 1e3,
      runs, times.seconds.front() * 1e3, sum / static_cast<double>(runs) * 1e3);
  if (options.latency)
    text += latency_text(times.seconds, batch_of(stage), times.wall, options.devices) +
            memory_text(times.own_memory, model_bytes);
  return text;
}

// Returns the least times of steps for options.account threads, or nothing if it is 0.
Result<std::vector<StepTime>> account_steps(Runner& runner, const ChosenStage& chosen,
                                            const Buffers& inputs, const Run168xOptions& options) {
  if (options.account == 0) return std::vector<StepTime>();
  return recorded_steps({options.account, options.threads}, insight::LayerScope::layer_of, [&] {
    runner.run(chosen, inputs, 1);
    return std::exchange(runner.status, Status());
  });
}

}  // namespace

namespace {

Json report_json(const ChosenStage& chosen, std::string_view chip, const Tensors& tensors,
                 const Times& times, const Run168xOptions& options) {
  Json json{{"net", chosen.net->name},
            {"stage", chosen.index},
            {"chip", chip},
            {"made_up_input", options.inputs.empty()}};
  json["outputs"] = Json::array();
  for (const auto& tensor : tensors)
    json["outputs"].push_back({{"name", tensor->name},
                               {"shape", shape(*tensor)},
                               {"type", to_string(element_type(*tensor))}});
  json["time"] = times_json(times.seconds, batch_of(*chosen.stage), times.wall);
  json["warnings"] = warnings_json(thread_diagnostics().warnings());
  return json;
}

}  // namespace

namespace {

// Returns a line for each warning. Forms of commands that no recording confirms share one line at
// the end.
std::string warnings_text(const std::vector<WarningCount>& warnings) {
  std::string text, forms;
  uint64_t commands = 0, in_one_bank = 0;
  for (const WarningCount& warning : warnings) {
    if (warning.sample.id() == errors::tpu_banks) {
      in_one_bank += warning.count;
      continue;
    }
    const std::string line =
        fmt::format("warning {} (times {})\n", warning.sample.message(), warning.count);
    const bool is_form = warning.sample.id() == errors::isa_stream_unconfirmed;
    commands += is_form ? warning.count : 0;
    (is_form ? forms : text) += line;
  }
  if (in_one_bank != 0)
    text += fmt::format(
        "warning {} operands of commands share a bank of local memory, which costs "
        "time (times {})\n",
        error_info(errors::tpu_banks).code, in_one_bank);
  if (commands != 0)
    text += fmt::format("{} {} forms that no recording confirms:\n", commands,
                        commands == 1 ? "command uses" : "commands use");
  return text + forms;
}

// Operators of the host may not accept made-up values, whole numbers above all.
Error about_made_up(const Error& error) {
  if (error.id() != errors::brt_host_input && error.id() != errors::brt_host_capacity) return error;
  return Error(error.id())
      .in(error.call())
      .argument(error.argument(), error.value())
      .detail((error.detail().empty() ? "" : error.detail() + "; ") +
              "no --input was given, and made-up values do not suit this net; give samples: "
              "--input FILE.npz after the name of the model");
}

}  // namespace

Result<Run168xReport> run_168x(const bmodel::OpenFile& file, const Run168xOptions& options) {
  TW_ASSIGN_OR_RETURN(net, choose_net(*file.bm168x(), options.net));
  TW_ASSIGN_OR_RETURN(given, InputFiles::read(options.inputs, *net));
  TW_ASSIGN_OR_RETURN(chosen, choose_stage(*file.bm168x(), options, &given));
  TW_RETURN_IF_ERROR(check_array_file(options.output, chosen.stage->output_tensor.size()));
  TW_ASSIGN_OR_RETURN(
      inputs, given.empty() ? made_up_inputs(*file.bm168x(), *chosen.stage, options.host_libraries)
                            : given.bytes(*chosen.stage));
  const auto begin = Clock::now();
  TW_ASSIGN_OR_RETURN(runners, open_runners(file, options));
  const double loading = seconds_since(begin);
  auto run = run_all(runners, chosen, inputs, options.repeat);
  if (!run.ok()) return given.empty() ? about_made_up(run.error()) : run.error();
  const auto times = std::move(*run);
  Buffers& outputs = runners.front().outputs;
  const Tensors tensors =
      tensors_of_run(chosen.stage->output_tensor, runners.front().shapes, outputs);
  if (!options.output.empty()) TW_RETURN_IF_ERROR(write_output(options, tensors, outputs));
  std::string text = fmt::format("net     {} stage {} on the {}\n", chosen.net->name, chosen.index,
                                 runners.front().session->runtime().card().chip().name);
  if (options.inputs.empty()) text += "input   synthetic: no --input was given\n";
  for (size_t i = 0; i < outputs.size(); ++i) text += output_text(*tensors[i], outputs[i]);
  text += times_text(times, loading, *chosen.stage, file.file->bytes().size(), options);
  const std::string warnings = warnings_text(thread_diagnostics().warnings());
  const Chip& chip = runners.front().session->runtime().card().chip();
  Json json = report_json(chosen, chip.name, tensors, times, options);
  if (options.predict) {
    TW_ASSIGN_OR_RETURN(program, runners.front().session->program(chosen.net->name, chosen.index));
    json["predicted_cycles"] = insight::predicted_cycles(program, chip);
  }
  std::vector<uint8_t> output = joined(outputs);  // before further runs replace the outputs
  TW_ASSIGN_OR_RETURN(steps, account_steps(runners.front(), chosen, inputs, options));
  if (options.account != 0) {
    text += insight::scaling_text(steps, options.account);
    json["account"] = account_json(steps, options.account);
  }
  text += warnings;
  return Run168xReport{std::move(text), std::move(json), std::move(output)};
}

}  // namespace tputwin::tools
