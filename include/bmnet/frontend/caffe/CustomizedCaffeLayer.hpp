// CustomizedCaffeLayer: base of a user's Caffe layers. (BMNNSDK API v1, "CustomizedCaffeLayer")
#ifndef BMNET_FRONTEND_CAFFE_CUSTOMIZEDCAFFELAYER_HPP
#define BMNET_FRONTEND_CAFFE_CUSTOMIZEDCAFFELAYER_HPP

#include <bmnet/frontend/caffe/CaffeLayer.hpp>

namespace bmnet {

class CustomizedCaffeLayer : public CaffeLayer {
 public:
  CustomizedCaffeLayer() {}
  ~CustomizedCaffeLayer() {}

  // Overriding functions call this one first, and may then set another sub type. The instruction
  // that runs the layer is "tg_" + sub type.
  void setup(TensorOp* op) override {
    op->set_name(layer_.name());
    op->set_type("tg_customized");
    op->mutable_tg_customized_param()->set_sub_type(layer_name());
  }
};

}  // namespace bmnet

#endif
