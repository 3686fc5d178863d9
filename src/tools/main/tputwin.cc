// The tputwin command: its subcommands, in the order in which --help lists them.
#include "base/log.h"
#include "ops/fast/dispatch/isa.h"
#include "tools/command_line.h"
#include "tools/commands/command.h"
#include "tools/manual/version.h"

namespace tputwin::tools {

#define TW_COMMAND(name) AddCommand add_##name;
#include "tools/commands/commands.def"
#undef TW_COMMAND

}  // namespace tputwin::tools

int main(int argc, char** argv) {
  using namespace tputwin::tools;
  CLI::App app("A simulator of the BM1880, BM1684 and BM1684X tensor processors", "tputwin");
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  app.footer(footer("  tputwin run det1.bmodel --input image.bin\n  tputwin run --help\n"));
  // Checked for every subcommand: those that start no device would not notice a wrong name.
  if (auto status = tputwin::fast::check_environment(); !status.ok()) {
    fail("tputwin", status.error());
    return kUsage;
  }
  int exit = kOk;
#define TW_COMMAND(name) add_##name(app, exit);
#include "tools/commands/commands.def"
#undef TW_COMMAND
  tputwin::set_default_log_level(tputwin::LogLevel::quiet);  // commands print the errors
  return parse(app, argc, argv, kUsage).value_or(exit);
}
