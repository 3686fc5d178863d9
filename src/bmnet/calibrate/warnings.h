// Warnings of calibration: int8 tensors that are far from the float net's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bmnet/calibrate/calibrate.h"

namespace tputwin::net {

// Below these, in dB, the error is a third (output) or half (tensors inside) of the signal.
constexpr double kLeastOutputSqnr = 10, kLeastInnerSqnr = 6;
// The threshold of a concatenation may be so many times the largest magnitude of an input.
constexpr float kLargestConcatRatio = 64;

// `reports` by tensor, of the int8 network as it is compiled. Warns of outputs that fit badly, of
// the first tensors inside where precision is lost (those whose inputs fit), and of small inputs of
// int8 concatenations.
void warn_of_poor_fit(const Network& network,
                      const std::map<std::string, TensorReport, std::less<>>& reports,
                      std::vector<Error>& warnings);

}  // namespace tputwin::net
