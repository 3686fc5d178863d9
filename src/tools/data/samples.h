// Samples for the inputs of a net: the data sets of bmnet/data, and arrays of NumPy.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bmnet/calibrate/calibrate.h"

namespace tputwin::tools {

using DataSets = std::vector<std::unique_ptr<net::DataSet>>;

// Returns a data set for each input. `data` has a path for each input, in their order or as
// INPUT=PATH in any order; or one .npz for all, with an array for each name. Arrays (.npy, .npz)
// have one sample for each index of their first axis, and are taken as they are: `options` are for
// the other kinds. All must have the same number of samples.
Result<DataSets> open_samples(const std::vector<std::string>& data, const net::DataOptions& options,
                              const std::vector<net::SampleInput>& inputs);

// Samples with their classes.
struct LabelledSamples {
  DataSets sets;            // one for each input
  std::vector<int> labels;  // -1 if unknown
};
// Returns the same, with classes: those of "labels", an array in the .npz or a path given as
// labels=FILE.npy; otherwise those of the first data set that has classes. An input named "labels"
// is an input.
Result<LabelledSamples> open_labelled(const std::vector<std::string>& data,
                                      const net::DataOptions& options,
                                      const std::vector<net::SampleInput>& inputs);

}  // namespace tputwin::tools
