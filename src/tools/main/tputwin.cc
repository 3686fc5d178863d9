// The tputwin command.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/errors/tools.h"
#include "base/file.h"
#include "base/log.h"
#include "ops/fast/select/selection.h"
#include "tools/calibrate_command.h"
#include "tools/catalogue.h"
#include "tools/command_line.h"
#include "tools/compare.h"
#include "tools/compile_command.h"
#include "tools/disasm.h"
#include "tools/eval_command.h"
#include "tools/exit_code.h"
#include "tools/info.h"
#include "tools/kernel.h"
#include "tools/run.h"
#include "tools/selftest.h"

namespace tputwin::tools {
namespace {

constexpr size_t kShownDifferences = 10;

int print(const Result<std::string>& text) {
  if (!text.ok()) return fail("tputwin", text.error());
  std::fputs(text.value().c_str(), stdout);
  return kOk;
}

// As print(), naming the file an error is about.
int print(const Result<std::string>& text, const std::string& path) {
  if (text.ok()) return print(text);
  fmt::print(stderr, "tputwin: {}: error: {}\n", path, text.error().message());
  return exit_code(text.error());
}

std::string footer(std::string_view examples) {
  return fmt::format("Examples:\n{}\n{}", examples, kExitCodes);
}

// ---- run ----

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
  sub->add_option("--plugin", command->options.plugin_directory, "directory of CPU operators");
  sub->add_flag("--reference", command->options.reference,
                "use the reference bodies, which define the results, instead of the fast ones");
  sub->footer(
      footer("  tputwin run det1.bmodel --input image.bin --output result.bin\n"
             "  tputwin run net.bmodel --input image.bin --shape 1,3,24,24 "
             "--compare expected.bin\n"));
  sub->callback([command, &exit] { exit = run(*command); });
}

// ---- info, disasm ----

void add_info(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("info", "Show what is in a model and what it will cost");
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  sub->add_option("MODEL", *path, "bmodel of container 0.1.1 or 2.1")->required();
  sub->add_flag("--json", *json, "as JSON");
  sub->footer(footer("  tputwin info det1.bmodel\n  tputwin info det1.bmodel --json\n"));
  sub->callback([path, json, &exit] {
    auto model = bmodel::read_file(*path);
    if (!model.ok()) {
      exit = fail("tputwin", model.error());
      return;
    }
    exit = print(*json ? info_json(*model) : info_text(*model), *path);
  });
}

void add_disasm(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("disasm", "Print the instructions of a model, one per line");
  auto path = std::make_shared<std::string>();
  auto options = std::make_shared<DisasmOptions>();
  sub->add_option("FILE", *path, "bmodel, or a bare command buffer")->required();
  sub->add_flag("--json", options->json, "as JSON");
  sub->add_option("--variety", options->variety, "only this one of the model's varieties, from 0");
  sub->footer(footer("  tputwin disasm det1.bmodel\n  tputwin disasm cmdbuf.bin --json\n"));
  sub->callback([path, options, &exit] {
    auto file = read_bytes(*path);
    exit = file.ok() ? print(disassemble(*file, *options), *path) : fail("tputwin", file.error());
  });
}

// ---- kernel ----

int list_kernels(const std::string& library) {
  auto names = load_kernels(library);
  if (!names.ok()) return fail("tputwin", names.error());
  for (const std::string& name : *names) fmt::print("{}\n", name);
  return kOk;
}

int run_one_kernel(const std::string& library, const std::string& kernel,
                   const std::string& parameters) {
  auto text = parameters.empty() ? Result(std::vector<uint8_t>{'[', ']'}) : read_bytes(parameters);
  if (!text.ok()) return fail("tputwin", text.error());
  if (auto names = load_kernels(library); !names.ok()) return fail("tputwin", names.error());
  return print(run_kernel(kernel, {text->begin(), text->end()}));
}

void add_kernel(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("kernel", "OKKernel kernels of a shared object");
  sub->require_subcommand(1);
  auto library = std::make_shared<std::string>(), kernel = std::make_shared<std::string>(),
       parameters = std::make_shared<std::string>();
  constexpr const char* kLibrary = "shared object of kernels compiled for this machine";
  auto* list = sub->add_subcommand("list", "Names of the kernels");
  list->add_option("LIBRARY", *library, kLibrary)->required();
  list->footer(footer("  tputwin kernel list kernels.so\n"));
  list->callback([=, &exit] { exit = list_kernels(*library); });
  auto* run = sub->add_subcommand("run", "Run one kernel on the simulated chip");
  run->add_option("LIBRARY", *library, kLibrary)->required();
  run->add_option("NAME", *kernel, "the kernel")->required();
  run->add_option("--params", *parameters, "JSON file that describes the argument struct");
  run->footer(footer("  tputwin kernel run kernels.so scale --params scale.json\n"));
  run->callback([=, &exit] { exit = run_one_kernel(*library, *kernel, *parameters); });
  sub->footer(
      footer("  tputwin kernel list kernels.so\n"
             "  tputwin kernel run kernels.so scale --params scale.json\n"));
}

// ---- selftest ----

int selftest(const SelftestOptions& options) {
  auto reports = run_selftest(options);
  if (!reports.ok()) return fail("tputwin", reports.error());
  std::fputs(selftest_text(*reports).c_str(), stdout);
  for (const TargetReport& target : *reports)
    if (!target.ok()) return kDiffers;
  return kOk;
}

void add_selftest(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("selftest", "Check every instruction set of this processor");
  auto options = std::make_shared<SelftestOptions>();
  sub->add_option("--cases", options->cases, "random operations of each kind")
      ->check(CLI::Range(1u, 1000000000u));
  sub->add_option("--seed", options->seed, "of the first; each has the next");
  sub->add_option("--only", options->only, "one kind of operation, and no recorded cases");
  sub->add_option("--isa", options->isa, "one instruction set");
  sub->add_option("--threads", options->threads, "so many instead of one and all")
      ->check(CLI::Range(1, 1024));
  sub->footer(footer("  tputwin selftest\n  tputwin selftest --isa avx2 --cases 1000\n"));
  sub->callback([options, &exit] { exit = selftest(*options); });
}

// ---- chips, errors ----

void add_chips(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("chips", "Show the numbers of every simulated chip");
  auto json = std::make_shared<bool>(false);
  sub->add_flag("--json", *json, "as JSON");
  sub->footer(footer("  tputwin chips\n  tputwin chips --json\n"));
  sub->callback([json, &exit] { exit = print(*json ? chips_json() : chips_text()); });
}

void add_errors(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("errors", "List every error, or explain one");
  auto id = std::make_shared<std::string>();
  sub->add_option("ID", *id, "as printed in a message, for example TW-MOD-0101");
  sub->footer(footer("  tputwin errors\n  tputwin errors TW-MOD-0101\n"));
  sub->callback(
      [id, &exit] { exit = print(id->empty() ? Result(errors_text()) : explain_error(*id)); });
}

}  // namespace
}  // namespace tputwin::tools

int main(int argc, char** argv) {
  using namespace tputwin::tools;
  CLI::App app("A software twin of the BM1880, BM1684 and BM1684X tensor processors", "tputwin");
  app.set_version_flag("--version", "tputwin " TPUTWIN_VERSION);
  app.require_subcommand(1);
  app.footer(footer("  tputwin run det1.bmodel --input image.bin\n  tputwin run --help\n"));
  // Of every subcommand: a wrong name would go unnoticed by those that start no device.
  if (auto status = tputwin::fast::check_environment(); !status.ok()) {
    fail("tputwin", status.error());
    return kUsage;
  }
  int exit = kOk;
  add_run(app, exit);
  add_info(app, exit);
  add_disasm(app, exit);
  add_calibrate(app, exit);
  add_compile(app, exit);
  add_kernel(app, exit);
  add_eval(app, exit);
  add_selftest(app, exit);
  add_chips(app, exit);
  add_errors(app, exit);
  tputwin::set_default_log_level(tputwin::LogLevel::quiet);  // commands show what went wrong
  return parse(app, argc, argv, kUsage).value_or(exit);
}
