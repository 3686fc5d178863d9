// Nets of a few layers, written by hand.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include <string>
#include <vector>

#include "bmnet/reference/execute.h"

namespace tputwin::test {

using net::Blob;
using net::LayerIntegers;
using net::make_shape;
using net::Network;
using net::TensorBytes;
using net::TensorOp;
using net::TensorShape;
using Values = std::vector<int>;

inline TensorBytes to_bytes(const Values& values) { return {values.begin(), values.end()}; }
inline Values to_values(const TensorBytes& bytes) {
  Values values;
  for (uint8_t byte : bytes) values.push_back(static_cast<int8_t>(byte));
  return values;
}
inline Blob blob(std::vector<float> data) {
  return {{static_cast<int64_t>(data.size())}, std::move(data)};
}

// A net of one layer: inputs "in0", "in1" ..., outputs "out0" ...
struct OneLayer {
  explicit OneLayer(const std::string& type) {
    op.set_name("layer");
    op.set_type(type);
  }
  OneLayer& input(const std::vector<int64_t>& shape, const Values& values) {
    return input(make_shape(shape), to_bytes(values));
  }
  OneLayer& input(const TensorShape& shape, TensorBytes bytes) {
    std::string name = "in" + std::to_string(op.bottom_size());
    TensorOp start;
    start.set_name(name);
    start.set_type("start");
    start.add_top(name);
    *start.add_output_shape() = shape;
    starts.push_back(start);
    op.add_bottom(name);
    *op.add_input_shape() = shape;
    inputs[name] = std::move(bytes);
    return *this;
  }
  OneLayer& output(const std::vector<int64_t>& shape, int data_type_size = 1) {
    op.add_top("out" + std::to_string(op.top_size()));
    *op.add_output_shape() = make_shape(shape, data_type_size);
    return *this;
  }

  Result<std::map<std::string, TensorBytes>> tensors() const {
    Network network;
    network.name = "one";
    network.ops = starts;
    network.ops.push_back(op);
    TensorOp end;
    end.set_name("end");
    end.set_type("end");
    for (int i = 0; i < op.top_size(); ++i) {
      end.add_bottom(op.top(i));
      *end.add_input_shape() = op.output_shape(i);
    }
    network.ops.push_back(end);
    network.blobs["layer"] = blobs;
    std::vector<LayerIntegers> all(network.ops.size());
    all[starts.size()] = integers;
    return run_int8(network, all, inputs);
  }
  Values run(int output = 0) const {
    auto result = tensors();
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? to_values(result->at("out" + std::to_string(output))) : Values();
  }

  TensorOp op;
  LayerIntegers integers;
  std::vector<Blob> blobs;
  std::vector<TensorOp> starts;
  std::map<std::string, TensorBytes> inputs;
};

}  // namespace tputwin::test
