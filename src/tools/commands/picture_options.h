// Options of `tputwin run` for pictures.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/vision/run_pictures.h"

namespace tputwin::tools {

struct PictureCommand {
  LookOptions options;
  NetChoice choice;
  std::string model, description, labels;

  bool wanted() const { return !options.images.empty(); }
};

// Adds --image, --describe, --labels, --top, --scores, --detections, --threshold, --draw, --format
// and the options that prepare pictures as the net's input.
void add_picture_options(CLI::App& app, PictureCommand& command);
// Runs the net and prints; returns the exit code. `app` knows the options that were given.
int run_pictures(const CLI::App& app, PictureCommand& command);

}  // namespace tputwin::tools
