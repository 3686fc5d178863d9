// tputwin run: a model on the simulated chip, and its outputs compared with a file.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/errors/tools.h"
#include "base/file.h"
#include "tools/command_line.h"
#include "tools/commands/command.h"
#include "tools/compare.h"
#include "tools/run.h"

namespace tputwin::tools {
namespace {

constexpr size_t kShownDifferences = 10;

struct RunCommand {
  std::string model, input, output, reference_output;
  std::vector<std::string> shapes;
  RunOptions options;
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

int compare_output(const std::vector<uint8_t>& output, const std::string& path) {
  auto expected = read_bytes(path);
  if (!expected.ok()) return fail("tputwin", expected.error());
  auto result = compare(output, *expected, Element::int8);
  if (!result.ok()) return fail("tputwin", result.error());
  if (result->equal()) {
    fmt::print("compare all {} bytes equal {}\n", result->count, path);
    return kOk;
  }
  fmt::print("compare {} of {} bytes differ from {}\n{}", result->differences.size(), result->count,
             path, differences_text(*result, kShownDifferences));
  return kDiffers;
}

int run(RunCommand& command) {
  auto file = read_bytes(command.model);
  if (!file.ok()) return fail("tputwin", file.error());
  auto input = read_bytes(command.input);
  if (!input.ok()) return fail("tputwin", input.error());
  auto model = bmodel::read(*file);
  if (!model.ok()) return print(model.error(), command.model);
  auto shapes = parse_shapes(command.shapes);
  if (!shapes.ok()) return fail("tputwin", shapes.error());
  command.options.shapes = *shapes;
  command.options.progress = isatty(STDERR_FILENO) != 0;

  auto report = run_model(*file, *input, command.options);
  if (!report.ok()) return print(report.error(), command.model);
  std::fputs(report_text(*model, *report, command.options).c_str(), stdout);
  if (!command.output.empty()) {
    auto written = write_bytes(command.output, report->output);
    if (!written.ok()) return fail("tputwin", written.error());
  }
  if (command.reference_output.empty()) return kOk;
  return compare_output(report->output, command.reference_output);
}

}  // namespace

void add_run(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("run", "Run a model on the simulated chip");
  auto command = std::make_shared<RunCommand>();
  sub->add_option("MODEL", command->model, "bmodel of container 0.1.1 or 2.1")->required();
  sub->add_option("--input", command->input, "raw bytes of all inputs, one after the other")
      ->required();
  sub->add_option("--shape", command->shapes,
                  "n,c,h,w of the variety to run; once per input. Needed when there are several");
  sub->add_option("--output", command->output, "write the raw bytes of all outputs here");
  sub->add_option("--compare", command->reference_output, "compare the outputs with this file");
  sub->add_option("--repeat", command->options.repeat, "run so many times")->check(at_least_one());
  sub->add_option("--threads", command->options.threads,
                  "threads of a device; default: TPUTWIN_THREADS, or all processors")
      ->check(at_least_one());
  sub->add_option("--devices", command->options.devices,
                  "run on so many devices at the same time, --repeat times on each")
      ->check(at_least_one());
  sub->add_flag("--latency", command->options.latency,
                "report minimum, median and 99th percentile of the times, and images per second");
  sub->add_option("--plugin", command->options.plugin_directory, "directory of CPU operators");
  sub->add_flag("--reference", command->options.reference,
                "use the reference bodies, which define the results, instead of the fast ones");
  sub->footer(
      footer("  tputwin run det1.bmodel --input image.bin --output result.bin\n"
             "  tputwin run net.bmodel --input image.bin --shape 1,3,24,24 "
             "--compare expected.bin\n"));
  sub->callback([command, &exit] { exit = run(*command); });
}

}  // namespace tputwin::tools
