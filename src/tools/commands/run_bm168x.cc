// tputwin run of bmodels of the BM1684 and BM1684X.
#include "tools/bm168x/run168x.h"

#include "base/last_error.h"
#include "base/parallel.h"
#include "tools/commands/command.h"
#include "tools/commands/run_command.h"

namespace tputwin::tools {

int run_bm168x(const RunCommand& command, const bmodel::OpenFile& file) {
  if (Status s = refuse_options({{"--plugin", !command.options.plugin_directory.empty()}},
                                file.bm168x()->model.chip);
      !s.ok())
    return fail("tputwin", s.error());
  if (command.options.threads != 0) set_thread_count(static_cast<int>(command.options.threads));
  auto report = run_168x(file, {.net = command.net,
                                .stage = command.stage,
                                .shapes = command.options.shapes,
                                .inputs = command.inputs,
                                .output = command.output,
                                .repeat = command.options.repeat,
                                .devices = command.options.devices,
                                .latency = command.options.latency,
                                .reference = command.options.reference,
                                .dequantize = command.dequantize,
                                .account = command.options.account,
                                .threads = command.options.threads,
                                .host_libraries = command.host_libraries});
  if (!report.ok()) return print(report.error(), command.model);
  print_report(command, report->text);
  return finish_run(command, std::move(report->json), report->output);
}

}  // namespace tputwin::tools
