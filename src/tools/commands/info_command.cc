// tputwin info and print: the contents of a model, and its predicted cost.
#include "bmodel/open.h"
#include "bmodel/parts.h"
#include "tools/bm168x/info168x.h"
#include "tools/bm168x/stage_programs.h"
#include "tools/commands/command.h"
#include "tools/info.h"
#include "tools/run.h"

namespace tputwin::tools {
namespace {

Result<std::string> info(const bmodel::OpenFile& file, bool json, bool strict) {
  if (const auto* model = file.bm1880()) {
    TW_RETURN_IF_ERROR(refuse_options({{"--strict", strict}}, "BM1880"));
    return json ? info_json(*model) : info_text(*model);
  }
  if (strict) TW_RETURN_IF_ERROR(check_strictly(*file.bm168x()));
  return json ? info_json(*file.bm168x()) : info_text(*file.bm168x());
}

// Returns every field of the file, as JSON.
Result<std::string> fields(const bmodel::OpenFile& file) {
  if (const auto* model = file.bm1880()) return bmodel::to_json(*model) + "\n";
  return bmodel::bm168x::message_text(file.file->bytes()) + "\n";
}

template <class Text>
int show(const std::string& path, Text text) {
  auto file = bmodel::open_file(path);
  return file.ok() ? print(text(*file), path) : fail("tputwin", file.error());
}

}  // namespace

void add_info(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("info", "Show what is in a model and what it will cost");
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false), strict = std::make_shared<bool>(false);
  sub->add_option("MODEL", *path, "bmodel of the BM1880, BM1684 or BM1684X")->required();
  sub->add_flag("--json", *json, "as JSON");
  sub->add_flag("--strict", *strict, kStrictHelp);
  sub->footer(footer("  tputwin info det1.bmodel\n  tputwin info det1.bmodel --json\n"));
  sub->callback([path, json, strict, &exit] {
    exit = show(*path, [&](const bmodel::OpenFile& file) { return info(file, *json, *strict); });
  });
}

void add_print(CLI::App& app, int& exit) {
  auto* sub = app.add_subcommand("print", "Print every field of a model, as JSON");
  auto path = std::make_shared<std::string>();
  sub->add_option("MODEL", *path, "bmodel of the BM1880, BM1684 or BM1684X")->required();
  sub->footer(footer("  tputwin print det1.bmodel\n"));
  sub->callback([path, &exit] { exit = show(*path, fields); });
}

}  // namespace tputwin::tools
