// What a net's own data layer says about its data set.
#pragma once

#include "tools/calibrate.h"

namespace tputwin::tools {

// A Data or ImageData layer of the net gives the data set (unless the request has one) and how it
// is prepared; then it becomes an Input layer of the samples' shape.
Status use_data_layer(net::caffe::NetParameter& model, CalibrateRequest& request);

}  // namespace tputwin::tools
