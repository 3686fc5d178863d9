// tputwin run: runs a model on the simulated chip and compares its outputs with a file.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/errors/tools.h"
#include "base/file.h"
#include "base/last_error.h"
#include "base/parallel.h"
#include "bmnet/onnx/load.h"
#include "bmodel/open.h"
#include "tools/bm168x/run168x.h"
#include "tools/command_line.h"
#include "tools/commands/command.h"
#include "tools/commands/compiled_onnx.h"
#include "tools/commands/picture_options.h"
#include "tools/compare.h"
#include "tools/compile.h"
#include "tools/reports/json.h"
#include "tools/run.h"

namespace tputwin::tools {
namespace {

constexpr size_t kShownDifferences = 10;

struct RunCommand {
  std::string model, table, output, reference_output, net, operators;
  std::vector<std::string> inputs, shapes;
  std::optional<size_t> stage;
  bool dequantize = false, json = false, strict = false;
  RunOptions options;
  PictureCommand pictures;
};

Result<ShapeList> parse_shapes(const std::vector<std::string>& texts) {
  ShapeList shapes;
  for (const std::string& text : texts) {
    std::vector<uint32_t> shape;
    for (const std::string& part : CLI::detail::split(text, ',')) {
      uint32_t extent = 0;
      if (!CLI::detail::lexical_cast(part, extent))
        return Error(errors::cli_shape).argument("--shape", text).detail("expected n,c,h,w");
      shape.push_back(extent);
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

// Reads raw bytes, or those of the array in an .npy file.
Result<std::vector<uint8_t>> read_expected(const std::string& path, uint64_t size) {
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path, most_to_read(size)));
  if (!path.ends_with(".npy")) return bytes;
  auto array = read_npy(std::move(bytes));
  if (!array.ok()) return in_call(array.error(), path);
  return std::move(array->bytes);
}

// Writes the outputs of a model of the BM1880.
Status write_outputs(const std::string& path, const bmodel::Variety& variety,
                     const std::vector<uint8_t>& bytes) {
  if (path.empty()) return {};
  if (is_array_file(path)) return write_array_file(path, output_arrays(variety, bytes));
  return write_bytes(path, bytes);
}

// With --json the report is printed, and the comparison is a member of it.
int compare_output(const std::vector<uint8_t>& output, const std::string& path, Json* json) {
  auto expected = read_expected(path, output.size());
  if (!expected.ok()) return fail("tputwin", expected.error());
  auto result = compare(output, *expected, Element::int8);
  if (!result.ok()) return fail("tputwin", result.error());
  if (json != nullptr) {
    (*json)["compare"] = comparison_json(*result, path);
    return result->equal() ? kOk : kDiffers;
  }
  if (result->equal()) {
    fmt::print("compare all {} bytes equal {}\n", result->count, path);
    return kOk;
  }
  fmt::print("compare {} of {} bytes differ from {}\n{}", result->differences.size(), result->count,
             path, differences_text(*result, kShownDifferences));
  return kDiffers;
}

// Prints the report of a run before its results are written, so that an error follows it.
void print_report(const RunCommand& command, const std::string& text) {
  if (!command.json) std::fputs(text.c_str(), stdout);
}

// Compares the outputs with a file, if one is given, and prints the report as JSON.
int finish(const RunCommand& command, Json json, const std::vector<uint8_t>& output) {
  int code = kOk;
  if (!command.reference_output.empty())
    code = compare_output(output, command.reference_output, command.json ? &json : nullptr);
  if (command.json) print_json(json);
  return code;
}

int run_bm168x(const RunCommand& command, const bmodel::OpenFile& file) {
  if (Status s = refuse_options({{"--plugin", !command.options.plugin_directory.empty()}},
                                file.bm168x()->model.chip);
      !s.ok())
    return fail("tputwin", s.error());
  if (command.options.threads != 0) set_thread_count(static_cast<int>(command.options.threads));
  if (!command.operators.empty()) setenv("TPUTWIN_CPUOPS", command.operators.c_str(), 1);
  auto report = run_168x(file, {.net = command.net,
                                .stage = command.stage,
                                .shapes = command.options.shapes,
                                .inputs = command.inputs,
                                .output = command.output,
                                .repeat = command.options.repeat,
                                .devices = command.options.devices,
                                .latency = command.options.latency,
                                .reference = command.options.reference,
                                .dequantize = command.dequantize});
  if (!report.ok()) return print(report.error(), command.model);
  print_report(command, report->text);
  return finish(command, std::move(report->json), report->output);
}

int run_bm1880(RunCommand& command, std::span<const uint8_t> file, const bmodel::Model& model) {
  if (Status s = refuse_options({{"--net", !command.net.empty()},
                                 {"--stage", command.stage.has_value()},
                                 {"--dequantize", command.dequantize},
                                 {"--cpuops", !command.operators.empty()}},
                                "BM1880");
      !s.ok())
    return fail("tputwin", s.error());
  if (command.inputs.size() != 1)
    return fail("tputwin",
                Error(errors::cli_inputs)
                    .argument("--input", fmt::format("given {} times", command.inputs.size()))
                    .detail("a model of the BM1880 takes one file with all inputs"));
  uint64_t most = 0;
  for (const bmodel::Variety& variety : model.varieties)
    most = std::max(most, variety.input_bytes());
  auto input = read_bytes(command.inputs[0], most_to_read(most));
  if (!input.ok()) return fail("tputwin", input.error());
  command.options.progress = isatty(STDERR_FILENO) != 0;
  auto report = run_model(file, *input, command.options);
  if (!report.ok()) return print(report.error(), command.model);
  print_report(command, report_text(model, *report, command.options));
  const auto written =
      write_outputs(command.output, model.varieties[report->variety], report->output);
  if (!written.ok()) return fail("tputwin", written.error());
  return finish(command, run_json(model, *report), report->output);
}

// Passes on the options that mean the same with and without pictures.
int look(const CLI::App& app, RunCommand& command) {
  for (const char* option : {"--input", "--compare", "--repeat", "--devices", "--latency"})
    if (app.get_option(option)->count() > 0)
      return bad_usage(app, fmt::format("{} does not go with --image", option), kUsage);
  auto shapes = parse_shapes(command.shapes);
  if (!shapes.ok()) return fail("tputwin", shapes.error());
  if (command.options.threads != 0) set_thread_count(static_cast<int>(command.options.threads));
  if (!command.operators.empty()) setenv("TPUTWIN_CPUOPS", command.operators.c_str(), 1);
  command.pictures.model = command.model;
  if (command.json) command.pictures.options.format = ResultFormat::json;
  command.pictures.options.output = command.output;
  command.pictures.choice = {.net = command.net,
                             .stage = command.stage,
                             .shapes = *shapes,
                             .plugin_directory = command.options.plugin_directory,
                             .reference = command.options.reference};
  return run_pictures(app, command.pictures);
}

int run(RunCommand& command) {
  auto file = MappedFile::open(command.model);
  if (!file.ok()) return fail("tputwin", file.error());
  auto opened = bmodel::open(*file);
  if (!opened.ok()) return print(opened.error(), command.model);
  auto shapes = parse_shapes(command.shapes);
  if (!shapes.ok()) return fail("tputwin", shapes.error());
  command.options.shapes = *shapes;
  if (opened->bm168x() != nullptr) return run_bm168x(command, *opened);
  keep_description(std::get<bmodel::Model>(opened->content));
  return run_bm1880(command, (*file)->bytes(), *opened->bm1880());
}

// Compiles an ONNX net, then runs it.
int compile_and_run(const CLI::App& app, RunCommand& command) {
  if (command.strict) be_strict();
  if (!net::is_onnx_file(command.model)) {
    if (!command.table.empty()) return bad_usage(app, "--table goes with NET.onnx", kUsage);
    return command.pictures.wanted() ? look(app, command) : run(command);
  }
  std::vector<std::vector<int64_t>> shapes;
  for (const std::string& text : command.shapes) {
    auto shape = parse_shape(text);
    if (!shape.ok()) return fail("tputwin", shape.error());
    shapes.push_back(*shape);
  }
  auto compiled = CompiledOnnx::make(command.model, command.table, std::move(shapes));
  if (!compiled.ok()) return fail("tputwin", compiled.error());
  command.model = (*compiled)->path();
  return command.pictures.wanted() ? look(app, command) : run(command);
}

// Adds the options for repetition, threads, devices and the report of times.
void add_timing_options(CLI::App& sub, RunOptions& options) {
  sub.add_option("--repeat", options.repeat, "run so many times")->check(at_least_one());
  sub.add_option("--threads", options.threads,
                 "threads of a device; default: TPUTWIN_THREADS, or all processors")
      ->check(at_least_one());
  sub.add_option("--devices", options.devices,
                 "run on so many devices at the same time, --repeat times on each")
      ->check(at_least_one());
  sub.add_flag("--latency", options.latency,
               "report minimum, median and 99th percentile of the times, and images per "
               "second");
}

}  // namespace

void add_run(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("run", "Run a model on the simulated chip");
  auto command = std::make_shared<RunCommand>();
  sub->add_option("MODEL", command->model,
                  "bmodel of the BM1880, BM1684 or BM1684X; or NET.onnx, which is compiled first")
      ->required();
  sub->add_option("--table", command->table, "NET.onnx: its calibration table");
  sub->add_option(
         "--input", command->inputs,
         "BM1880: raw bytes of all inputs, one after the other; BM1684, BM1684X: a file for each "
         "input (raw, .npy), or one .npz, or none for made-up data")
      ->allow_extra_args(false);
  sub->add_option("--net", command->net, "BM1684, BM1684X: the net, if the file has several");
  sub->add_option("--stage", command->stage, "BM1684, BM1684X: the stage, from 0");
  sub->add_option("--shape", command->shapes,
                  "n,c,h,w of the variety or stage to run; once per input. Needed when there are "
                  "several");
  sub->add_option(
      "--output", command->output,
      "write the outputs here: raw bytes of all, one after the other; .npy, of a net with one "
      "output; or .npz");
  sub->add_flag("--dequantize", command->dequantize,
                "BM1684, BM1684X, .npz and .npy: integers as fp32, by scale and zero point");
  sub->add_option(
      "--cpuops", command->operators,
      "BM1684, BM1684X: libraries of operators for subnets on the host, or \"file\": the "
      "bmodel's own; as TPUTWIN_CPUOPS");
  sub->add_option("--compare", command->reference_output,
                  "compare the outputs with this file: raw bytes of all, or .npy");
  add_timing_options(*sub, command->options);
  sub->add_option("--plugin", command->options.plugin_directory,
                  "BM1880: directory of CPU operators");
  add_native_plugins(*sub);
  sub->add_flag("--strict", command->strict, kStrictRunHelp);
  sub->add_flag("--reference", command->options.reference,
                "use the reference bodies, which define the results, instead of the fast ones");
  sub->footer(
      footer("  tputwin run det1.bmodel --input image.bin --output result.bin\n"
             "  tputwin run net.bmodel --input image.bin --shape 1,3,24,24 "
             "--compare expected.bin\n"
             "  tputwin run bm1684x.bmodel --net resnet --input in.npz --output out.npz\n"
             "  tputwin run net.bmodel --image photo.jpg --labels labels.txt --draw seen.png\n"
             "  tputwin run net.onnx --table table.pb2 --image photo.jpg\n"));
  sub->add_flag("--json", command->json, "print the report as JSON");
  add_picture_options(*sub, command->pictures);
  sub->callback([command, sub, &exit] { exit = compile_and_run(*sub, *command); });
}

}  // namespace tputwin::tools
