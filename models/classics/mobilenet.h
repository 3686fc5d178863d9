// The body of MobileNet v1, which SSD stands on.
#pragma once

#include "classics/graph.h"

namespace tputwin::models {

struct MobileNetBackbone {
  Name conv11, conv13;  // of strides 16 and 32
};
MobileNetBackbone mobilenet_backbone(Graph& g, const Name& x);

}  // namespace tputwin::models
