// tputwin info: what is in a model, and what it will cost.
#include "tools/commands/command.h"
#include "tools/info.h"

namespace tputwin::tools {

void add_info(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("info", "Show what is in a model and what it will cost");
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  sub->add_option("MODEL", *path, "bmodel of container 0.1.1 or 2.1")->required();
  sub->add_flag("--json", *json, "as JSON");
  sub->footer(footer("  tputwin info det1.bmodel\n  tputwin info det1.bmodel --json\n"));
  sub->callback([path, json, &exit] {
    auto model = bmodel::read_file(*path);
    if (!model.ok()) {
      exit = fail("tputwin", model.error());
      return;
    }
    exit = print(*json ? info_json(*model) : info_text(*model), *path);
  });
}

}  // namespace tputwin::tools
