// What `tputwin calibrate` shares with `tputwin eval` and calibration_caffe.bin.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/calibrate.h"

namespace tputwin::tools {

// --mean, --scale, --rgb, --crop, --letterbox, --border, --resize: how pictures become samples.
void add_preparation_options(CLI::App& app, net::DataOptions& data);
// --data, --mean, --scale ... into `request`, which must outlive the parsing.
void add_data_options(CLI::App& app, CalibrateRequest& request);
void add_method_options(CLI::App& app, CalibrateRequest& request);
// Runs, prints; the exit code.
int run_calibrate(std::string_view tool, CalibrateRequest request);

}  // namespace tputwin::tools
