// Layer: turns a layer of a framework into its TensorOp. (BMNNSDK API v1, "CustomizedCaffeLayer")
#ifndef BMNET_FRONTEND_LAYER_HPP
#define BMNET_FRONTEND_LAYER_HPP

#include <bmnet/frontend/FrontendContext.hpp>
#include <bmnet/proto/TensorOps.hpp>

#include <string>

namespace bmnet {

class Layer {
 public:
  Layer() : ctx_(nullptr) {}
  virtual ~Layer() {}

  // The type in the prototxt that this layer stands for; a built-in type is replaced.
  virtual std::string layer_name() = 0;
  // Prints the layer.
  virtual void dump() = 0;
  // Before setup(): the framework's own message of the layer, serialized, because the compiler's
  // classes and the program's need not be the same. False if it cannot be read.
  virtual bool parse_layer(const std::string& message) {
    (void)message;
    return true;
  }
  // First: name, type and sub type of the op. Names and shapes of the inputs are set already.
  virtual void setup(TensorOp* op) = 0;
  // Then: the parameters, and with add_output_shape() the shape of every output.
  virtual void codegen(TensorOp* op) = 0;

  void set_frontend_context(FrontendContext* ctx) { ctx_ = ctx; }
  FrontendContext* get_frontend_context() const { return ctx_; }

 protected:
  // Offsets are assigned by the compiler; kept for programs that call it with 0.
  void add_output_offset(int offset) { (void)offset; }

  FrontendContext* ctx_;
};

}  // namespace bmnet

#endif
