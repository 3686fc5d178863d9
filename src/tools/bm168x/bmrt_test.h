// bmrt_test: runs the nets of bmodels on random input or on that of a context directory, and
// compares.
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
  bool compare = true;               // compares with the directory's outputs
  double float_accuracy = 0.01;      // largest |a - b| / max(|a|, |b|, 1)
  double int_accuracy = 0;           // largest |a - b|
  unsigned loops = 1, times = 1, threads = 1;
  std::string export_output;  // a file for all outputs, one after the other
  // A file for the neuron memory after each stage.
  std::string export_neuron;
  // Required shapes of the outputs; others are a difference.
  ShapeList output_shapes;
  // Prints the operations of each stage and their cost at full rate.
  bool profile = false;
  bool subnet_time = false;   // prints the time of each subnet
  bool debug_output = false;  // prints the first values of each output
};

// Bytes of the .dat files of a context directory: for each net, for each stage, the tensors one
// after the other. Without a value: random input and no comparison.
struct ReferenceData {
  std::optional<std::vector<uint8_t>> inputs, outputs;
};

struct BmrtTestReport {
  std::string text;
  bool equal = true;
};

// Runs every selected net and stage.
Result<BmrtTestReport> test_nets(const bmodel::OpenFile& file, const ReferenceData& data,
                                 const BmrtTestOptions& options);
// Runs compilation.bmodel, input_ref_data.dat and output_ref_data.dat of a directory.
Result<BmrtTestReport> test_directory(const std::string& directory, const BmrtTestOptions& options);

}  // namespace tputwin::tools
