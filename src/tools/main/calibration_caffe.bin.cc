// calibration_caffe.bin: float Caffe net -> int8 caffemodel and calibration table.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/log.h"
#include "tools/command_line.h"
#include "tools/commands/calibrate_command.h"
#include "tools/exit_code.h"

int main(int argc, char** argv) {
  using namespace tputwin::tools;
  CLI::App app("Converts a float Caffe net to an int8 net and its calibration table",
               "calibration_caffe.bin");
  std::string name, directory;
  size_t iterations = 10;
  CalibrateRequest request;
  app.add_option("NET_NAME", name, "name of the net, in the names of the files")->required();
  app.add_option("CAFFEMODEL_DIR", directory,
                 "folder with deploy.prototxt, whose data layer names an LMDB, and the caffemodel")
      ->required();
  app.add_option("OUTPUT_DIR", request.output_directory, "folder to write to")->required();
  app.add_option("--iteration", iterations, "samples to look at; default 10")
      ->check(CLI::Range(size_t{1}, size_t{1} << 32));
  add_data_options(app, request);
  add_method_options(app, request);
  app.footer(
      fmt::format("Writes OUTPUT_DIR/bmnet_NET_NAME_int8.1x10.caffemodel and\n"
                  "OUTPUT_DIR/bmnet_NET_NAME_calibration_table.1x10.pb2 (and .prototxt).\n\n"
                  "Examples:\n  calibration_caffe.bin lenet models/lenet out\n\n{}",
                  kExitCodes));
  tputwin::set_default_log_level(tputwin::LogLevel::quiet);  // the tool prints the errors
  if (auto ended = parse(app, argc, argv, kUsage)) return *ended;
  auto found = find_model(name, directory);
  if (!found.ok()) return fail("calibration_caffe.bin", found.error());
  request.name = name;
  request.prototxt = found->prototxt;
  request.caffemodel = found->caffemodel;
  request.options.samples = iterations;
  request.suffix = fmt::format(".1x{}", iterations);
  return run_calibrate("calibration_caffe.bin", request);
}
