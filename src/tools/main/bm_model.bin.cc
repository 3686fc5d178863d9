// bm_model.bin: shows, splits and merges models.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/log.h"
#include "bmodel/parts.h"
#include "tools/command_line.h"
#include "tools/exit_code.h"

namespace {

using namespace tputwin;
using namespace tputwin::tools;

int info(const std::string& path) {
  auto model = bmodel::read_file(path);
  if (!model.ok()) return fail("bm_model.bin", model.error());
  fmt::print("{}\n", bmodel::to_json(*model));
  return kOk;
}

int extract(const std::string& path) {
  auto model = bmodel::read_file(path);
  if (!model.ok()) return fail("bm_model.bin", model.error());
  if (auto written = bmodel::write_parts(*model, "."); !written.ok())
    return fail("bm_model.bin", written.error());
  for (const bmodel::Part& part : bmodel::split(*model))
    fmt::print("{} ({} bytes)\n", part.filename, part.bytes.size());
  return kOk;
}

// The result has the container of the first model.
int combine(const std::vector<std::string>& paths, const std::string& output) {
  std::vector<bmodel::Model> models;
  for (const std::string& path : paths) {
    auto model = bmodel::read_file(path);
    if (!model.ok()) return fail("bm_model.bin", model.error());
    models.push_back(std::move(*model));
  }
  auto combined = bmodel::combine(models);
  if (!combined.ok()) return fail("bm_model.bin", combined.error());
  auto written = bmodel::write_file(*combined, combined->container, output);
  if (!written.ok()) return fail("bm_model.bin", written.error());
  fmt::print("{}: {} varieties\n", output, combined->varieties.size());
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Shows, splits and merges bmodels", "bm_model.bin");
  app.footer(
      fmt::format("Examples:\n  bm_model.bin --info net.bmodel\n"
                  "  bm_model.bin --extract net.bmodel\n"
                  "  bm_model.bin --combine a.bmodel b.bmodel -o both.bmodel\n\n{}",
                  kExitCodes));
  std::string shown, extracted, output;
  std::vector<std::string> merged;
  auto* what = app.add_option_group("action");
  what->add_option("--info", shown, "print the model as JSON");
  what->add_option("--extract", extracted, "write the parts of the model to files here");
  auto* merging = what->add_option("--combine", merged, "merge models of one net into OUTPUT");
  what->require_option(1);
  app.add_option("-o,--output", output, "file to write")->needs(merging);
  tputwin::set_default_log_level(tputwin::LogLevel::quiet);  // the tool prints the errors
  if (auto ended = parse(app, argc, argv, kUsage)) return *ended;
  if (!merged.empty() && output.empty()) return bad_usage(app, "--output is required", kUsage);
  if (!shown.empty()) return info(shown);
  if (!extracted.empty()) return extract(extracted);
  return combine(merged, output);
}
