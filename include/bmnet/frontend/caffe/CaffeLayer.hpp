// CaffeLayer: a Layer made from a Caffe LayerParameter. (BMNNSDK API v1, "CustomizedCaffeLayer")
#ifndef BMNET_FRONTEND_CAFFE_CAFFELAYER_HPP
#define BMNET_FRONTEND_CAFFE_CAFFELAYER_HPP

#include <bmnet/bmnet_caffe.pb.h>
#include <bmnet/frontend/Layer.hpp>
#include <bmnet/frontend/caffe/CaffeFrontendContext.hpp>

#include <stddef.h>

#include <string>

namespace bmnet {

class CaffeLayer : public Layer {
 public:
  CaffeLayer() : layer_(own_), weight_size_(0) {}
  explicit CaffeLayer(FrontendContext* ctx) : layer_(own_), weight_size_(0) {
    set_frontend_context(ctx);
  }
  virtual ~CaffeLayer() {}
  CaffeLayer(const CaffeLayer&) = delete;
  CaffeLayer& operator=(const CaffeLayer&) = delete;

  // Sets the layer to convert; called before setup().
  void set_layer(const caffe::LayerParameter& layer) { own_ = layer; }
  bool parse_layer(const std::string& message) override {
    return own_.ParsePartialFromString(message);
  }

  // Sets the bytes of weight memory in use.
  void set_current_weight_size(size_t size) { weight_size_ = size; }
  size_t get_current_weight_size() const { return weight_size_; }
  size_t reserve_weight(size_t size) {
    const size_t offset = weight_size_;
    weight_size_ += size;
    return offset;
  }

 private:
  caffe::LayerParameter own_;

 protected:
  caffe::LayerParameter& layer_;

 private:
  size_t weight_size_;
};

}  // namespace bmnet

#endif
