// Warnings of calibration about int8 tensors that differ much from the float net's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bmnet/calibrate/calibrate.h"

namespace tputwin::net {

// Below these values, in dB, the error is more than a third (outputs) or half (inner tensors) of
// the signal.
constexpr double kLeastOutputSqnr = 10, kLeastInnerSqnr = 6;
// Largest ratio of a concatenation's threshold to the largest magnitude of an input.
constexpr float kLargestConcatRatio = 64;

// Warns about outputs that fit badly, about the first inner tensors that lose precision (those
// whose inputs fit), and about small inputs of int8 concatenations. `reports` are keyed by tensor,
// and belong to the int8 network as it is compiled.
void warn_of_poor_fit(const Network& network,
                      const std::map<std::string, TensorReport, std::less<>>& reports,
                      std::vector<Error>& warnings);

// Returns an error for each output whose cosine is below the required one.
std::vector<Error> missed_outputs(const Calibration& calibration, double required);

}  // namespace tputwin::net
