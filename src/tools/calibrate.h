// Calibration from files to files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bmnet/calibrate/calibrate.h"
#include "chip/chip.h"
#include "chip/dtype.h"
#include "tools/campaign/campaign.h"

namespace tputwin::tools {

struct CalibrateRequest {
  std::string name;                  // name of the net, in the names of the files
  std::string prototxt, caffemodel;  // float
  // A path for each input (samples.h); empty: the source in the net's data layer.
  std::vector<std::string> data;
  net::DataOptions data_options;
  net::CalibrationOptions options;
  // n,c,h,w of each input; empty: from the net or the data.
  std::vector<std::vector<int64_t>> shapes;
  std::vector<std::string> outputs;  // tensors of ONNX at which the net ends; empty: the file's
  std::string output_directory;
  std::string suffix;       // ".1x10"
  std::string report_path;  // JSON; empty: none
  double required = -1;     // least cosine of each output
  // Nets of other chips than the BM1880 have this type; only a table is written
  // (docs/compiler168x.md).
  ChipFamily chip = ChipFamily::bm1880;
  DType stream_type = DType::i8;
  // For calibrate_together(): the file to continue from.
  std::string checkpoint;
  bool progress = false;

  bool is_stream() const { return chip != ChipFamily::bm1880; }
};

// The files bmnet_NAME_int8SUFFIX.caffemodel, bmnet_NAME_calibration_tableSUFFIX.pb2 and .prototxt,
// and bmnet_NAME_deploy.prototxt.
struct CalibratedFiles {
  std::string model, table, table_text, deploy;
  std::string report;  // quality of the calibration, JSON
  std::string text;    // the report as text
  // Outputs below the required cosine; for each, the first tensor that is.
  std::vector<Error> missed;
};
Result<CalibratedFiles> write_calibrated(CalibrateRequest request);

// CalibrationFiles: calibration in units that any process may do: ranges of all samples, then
// distributions.
class CalibrationFiles {
 public:
  static Result<std::unique_ptr<CalibrationFiles>> open(CalibrateRequest request);
  ~CalibrationFiles();

  // Number of units, and of the steps that write() reports as progress.
  uint64_t steps() const;
  Campaign campaign();  // used while this object exists
  Result<CalibratedFiles> write(const std::vector<std::string>& lines);  // lines of all its units
  // All units in this process, then write().
  Result<CalibratedFiles> all();

 private:
  struct Parts;
  explicit CalibrationFiles(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Calibrates with all processes that mpirun started. Returns nothing in those that are not the
// leader.
Result<std::optional<CalibratedFiles>> calibrate_together(CalibrateRequest request);
// A text of the written files and of their quality, and the outputs that miss the required cosine;
// empty in processes that are not the leader.
struct CalibrationText {
  std::string text;
  std::vector<Error> missed;
};
Result<CalibrationText> calibrate_files(CalibrateRequest request);

// Returns the request of calibration_caffe.bin for `directory`: deploy.prototxt and its one
// caffemodel.
Result<CalibrateRequest> find_model(const std::string& name, const std::string& directory);

}  // namespace tputwin::tools
