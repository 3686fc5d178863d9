// model_runner: runs a net of a bmodel on the arrays of a .npz file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/errors/tools.h"
#include "base/log.h"
#include "tools/bm168x/run168x.h"
#include "tools/command_line.h"
#include "tools/exit_code.h"

namespace {

using namespace tputwin;
using namespace tputwin::tools;

constexpr const char* kName = "model_runner";

int run(const std::string& path, const Run168xOptions& options) {
  auto file = bmodel::open_file(path);
  if (!file.ok()) return fail(kName, file.error());
  if (file->bm168x() == nullptr)
    return fail(kName, Error(errors::cli_bm168x).argument("--model", path));
  auto report = run_168x(*file, options);
  if (!report.ok()) return fail(kName, report.error());
  std::fputs(report->text.c_str(), stdout);
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs a net of a bmodel on arrays by the names of its inputs", kName);
  app.footer(
      fmt::format("Examples:\n  model_runner --input in.npz --model net.bmodel --output "
                  "out.npz\n\n{}",
                  kExitCodes));
  std::string model;
  Run168xOptions options;
  options.dequantize = true;
  options.inputs.resize(1);
  bool keep = false;
  app.add_option("--input", options.inputs[0],
                 ".npz: floats for integer inputs are multiplied by the scale, rounded, clamped")
      ->required();
  app.add_option("--model", model, "bmodel of the BM1684X")->required();
  app.add_option("--output", options.output, ".npz: outputs as float32, integers dequantized")
      ->required();
  app.add_option("--net", options.net, "the net, if there are several");
  app.add_option("--stage", options.stage, "the stage, if there are several");
  app.add_flag("--keep_types", keep, "outputs in their own types");
  tputwin::set_default_log_level(tputwin::LogLevel::quiet);  // the tool prints the errors
  if (auto ended = parse(app, argc, argv, kUsage)) return *ended;
  options.dequantize = !keep;
  return run(model, options);
}
