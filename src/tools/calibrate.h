// Calibration as the tools offer it: files in, files out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bmnet/calibrate/calibrate.h"
#include "tools/campaign/campaign.h"

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
  std::string checkpoint;   // of calibrate_together(): the file to go on from
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

// The same in units, which any process may do: ranges of all samples, then distributions.
class CalibrationFiles {
 public:
  static Result<std::unique_ptr<CalibrationFiles>> open(CalibrateRequest request);
  ~CalibrationFiles();

  uint64_t steps() const;  // units, and what write() tells the request's progress
  Campaign campaign();     // used while this lives
  Result<CalibratedFiles> write(const std::vector<std::string>& lines);  // of all its units
  Result<CalibratedFiles> all();                                         // units here, and write()

 private:
  struct Parts;
  explicit CalibrationFiles(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// By all processes that mpirun started; nothing in those that are not the leader.
Result<std::optional<CalibratedFiles>> calibrate_together(CalibrateRequest request);
// The same as a text of what was written and how well it fits; empty in the others.
Result<std::string> calibrate_files(CalibrateRequest request);

// The calibration_caffe.bin of `directory`: deploy.prototxt and its one caffemodel.
Result<CalibrateRequest> find_model(const std::string& name, const std::string& directory);

}  // namespace tputwin::tools
