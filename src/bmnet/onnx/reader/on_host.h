// Nodes that become operators of the host (docs/host-operators.md), for models of subnets.
#pragma once

#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

// Returns true if the host must compute the node, because of its inputs: their extents are known at
// run time, or they are integers that must be exact, or all are values of the host.
bool is_of_host(const Node& node);
// Returns true if the host has an operator of the node's name.
bool has_host_form(const Node& node);
// Returns true if extents of an input are known at run time.
bool has_open_extents(const Node& node);

// Returns true if the chip computes the node although extents of its input are known at run time:
// on a tensor with zeros up to the largest extents, whose results are cut. Adds those nodes.
bool expand_open_extents(Node& node);

// An operator of the host under construction.
class HostCall {
 public:
  explicit HostCall(Node& node, std::string text = "") : node_(node) {
    op_ = make_op(Op::host);
    op_.mutable_tg_host_param()->set_text(std::move(text));
  }
  void append(const std::string& word) {
    *op_.mutable_tg_host_param()->mutable_text() += " " + word;
  }
  // Adds an input: one of the node, with its own shape, a tensor of the net, or a constant.
  void take(size_t input);
  // Does the same for the real numbers of a quantized tensor.
  void take_real(size_t input);
  void take(const std::string& tensor, bool varies);
  void take_constant(const Dims& dims, std::vector<float> values);
  bool varies() const { return varies_; }
  // Says whether the extents of results are known at run time only, in place of what inputs say.
  void set_varies(bool varies = true) { varies_ = varies; }
  // Refuses integers of a constant that are no numbers of fp32.
  void check_integers(const Constant& constant, const std::string& name) const;
  // Adds an input of bounds: integers beyond those of fp32 become the nearest ones.
  void take_bounds(size_t input);
  // Adds the operator. Returns its results, whose largest extents are given.
  std::vector<std::string> add(const std::vector<Dims>& results, std::string_view what = "");
  // Adds the operator and makes its only result output 0 of the node.
  void set(const Dims& result, ValueKind kind);
  // Does what set() does, for operators whose results are elements of the first input.
  void set_moved(const Dims& result);
  // Does what set() does, for results that are computed of elements and stay on the host.
  void set_elements(const Dims& result);
  // Makes a tensor an output of the node.
  void set(const std::string& tensor, const Dims& dims, ValueKind kind, size_t output);

 private:
  Node& node_;
  TensorOp op_;
  std::vector<Blob> blobs_;
  uint32_t inputs_ = 0;
  bool varies_ = false;
};

}  // namespace tputwin::net::onnx_reader
