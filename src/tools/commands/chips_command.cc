// tputwin chips: prints the numbers of every simulated chip.
#include "tools/catalogue.h"
#include "tools/commands/command.h"

namespace tputwin::tools {

void add_chips(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("chips", "Show the numbers of every simulated chip");
  auto json = std::make_shared<bool>(false);
  sub->add_flag("--json", *json, "as JSON");
  sub->footer(footer("  tputwin chips\n  tputwin chips --json\n"));
  sub->callback([json, &exit] { exit = print(*json ? chips_json() : chips_text()); });
}

}  // namespace tputwin::tools
