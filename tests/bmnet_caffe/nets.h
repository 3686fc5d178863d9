// Small nets from text, and helpers of the tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "bmnet/caffe/import.h"

namespace tputwin::net::testing {

inline caffe::NetParameter parse(const std::string& text) {
  auto net = read_prototxt(text);
  EXPECT_TRUE(net.ok()) << (net.ok() ? "" : net.error().message()) << "\n" << text;
  return net.ok() ? *net : caffe::NetParameter{};
}

// Returns an input "data" of these extents, for example "1 3 8 8".
inline std::string input(const std::string& dims, const std::string& name = "data") {
  std::string shape;
  for (size_t at = 0; at < dims.size();) {
    const size_t end = std::min(dims.find(' ', at), dims.size());
    shape += " dim: " + dims.substr(at, end - at);
    at = end + 1;
  }
  return "layer { name: '" + name + "' type: 'Input' top: '" + name + "' input_param { shape {" +
         shape + " } } }\n";
}

// Returns layer NAME with one bottom and a top of its name.
inline std::string layer(const std::string& name, const std::string& type,
                         const std::string& bottom, const std::string& parameters = "") {
  return "layer { name: '" + name + "' type: '" + type + "' bottom: '" + bottom + "' top: '" +
         name + "' " + parameters + " }\n";
}

inline Result<Network> import_text(const std::string& text) {
  return import_caffe(parse(text), {.needs_weights = false});
}

// Returns the shape of a tensor, "(1,3,8,8)", with " f" for floats; or the error.
inline std::string shape_in(const Result<Network>& network, const std::string& tensor) {
  if (!network.ok()) return network.error().message();
  const TensorShape* shape = network->shape_of(tensor);
  if (shape == nullptr) return "no tensor " + tensor;
  return describe(*shape) + (shape->data_type_size() == 4 ? " f" : "");
}

inline const TensorOp& op_of(const Network& network, const std::string& name) {
  for (const TensorOp& op : network.ops)
    if (op.name() == name) return op;
  static const TensorOp none;
  ADD_FAILURE() << "no op " << name;
  return none;
}

inline caffe::LayerParameter& layer_of(caffe::NetParameter& net, const std::string& name) {
  for (caffe::LayerParameter& layer : *net.mutable_layer())
    if (layer.name() == name) return layer;
  ADD_FAILURE() << "no layer " << name;
  return *net.add_layer();
}

inline caffe::BlobProto& add_blob(caffe::LayerParameter& layer, const std::vector<int64_t>& dims,
                                  const std::vector<float>& values) {
  caffe::BlobProto& blob = *layer.add_blobs();
  for (int64_t d : dims) blob.mutable_shape()->add_dim(d);
  blob.mutable_data()->Assign(values.begin(), values.end());
  return blob;
}

// Returns the path of a real file; "" if the folder is absent (the test must then be skipped).
inline std::string shared(const std::string& file) {
  const std::string path = std::string(TPUTWIN_SHARED_DATA) + "/" + file;
  if (std::filesystem::exists(path)) return path;
  EXPECT_EQ(std::getenv("CI"), nullptr) << path << " is missing";
  return "";
}

}  // namespace tputwin::net::testing
