// tputwin errors: prints the error catalogue, or explains one error.
#include "tools/catalogue.h"
#include "tools/commands/command.h"

namespace tputwin::tools {

void add_errors(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("errors", "List every error, or explain one");
  auto id = std::make_shared<std::string>();
  sub->add_option("ID", *id, "as printed in a message, for example TW-MOD-0101");
  auto json = std::make_shared<bool>(false);
  sub->add_flag("--json", *json, "all of them as JSON");
  sub->footer(footer("  tputwin errors\n  tputwin errors TW-MOD-0101\n  tputwin errors --json\n"));
  sub->callback([=, &exit] {
    exit = print(*json         ? errors_json(*id)
                 : id->empty() ? Result(errors_text())
                               : explain_error(*id));
  });
}

}  // namespace tputwin::tools
