// bmrt_test: runs the nets of bmodels, on made-up input or on a context directory's, and compares.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bmodel/open.h"
#include "tools/runtime.h"

namespace tputwin::tools {

struct BmrtTestOptions {
  std::optional<size_t> net, stage;  // only these
  ShapeList shapes;                  // only the stage with these input shapes
  bool compare = true;               // with the directory's outputs
  double float_accuracy = 0.01;      // largest |a - b| / max(|a|, |b|, 1)
  double int_accuracy = 0;           // largest |a - b|
  unsigned loops = 1, times = 1, threads = 1;
  std::string export_output;  // a file for all outputs, one after the other
  std::string export_neuron;  // the same for the neuron memory that each stage leaves
  ShapeList output_shapes;    // what the outputs are, or it is a difference
  bool profile = false;       // show the operations of each stage, and what they cost at full rate
  bool subnet_time = false;   // show how long each subnet takes
  bool debug_output = false;  // show the first values of each output
};

// Bytes of the .dat files of a context directory: for each net, for each stage, the tensors one
// after the other. Without a value: made-up input, nothing to compare with.
struct ReferenceData {
  std::optional<std::vector<uint8_t>> inputs, outputs;
};

struct BmrtTestReport {
  std::string text;
  bool equal = true;
};

// Every net and stage that is not left out.
Result<BmrtTestReport> test_nets(const bmodel::OpenFile& file, const ReferenceData& data,
                                 const BmrtTestOptions& options);
// compilation.bmodel, input_ref_data.dat and output_ref_data.dat of a directory.
Result<BmrtTestReport> test_directory(const std::string& directory, const BmrtTestOptions& options);

}  // namespace tputwin::tools
