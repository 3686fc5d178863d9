// Calibration as the tools offer it: files in, files out.
#pragma once

#include <string>

#include "bmnet/calibrate/calibrate.h"

namespace tputwin::tools {

struct CalibrateRequest {
  std::string name;                  // of the net, in the names of the files
  std::string prototxt, caffemodel;  // float
  std::string data;                  // empty: what the net's data layer names
  net::DataOptions data_options;
  net::CalibrationOptions options;
  std::vector<int64_t> shape;  // n,c,h,w of the input; empty: what the net or the data tells
  std::string output_directory;
  std::string suffix;       // ".1x10"
  std::string report_path;  // JSON; empty: none
  bool progress = false;
};

// The files bmnet_NAME_int8SUFFIX.caffemodel, bmnet_NAME_calibration_tableSUFFIX.pb2 and .prototxt,
// and bmnet_NAME_deploy.prototxt.
struct CalibratedFiles {
  std::string model, table, table_text, deploy;
  std::string report;  // how well it fits, JSON
  std::string text;    // the same for people
};
Result<CalibratedFiles> write_calibrated(CalibrateRequest request);
// The same as a text of what was written and how well it fits.
Result<std::string> calibrate_files(CalibrateRequest request);

// The calibration_caffe.bin of `directory`: deploy.prototxt and its one caffemodel.
Result<CalibrateRequest> find_model(const std::string& name, const std::string& directory);

}  // namespace tputwin::tools
