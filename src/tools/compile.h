// tputwin compile and bm_builder.bin: compile a Caffe or ONNX model to a bmodel.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "bmnet/pipeline/compile.h"

namespace tputwin::tools {

struct CompileRequest {
  std::string prototxt;  // graph; empty: that of the caffemodel
  // Int8 weights, or floats, which are quantized with the table; or NET.onnx.
  std::string caffemodel;
  // Calibration table; empty: quantized ONNX has thresholds.
  std::string table;
  std::vector<std::vector<int64_t>> shapes;  // one per input; empty: the net's own
  // Not 0: replaces the first extent of the shapes.
  int64_t batch = 0;
  std::vector<std::string> outputs;  // tensors of ONNX at which the net ends; empty: the file's
  net::CompileOptions options;
  std::string name = "net";
  std::string plugin_directory;  // empty: directory of the shipped plugins
  // Files to write; empty names are not written.
  std::string model, ir, commands, weights, out_table;
};

struct CompileResult {
  net::Compiled compiled;
  // Time of the compiler, without reading and writing.
  double seconds = 0;
};

Result<CompileResult> compile_caffe(const CompileRequest& request);

// Returns an error about a missing threshold as one that names the sources of thresholds if the
// request has no table, and other errors as they are.
Error about_table(const CompileRequest& request, const Error& error);

// Returns the text of `tputwin compile`.
std::string compile_text(const CompileRequest& request, const CompileResult& result);

// Parses "1,3,224,224".
Result<std::vector<int64_t>> parse_shape(const std::string& text);

}  // namespace tputwin::tools
