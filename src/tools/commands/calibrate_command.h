// Parts of `tputwin calibrate` that `tputwin eval` and calibration_caffe.bin use.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/calibrate.h"

namespace tputwin::tools {

// Adds --mean, --scale, --rgb, --crop, --letterbox, --border, --resize: preparation of pictures as
// samples.
void add_preparation_options(CLI::App& app, net::DataOptions& data);
// Adds --data, --mean, --scale ... for `request`, which must outlive the parsing.
void add_data_options(CLI::App& app, CalibrateRequest& request);
void add_method_options(CLI::App& app, CalibrateRequest& request);
// Runs the calibration and prints; returns the exit code.
int run_calibrate(std::string_view tool, CalibrateRequest request);

}  // namespace tputwin::tools
