// Refusal of int8 nets where a float net is wanted: both are caffemodels, and the numbers of both
// are stored as floats.
#pragma once

#include "bmnet/caffe/caffe_net.h"

namespace tputwin::net {

// Returns an error if all weights of the Caffe net are integers of int8 nets.
Status check_float_weights(const caffe::NetParameter& net);

}  // namespace tputwin::net
