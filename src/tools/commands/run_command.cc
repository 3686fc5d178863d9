// tputwin run: runs a model on the simulated chip and compares its outputs with a file. This file
// has its options, and chooses the path.
#include "tools/commands/run_command.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "base/errors/tools.h"
#include "base/last_error.h"
#include "base/mapped_file.h"
#include "bmnet/onnx/load.h"
#include "tools/commands/command.h"
#include "tools/commands/compiled_onnx.h"
#include "tools/compile.h"

namespace tputwin::tools {
namespace {

// Parses a number as C does: decimal, or with 0x or 0 before it.
std::optional<uint32_t> parse_extent(const std::string& word) {
  char* end = nullptr;
  const uint64_t extent = std::strtoull(word.c_str(), &end, /*base=*/0);
  const bool is_number = !word.empty() && end == word.c_str() + word.size();
  if (!is_number || extent > UINT32_MAX) return {};
  return static_cast<uint32_t>(extent);
}

}  // namespace

Result<ShapeList> parse_shapes(const std::vector<std::string>& texts) {
  ShapeList shapes;
  for (const std::string& text : texts) {
    std::vector<uint32_t>& shape = shapes.emplace_back();
    // A comma at the end begins no word. An empty text has no words, and is no shape.
    std::istringstream words(text);
    bool is_shape = !text.empty();
    for (std::string word; is_shape && std::getline(words, word, ',');) {
      const std::optional<uint32_t> extent = parse_extent(word);
      is_shape = extent.has_value();
      shape.push_back(extent.value_or(0));
    }
    if (!is_shape)
      return Error(errors::cli_shape).argument("--shape", text).detail("expected n,c,h,w");
  }
  return shapes;
}

namespace {

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
    return command.pictures.wanted() ? run_on_pictures(app, command) : run(command);
  }
  std::vector<std::vector<int64_t>> shapes;
  for (const std::string& text : command.shapes) {
    auto shape = parse_shape(text);
    if (!shape.ok()) return fail("tputwin", shape.error());
    shapes.push_back(*shape);
  }
  auto compiled = CompiledOnnx::make(command.model, command.table, shapes);
  if (!compiled.ok()) return fail("tputwin", compiled.error());
  if (command.inputs.size() == 1 && command.inputs[0].ends_with(".npz")) {
    auto names = onnx_inputs(command.model, shapes);
    if (!names.ok()) return fail("tputwin", names.error());
    command.input_names = *names;
  }
  command.model = (*compiled)->path();
  return command.pictures.wanted() ? run_on_pictures(app, command) : run(command);
}

// Adds the options for repetition, threads, devices and the report of times.
void add_timing_options(CLI::App& sub, RunOptions& options) {
  sub.add_option("--repeat", options.repeat, "run so many times")->check(at_least_one());
  sub.add_option("--threads", options.threads,
                 "threads of a device; default: TPUTWIN_THREADS, or all processors")
      ->check(threads());
  sub.add_option("--devices", options.devices,
                 "run on so many devices at the same time, --repeat times on each")
      ->check(at_least_one());
  sub.add_flag("--latency", options.latency,
               "report minimum, median and 99th percentile of the times, and images per "
               "second");
  sub.add_option("--account", options.account,
                 "predict the times on 1 to so many threads from a run on one thread, and list the "
                 "steps that hold them back")
      ->check(threads());
}

// Adds the options that choose a net, and a stage or a variety.
void add_choice_options(CLI::App& sub, RunCommand& command) {
  sub.add_option("--net", command.net, "BM1684, BM1684X: the net, if the file has several");
  sub.add_option(
      "--stage", command.stage,
      "BM1684, BM1684X: the stage, from 0; default: that of the input's shape, or the first");
  sub.add_option("--shape", command.shapes,
                 "n,c,h,w of the variety or stage to run; once per input. Needed when there are "
                 "several varieties");
}

// Adds an option that excludes these and those of data.
void add_all_stages(CLI::App& sub, RunCommand& command) {
  auto* all = sub.add_flag("--all-stages", command.all_stages,
                           "BM1684, BM1684X: each stage of each net, or of --net, on made-up data");
  for (const char* other :
       {"--stage", "--shape", "--input", "--image", "--output", "--compare", "--json", "--account"})
    all->excludes(other);
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
         "a file for each input (raw, .npy), or one .npz with an array for each name (input0, ... "
         "of "
         "bmodels of the BM1880); BM1880: or raw bytes of all inputs, one after the other; BM1684, "
         "BM1684X: or none for made-up data")
      ->allow_extra_args(false);
  add_choice_options(*sub, *command);
  sub->add_option(
      "--output", command->output,
      "write the outputs here: raw bytes of all, one after the other; .npy, of a net with one "
      "output; or .npz");
  sub->add_flag("--dequantize", command->dequantize,
                "BM1684, BM1684X, .npz and .npy: integers as fp32, by scale and zero point");
  sub->add_option(
      "--cpuops", command->host_libraries,
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
                "use the reference kernels, which define the results, instead of the fast ones")
      ->excludes("--account");
  sub->footer(
      footer("  tputwin run det1.bmodel --input image.bin --output result.bin\n"
             "  tputwin run net.bmodel --input image.bin --shape 1,3,24,24 "
             "--compare expected.bin\n"
             "  tputwin run bm1684x.bmodel --net resnet --input in.npz --output out.npz\n"
             "  tputwin run net.bmodel --image photo.jpg --labels labels.txt --draw seen.png\n"
             "  tputwin run net.onnx --table table.pb2 --image photo.jpg\n"));
  sub->add_flag("--json", command->json, "print the report as JSON");
  add_picture_options(*sub, command->pictures);
  add_all_stages(*sub, *command);
  sub->callback([command, sub, &exit] { exit = compile_and_run(*sub, *command); });
}

}  // namespace tputwin::tools
