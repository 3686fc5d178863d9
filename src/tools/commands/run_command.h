// tputwin run: what its options say, and its paths, one file each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bmodel/open.h"
#include "tools/command_line.h"
#include "tools/commands/picture_options.h"
#include "tools/reports/json.h"
#include "tools/run.h"

namespace tputwin::tools {

struct RunCommand {
  std::string model, table, output, reference_output, net, host_libraries;
  std::vector<std::string> inputs, shapes;
  std::vector<std::string> input_names;  // of NET.onnx; files of the BM1880 name no inputs
  std::optional<size_t> stage;
  bool all_stages = false, dequantize = false, json = false, strict = false;
  RunOptions options;
  PictureCommand pictures;
};

// Returns the shapes of --shape.
Result<ShapeList> parse_shapes(const std::vector<std::string>& texts);

// Each runs a model, prints, and returns the exit code.
int run_bm1880(RunCommand& command, std::span<const uint8_t> file, const bmodel::Model& model);
int run_bm168x(const RunCommand& command, const bmodel::OpenFile& file);
int run_on_pictures(const CLI::App& app, RunCommand& command);

// Prints the report of a run before its results are written, so that an error follows it.
void print_report(const RunCommand& command, const std::string& text);
// Compares the outputs with a file, if one is given, and prints the report as JSON. Returns the
// exit code.
int finish_run(const RunCommand& command, Json json, const std::vector<uint8_t>& output);

}  // namespace tputwin::tools
