// Expansion: the nodes that stand for an operator that is made of others.
#pragma once

#include <utility>
#include <variant>

#include "bmnet/onnx/reader/node.h"
#include "bmnet/onnx/reader/subgraphs.h"

namespace tputwin::net::onnx_reader {

class Expansion {
 public:
  using Attribute =
      std::pair<const char*, std::variant<int64_t, float, const char*, std::string, Dims>>;
  explicit Expansion(Node& node) : node_(node) {}

  // Returns the name of the node's input; "" if it has none.
  std::string in(size_t input) const;
  // Adds a constant. Returns its name.
  std::string reals(const Dims& dims, const std::vector<float>& values);
  std::string real(float value) { return reals({}, {value}); }
  std::string integers(const Dims& values);
  std::string integer(int64_t value);
  std::string booleans(const Dims& dims, const std::vector<int64_t>& values);
  std::string empty(const Dims& dims, int type);  // of no elements
  // Adds a node with one output. Returns the name of that output.
  std::string add(const char* type, const std::vector<std::string>& inputs,
                  const std::vector<Attribute>& attributes = {});
  // Adds x where the condition holds, else 0: x may be NaN or infinite elsewhere.
  std::string keep(const std::string& x, const std::string& condition);
  // Adds x where the condition does not hold, else 0.
  std::string drop(const std::string& x, const std::string& condition);
  // Adds a where the condition holds, else b. Both must have the same extents.
  std::string choose(const std::string& condition, const std::string& a, const std::string& b);
  // Adds the real numbers of a quantized tensor.
  std::string real_numbers(const std::string& x);
  // Adds a tensor as it is, which holds the integers of `type` less `zero`.
  std::string span(const std::string& x, int type, int64_t zero);
  // Adds whole numbers as integers of ONNX.
  std::string as_integers(const std::string& x, int type);
  // Adds a function of one value, by its name in cpu_ops/functions.cc.
  std::string function(const char* name, const std::string& x, const Dims& arguments = {});
  // Adds a tensor with zeros up to its largest extents, which the first `open_axes` may lack. The
  // other axes must have all elements if `needs_all`.
  std::string fill(const std::string& x, size_t open_axes, bool needs_all);
  // Adds the beginning of y: as many elements as x has, along the first `open_axes`.
  std::string cut(const std::string& y, const std::string& x, size_t open_axes);
  // Adds a copy of the node with x as this input.
  std::string copy_with(const std::string& x, size_t input);
  // Adds a node with several outputs. Returns their names.
  std::vector<std::string> add_many(const char* type, const std::vector<std::string>& inputs,
                                    size_t outputs, const std::vector<Attribute>& attributes = {});
  // Makes a tensor the node's output, and hands the nodes to the importer.
  void set(const std::string& tensor, size_t output = 0);
  // Gives the node added last an attribute of the node, if the node has it.
  void copy_attribute(const char* name);
  Nodes& nodes() { return node_.expansion(); }

 private:
  std::string constant(const Constant& constant);
  Node& node_;
};

}  // namespace tputwin::net::onnx_reader
