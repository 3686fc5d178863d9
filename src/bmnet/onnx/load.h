// Loading of nets of any format that the compiler accepts: Caffe's files, or an ONNX file. A
// library reads ONNX (libtputwin_onnx.so). It is loaded with the first ONNX file.
#pragma once

#include <bmnet/calibration.pb.h>

#include <span>
#include <string>

#include "bmnet/caffe/import.h"

namespace tputwin::net {

struct LoadedNet {
  caffe::NetParameter net;  // for ONNX: operations (operation.h)
  // Thresholds in the file itself (quantized ONNX). Without layers otherwise.
  NetCalibrationParameter thresholds;
  // Upper bounds of further thresholds, those of means after the tensors with thresholds. Used if
  // no samples give better ones.
  NetCalibrationParameter threshold_bounds;
  // Text of the calibration table in a file of the vendor's ONNX; or empty.
  std::string table;
  bool is_onnx = false;
  // ONNX: the file leaves the first extent of an input open.
  bool has_open_batch = false;
  // ONNX: outputs that the options chose, and the result of a node behind each which tables of the
  // whole net may join with it: the Relu of a convolution, for example.
  std::vector<std::pair<std::string, std::string>> joined_ends = {};
  // ONNX: the net was read with the batch of the options.
  bool has_batch = false;

  // Returns the options that are left for import_caffe() of those that the net was loaded with. An
  // ONNX net already has its shapes.
  ImportOptions left_of(ImportOptions options) const;
};

// Returns true if the name has the form "NET.onnx".
bool is_onnx_file(const std::string& path);

// Loads Caffe's files or an ONNX file. Either path may be that of the ONNX file if the other one is
// empty. `options` has the shapes of its inputs. An extent that the file leaves open is 1 for axis
// 0; for other axes it must be given.
//
// An ONNX file is read with the batch of `options`, since its shapes, and what its nodes compute,
// follow from the extents of the inputs. If some first extents are open, these are the batch, and
// others stay. Else all are, if they are equal, or those of 1. A file that fixes all first extents
// may have constants that belong to one batch. If it cannot be read with another one and its layers
// keep samples independent, its net stays as it is for import_caffe() to give it the batch.
Result<LoadedNet> load_net(const std::string& prototxt, const std::string& model,
                           const ImportOptions& options = {});

// Returns true if import_caffe() may give the net, which these arguments loaded, other batches:
// then it is what the ONNX file is with them. Reads the file again with a few batches.
bool keeps_meaning_with_batch(const LoadedNet& net, const std::string& prototxt,
                              const std::string& model, const ImportOptions& options);

// The function of libtputwin_onnx.so with the name below. Converts a file's bytes to a net.
// External data must be in the directory of `path`.
using ReadOnnx = Result<LoadedNet>(std::span<const uint8_t> file, const std::string& path,
                                   const ImportOptions& options);
inline constexpr const char* kReadOnnx = "tputwin_read_onnx";
// Returns the function of the library with this name.
Result<ReadOnnx*> find_onnx_reader(const char* library);

}  // namespace tputwin::net
