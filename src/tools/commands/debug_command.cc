// tputwin debug: runs a host program or a model forwards and backwards, by hand or from an editor.
#include "tools/commands/command.h"
#include "tools/debug/debug.h"
#include "tools/debug/debug_adapter.h"
#include "tools/program.h"

namespace tputwin::tools {
namespace {

struct Options {
  DebugOptions debug;
  bool speaks_protocol = false;
  int port = 0;
  uint64_t megabytes = 0;
  std::vector<std::string> words;
};

int run_debugger(Options& options) {
  options.debug.bytes = options.megabytes << 20;
  auto started = options.words.empty() ? Result<std::vector<std::string>>(options.words)
                                       : program_of(options.words);
  if (!started.ok()) return fail("tputwin", started.error());
  const std::vector<std::string>& program = *started;
  if (options.speaks_protocol || options.port != 0) {
    const Status status =
        serve_editor({.port = options.port, .bytes = options.debug.bytes, .program = program});
    return status.ok() ? int{kOk} : fail("tputwin", status.error());
  }
  auto code = debug_program(options.debug, program);
  return code.ok() ? *code : fail("tputwin", code.error());
}

}  // namespace

void add_debug(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("debug", "Stop a program, go back, see where a value came from");
  auto options = std::make_shared<Options>();
  sub->add_option("-x", options->debug.script, "a file of commands that come first");
  sub->add_option("--memory", options->megabytes, "megabytes for going back (default 1024)");
  auto* protocol = sub->add_flag("--dap", options->speaks_protocol,
                                 "speak the Debug Adapter Protocol on standard input and output");
  auto* port = sub->add_option("--port", options->port, "speak it at this port of this host");
  auto* words = sub->add_option("PROGRAM", options->words,
                                "a host program with its arguments, or a model (.bmodel) with the "
                                "options of tputwin run, after --");
  sub->footer(
      footer("  tputwin debug -- ./host 100\n"
             "  tputwin debug -x commands.txt -- net.bmodel --input image.bin\n"
             "  tputwin debug --dap -- ./host 100\n"));
  sub->callback([=, &exit] {
    if (words->count() == 0 && protocol->count() == 0 && port->count() == 0)
      throw CLI::RequiredError("PROGRAM");
    exit = run_debugger(*options);
  });
}

}  // namespace tputwin::tools
