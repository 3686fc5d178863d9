// Layer: converts a layer of a framework to its TensorOp. (BMNNSDK API v1, "CustomizedCaffeLayer")
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

  // Returns the type in the prototxt that this layer replaces, which may be a built-in type.
  virtual std::string layer_name() = 0;
  // Prints the layer.
  virtual void dump() = 0;
  // Called before setup() with the framework's message of the layer. The message is serialized
  // because the classes of compiler and program may differ. Returns false if it cannot be read.
  virtual bool parse_layer(const std::string& message) {
    (void)message;
    return true;
  }
  // Called first: sets name, type and sub type of the op. Names and shapes of the inputs are set
  // already.
  virtual void setup(TensorOp* op) = 0;
  // Called second: sets the parameters, and with add_output_shape() the shape of every output.
  virtual void codegen(TensorOp* op) = 0;

  void set_frontend_context(FrontendContext* ctx) { ctx_ = ctx; }
  FrontendContext* get_frontend_context() const { return ctx_; }

 protected:
  // The compiler assigns offsets; kept for programs that call it with 0.
  void add_output_offset(int offset) { (void)offset; }

  FrontendContext* ctx_;
};

}  // namespace bmnet

#endif
