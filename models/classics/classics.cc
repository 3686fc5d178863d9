#include "classics/classics.h"

#include "base/errors/bmnet.h"

namespace tputwin::models {

std::span<const Classic> classics() {
  static constexpr Classic kClassics[] = {
      {"alexnet", alexnet},
      {"vgg16", vgg16},
      {"googlenet", googlenet},
      {"squeezenet", squeezenet},
      {"resnet18", resnet18},
      {"resnet50", resnet50},
      {"mobilenet_v1", mobilenet_v1},
      {"mobilenet_v2", mobilenet_v2},
      {"ssd_mobilenet", ssd_mobilenet},
      {"yolo_v2_tiny", yolo_v2_tiny},
      {"yolo_v3_tiny", yolo_v3_tiny},
  };
  return kClassics;
}

Result<caffe::NetParameter> make_classic(std::string_view name, uint64_t seed) {
  for (const Classic& classic : classics()) {
    if (classic.name != name) continue;
    caffe::NetParameter net = classic.graph();
    TW_RETURN_IF_ERROR(fill_weights(net, seed));
    return net;
  }
  return Error(errors::net_cli).in("make_classic").argument("name", std::string(name));
}

}  // namespace tputwin::models
