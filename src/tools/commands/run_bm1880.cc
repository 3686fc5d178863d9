// tputwin run of bmodels of the BM1880.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/errors/tools.h"
#include "base/file.h"
#include "base/last_error.h"
#include "tools/commands/command.h"
#include "tools/commands/run_command.h"
#include "tools/net.h"

namespace tputwin::tools {
namespace {

Status write_outputs(const std::string& path, const bmodel::Variety& variety,
                     const std::vector<uint8_t>& bytes) {
  if (path.empty()) return {};
  if (is_array_file(path)) return write_array_file(path, output_arrays(variety, bytes));
  return write_bytes(path, bytes);
}

}  // namespace

int run_bm1880(RunCommand& command, std::span<const uint8_t> file, const bmodel::Model& model) {
  if (Status s = refuse_options({{"--net", !command.net.empty()},
                                 {"--stage", command.stage.has_value()},
                                 {"--dequantize", command.dequantize},
                                 {"--cpuops", !command.host_libraries.empty()}},
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
  return finish_run(command, run_json(model, *report), report->output);
}

}  // namespace tputwin::tools
