// Nets of Caffe as text with blobs, and what they compute here: in float, folded, and in int8.
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

// An Input layer of these extents.
std::string input_text(const std::string& name, const Shape& shape);
// The text as a graph, with these blobs as the caffemodel.
Result<caffe::NetParameter> try_net(const std::string& text,
                                    const std::vector<LayerBlob>& blobs = {});
caffe::NetParameter make_net(const std::string& text, const std::vector<LayerBlob>& blobs = {});

// Outputs of the float net as it is, and with what fold_batch_norm folds.
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

// 10 log10(signal / error); infinite where there is no error.
double sqnr(const Floats& right, const Floats& found);
// Each value within four units of the last place of a float, or within `absolute`.
void expect_floats(const Floats& found, const Floats& right, float absolute = 0);

}  // namespace tputwin::net::testing
