// The tputwin command: its subcommands, in the order in which --help lists them.
#include "base/log.h"
#include "ops/fast/select/isa.h"
#include "tools/command_line.h"
#include "tools/commands/command.h"
#include "tools/manual/version.h"

// Each is add_NAME() of tools/commands/NAME_command.cc (print: with info; whatif: with timing).
#define TPUTWIN_COMMANDS(X)                                                                      \
  X(run)                                                                                         \
  X(info)                                                                                        \
  X(print)                                                                                       \
  X(disasm)                                                                                      \
  X(lift)                                                                                        \
  X(calibrate)                                                                                   \
  X(compile)                                                                                     \
  X(kernel) X(record) X(replay) X(diff) X(check) X(debug) X(profile) X(timing) X(whatif) X(eval) \
      X(selftest) X(chips) X(errors)

namespace tputwin::tools {

#define TPUTWIN_DECLARE(name) AddCommand add_##name;
TPUTWIN_COMMANDS(TPUTWIN_DECLARE)

}  // namespace tputwin::tools

int main(int argc, char** argv) {
  using namespace tputwin::tools;
  CLI::App app("A software twin of the BM1880, BM1684 and BM1684X tensor processors", "tputwin");
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.footer(footer("  tputwin run det1.bmodel --input image.bin\n  tputwin run --help\n"));
  // Of every subcommand: a wrong name would go unnoticed by those that start no device.
  if (auto status = tputwin::fast::check_environment(); !status.ok()) {
    fail("tputwin", status.error());
    return kUsage;
  }
  int exit = kOk;
#define TPUTWIN_ADD(name) add_##name(app, exit);
  TPUTWIN_COMMANDS(TPUTWIN_ADD)
  tputwin::set_default_log_level(tputwin::LogLevel::quiet);  // commands show what went wrong
  return parse(app, argc, argv, kUsage).value_or(exit);
}
