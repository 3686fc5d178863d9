// What `tputwin run` knows about pictures.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/vision/look.h"

namespace tputwin::tools {

struct PictureCommand {
  LookOptions options;
  NetChoice choice;
  std::string model, description, labels;

  bool wanted() const { return !options.images.empty(); }
};

// --image, --describe, --labels, --top, --scores, --detections, --threshold, --draw, --format and
// how pictures become the net's input.
void add_picture_options(CLI::App& app, PictureCommand& command);
// Runs, prints; the exit code. `app` tells what was given.
int run_pictures(const CLI::App& app, PictureCommand& command);

}  // namespace tputwin::tools
