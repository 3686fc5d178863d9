// Nets of Caffe as text with blobs, and their results here: in float, folded, and in int8.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bmnet/caffe/import.h"
#include "bmnet/calibrate/calibrate.h"

namespace tputwin::net::testing {

using Floats = std::vector<float>;
using Shape = std::vector<int64_t>;
using Values = std::map<std::string, Floats>;  // by the name of a blob of the Caffe net

struct LayerBlob {
  std::string layer;
  Shape shape;
  Floats values;
};

// Returns the text of an Input layer of these extents.
std::string input_text(const std::string& name, const Shape& shape);
// Reads the text as a graph, with these blobs as the caffemodel.
Result<caffe::NetParameter> try_net(const std::string& text,
                                    const std::vector<LayerBlob>& blobs = {});
caffe::NetParameter make_net(const std::string& text, const std::vector<LayerBlob>& blobs = {});

// Returns the outputs of the float net as it is, and after fold_batch_norm.
Result<Values> run_float(const caffe::NetParameter& net, const Values& inputs);
Result<Values> run_folded(const caffe::NetParameter& net, const Values& inputs);
// Calibrates on the samples, writes the int8 net and its table, reads them again, and runs each
// sample by the interpreter. Values are real ones.
struct Int8Run {
  std::vector<Values> outputs;  // of each sample
  std::map<std::string, float> thresholds;
};
Result<Int8Run> run_int8(const caffe::NetParameter& net, const std::vector<Values>& samples,
                         CalibrationOptions options = {});

// Returns 10 log10(signal / error); infinity if there is no error.
double sqnr(const Floats& right, const Floats& found);
// Expects each value within four units in the last place of a float, or within `absolute`.
void expect_floats(const Floats& found, const Floats& right, float absolute = 0);

}  // namespace tputwin::net::testing
