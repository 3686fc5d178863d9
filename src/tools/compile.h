// tputwin compile and bm_builder.bin: a Caffe or ONNX model to a bmodel.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "bmnet/pipeline/compile.h"

namespace tputwin::tools {

struct CompileRequest {
  std::string prototxt;  // graph; empty: that of the caffemodel
  std::string
      caffemodel;     // int8 weights, or floats, which are quantized with the table; or NET.onnx
  std::string table;  // calibration table; empty: quantized ONNX has thresholds
  std::vector<std::vector<int64_t>> shapes;  // one per input; empty: the net's own
  int64_t batch = 0;                         // not 0: instead of the shapes' first extent
  net::CompileOptions options;
  std::string name = "net";
  std::string plugin_directory;  // empty: where the shipped plugins lie
  // Files to write; empty ones are not.
  std::string model, ir, commands, weights, out_table;
};

struct CompileResult {
  net::Compiled compiled;
  double seconds = 0;  // of the compiler, without reading and writing
};

Result<CompileResult> compile_caffe(const CompileRequest& request);

// What `tputwin compile` prints.
std::string compile_text(const CompileRequest& request, const CompileResult& result);

// "1,3,224,224"
Result<std::vector<int64_t>> parse_shape(const std::string& text);

}  // namespace tputwin::tools
