// test_bmnet_bmodel: one inference, with the vendor's command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/file.h"
#include "base/log.h"
#include "tools/command_line.h"
#include "tools/exit_code.h"
#include "tools/info.h"
#include "tools/run.h"

namespace {

using namespace tputwin;
using namespace tputwin::tools;

constexpr const char* kName = "test_bmnet_bmodel";

int infer(const std::string& input_path, const std::string& model_path,
          const std::string& output_path, const std::vector<uint32_t>& shape) {
  auto model = bmodel::read_file(model_path);
  if (!model.ok()) return fail(kName, model.error());
  auto file = read_bytes(model_path);
  if (!file.ok()) return fail(kName, file.error());
  auto input = read_bytes(input_path);
  if (!input.ok()) return fail(kName, input.error());
  auto index = find_variety(*model, {shape});
  if (!index.ok()) return fail(kName, index.error());
  const bmodel::Variety& variety = model->varieties[*index];
  // Scripts pass files of many images: the first image is used. A short file is padded with zeros.
  input->resize(variety.input_bytes());
  auto report = run_model(*file, *input, {.shapes = {shape}});
  if (!report.ok()) return fail(kName, report.error());
  if (auto written = write_bytes(output_path, report->output); !written.ok())
    return fail(kName, written.error());
  // stdout may receive the outputs themselves
  std::FILE* out = output_path == "-" ? stderr : stdout;
  for (const bmodel::Output& output : variety.outputs)
    fmt::print(out, "output {} {} {}\n", output.name, bmodel::to_string(output.shape),
               format_name(output.fmt));
  fmt::print(out, "output size {}\ninput size {}\n", report->output.size(), variety.input_bytes());
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs a bmodel once", kName);
  app.footer(
      fmt::format("Example:\n  {} input.bin net.bmodel output.bin 1 3 12 12\n\n"
                  "\"-\" stands for standard input or output.\n{}",
                  kName, kExitCodes));
  std::string input, model, output;
  std::vector<uint32_t> shape;
  app.add_option("INPUT", input, "raw bytes of the input")->required();
  app.add_option("MODEL", model, "bmodel of container 0.1.1 or 2.1")->required();
  app.add_option("OUTPUT", output, "file for the raw bytes of all outputs")->required();
  app.add_option("SHAPE", shape, "N C H W of the input")->required()->expected(4);
  tputwin::set_default_log_level(tputwin::LogLevel::quiet);  // the tool prints the errors
  if (auto ended = parse(app, argc, argv, kUsage)) return *ended;
  return infer(input, model, output, shape);
}
