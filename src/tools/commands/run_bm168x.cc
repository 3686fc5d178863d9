// tputwin run of bmodels of the BM1684 and BM1684X.
#include "tools/bm168x/run168x.h"

#include "base/last_error.h"
#include "base/parallel.h"
#include "bmodel/bm168x/dynamic.h"
#include "tools/bm168x/stage_programs.h"
#include "tools/commands/command.h"
#include "tools/commands/run_command.h"

namespace tputwin::tools {

namespace {

Run168xOptions options_of(const RunCommand& command) {
  return {.net = command.net,
          .stage = command.stage,
          .shapes = command.options.shapes,
          .inputs = command.inputs,
          .output = command.output,
          .repeat = command.options.repeat,
          .devices = command.options.devices,
          .latency = command.options.latency,
          .reference = command.options.reference,
          .predict = command.json,
          .dequantize = command.dequantize,
          .account = command.options.account,
          .threads = command.options.threads,
          .host_libraries = command.host_libraries};
}

// Runs the stages that can run. Returns the exit code of the first that fails.
int run_stages(const RunCommand& command, const bmodel::OpenFile& file) {
  using namespace bmodel::bm168x;
  Run168xOptions options = options_of(command);
  StageChoice choice;
  if (!command.net.empty()) choice.net = command.net;
  if (Status status = check_choice(*file.bm168x(), choice); !status.ok())
    return print(status.error(), command.model);
  int code = 0;
  for (const auto& net : file.bm168x()->model.net)
    for (size_t i = 0; i < net->parameter.size(); ++i) {
      if (!choice.includes(*net, i)) continue;
      options.net = net->name;
      options.stage = i;
      Status status = check_static(*net->parameter[i], stage_name(*net, i));
      auto report = status.ok() ? run_168x(file, options) : Result<Run168xReport>(status.error());
      if (report.ok())
        print_report(command, report->text);
      else if (const int failed = print(report.error(), command.model); code == 0)
        code = failed;
    }
  return code;
}

}  // namespace

int run_bm168x(const RunCommand& command, const bmodel::OpenFile& file) {
  if (Status s = refuse_options({{"--plugin", !command.options.plugin_directory.empty()}},
                                file.bm168x()->model.chip);
      !s.ok())
    return fail("tputwin", s.error());
  if (command.options.threads != 0) set_thread_count(static_cast<int>(command.options.threads));
  if (command.all_stages) return run_stages(command, file);
  auto report = run_168x(file, options_of(command));
  if (!report.ok()) return print(report.error(), command.model);
  print_report(command, report->text);
  return finish_run(command, std::move(report->json), report->output);
}

}  // namespace tputwin::tools
