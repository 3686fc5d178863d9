// tputwin run --image: passes on the options that mean the same with and without pictures.
#include <fmt/format.h>

#include "base/last_error.h"
#include "base/parallel.h"
#include "tools/commands/command.h"
#include "tools/commands/run_command.h"

namespace tputwin::tools {

int run_on_pictures(const CLI::App& app, RunCommand& command) {
  for (const char* option :
       {"--input", "--compare", "--repeat", "--devices", "--latency", "--account"})
    if (app.get_option(option)->count() > 0)
      return bad_usage(app, fmt::format("{} does not go with --image", option), kUsage);
  auto shapes = parse_shapes(command.shapes);
  if (!shapes.ok()) return fail("tputwin", shapes.error());
  if (command.options.threads != 0) set_thread_count(static_cast<int>(command.options.threads));
  command.pictures.model = command.model;
  if (command.json) command.pictures.options.format = ResultFormat::json;
  command.pictures.options.output = command.output;
  command.pictures.choice = {.net = command.net,
                             .stage = command.stage,
                             .shapes = *shapes,
                             .plugin_directory = command.options.plugin_directory,
                             .reference = command.options.reference,
                             .host_libraries = command.host_libraries,
                             .first_stage = true};
  return run_pictures(app, command.pictures);
}

}  // namespace tputwin::tools
