// The data set that a net's own data layer describes.
#pragma once

#include "tools/calibrate.h"

namespace tputwin::tools {

// Reads the data set (unless the request has one) and its preparation from a Data or ImageData
// layer of the net. Replaces the layer by an Input layer of the samples' shape.
Status use_data_layer(net::caffe::NetParameter& model, CalibrateRequest& request);

}  // namespace tputwin::tools
