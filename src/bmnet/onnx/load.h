// Nets of any format that the compiler takes: Caffe's files, or an ONNX file, which a library of
// ours reads that is loaded when the first one is (libtputwin_onnx.so, built where libonnx-dev is
// installed).
#pragma once

#include <bmnet/calibration.pb.h>

#include <span>
#include <string>

#include "bmnet/caffe/import.h"

namespace tputwin::net {

struct LoadedNet {
  caffe::NetParameter net;  // of ONNX: of operations (caffe/operation.h)
  // Thresholds that the file itself has, of quantized ONNX; no layers otherwise.
  NetCalibrationParameter thresholds;
  // Upper bounds of further thresholds, of means behind those: taken where no samples tell better.
  NetCalibrationParameter threshold_bounds;
  std::string table;  // text of the calibration table in the file, of the vendor's ONNX; or empty
  bool is_onnx = false;
};

// By its name, "NET.onnx".
bool is_onnx_file(const std::string& path);

// Either file may be the ONNX file if the other path is empty. Shapes of options are those of its
// inputs; extents that the file leaves open are 1 in front and must be given elsewhere.
Result<LoadedNet> load_net(const std::string& prototxt, const std::string& model,
                           const ImportOptions& options = {});

// What libtputwin_onnx.so has under the name below: a file's bytes to a net; external data lies in
// the folder of `path`.
using ReadOnnx = Result<LoadedNet>(std::span<const uint8_t> file, const std::string& path,
                                   const ImportOptions& options);
inline constexpr const char* kReadOnnx = "tputwin_read_onnx";
// The function of a library of that name.
Result<ReadOnnx*> find_onnx_reader(const char* library);

}  // namespace tputwin::net
