// ONNX models, and their runs in float and int8.
#include "bmnet_onnx/support.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/import.h"
#include "bmnet/float/execute.h"
#include "bmnet/pipeline/compile.h"
#include "bmnet/quantize/quantize.h"
#include "bmnet/reference/execute.h"
#include "bmnet/support.h"
#include "common/temporary_directory.h"

namespace tputwin::test {

// ---- Models ----

ModelBuilder::ModelBuilder(int64_t opset) {
  model.set_ir_version(8);
  auto& import = *model.add_opset_import();
  import.set_domain("");
  import.set_version(opset);
  model.mutable_graph()->set_name("made");
}

void ModelBuilder::input(const std::string& name, const std::vector<int64_t>& dims, int element) {
  auto& info = *model.mutable_graph()->add_input();
  info.set_name(name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(element);
  for (int64_t d : dims) {
    auto& dim = *type.mutable_shape()->add_dim();
    d < 0 ? dim.set_dim_param("N") : dim.set_dim_value(d);
  }
}

void ModelBuilder::output(const std::string& name) {
  auto& info = *model.mutable_graph()->add_output();
  info.set_name(name);
  info.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
}

void ModelBuilder::weights(const std::string& name, const std::vector<int64_t>& dims,
                           const std::vector<float>& values) {
  auto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t d : dims) tensor.add_dims(d);
  for (float v : values) tensor.add_float_data(v);
}

void ModelBuilder::integers(const std::string& name, const std::vector<int64_t>& dims,
                            const std::vector<int64_t>& values, int type) {
  auto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (int64_t d : dims) tensor.add_dims(d);
  for (int64_t v : values) {
    if (type == onnx::TensorProto::INT64)
      tensor.add_int64_data(v);
    else
      tensor.add_int32_data(static_cast<int32_t>(v));
  }
}

onnx::NodeProto& ModelBuilder::node(const std::string& type, const std::vector<std::string>& inputs,
                                    const std::vector<std::string>& outputs) {
  auto& node = *model.mutable_graph()->add_node();
  node.set_op_type(type);
  node.set_name("n_" + outputs[0]);
  for (const std::string& name : inputs) node.add_input(name);
  for (const std::string& name : outputs) node.add_output(name);
  return node;
}

void ModelBuilder::set(onnx::NodeProto& node, const std::string& name, int64_t value) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

void ModelBuilder::set(onnx::NodeProto& node, const std::string& name,
                       const std::vector<int64_t>& values) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (int64_t v : values) attribute.add_ints(v);
}

void ModelBuilder::set(onnx::NodeProto& node, const std::string& name, float value) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
}

void ModelBuilder::set(onnx::NodeProto& node, const std::string& name, const std::string& value) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(value);
}

Result<net::LoadedNet> load(const onnx::ModelProto& model, const net::ImportOptions& options) {
  const tputwin::testing::TemporaryDirectory folder;
  const std::string path = folder / "model.onnx";
  {
    std::ofstream file(path, std::ios::binary);
    model.SerializeToOstream(&file);
  }
  return net::load_net(path, "", options);
}

Result<net::Network> import(const onnx::ModelProto& model, const net::ImportOptions& options) {
  TW_ASSIGN_OR_RETURN(loaded, load(model, options));
  return net::import_caffe(loaded.net, loaded.left_of(options));
}

// ---- Runs ----

Result<Blobs> run_float(const net::Network& network, const Blobs& inputs, Blobs* all) {
  TW_ASSIGN_OR_RETURN(executor, net::FloatExecutor::create(network));
  return executor->run(inputs, [&](const std::string& tensor, const net::Blob& value) {
    if (all != nullptr) (*all)[tensor] = value;
  });
}

Result<Int8> quantized(net::Network network, const Blobs& inputs,
                       const NetCalibrationParameter& given) {
  Blobs all;
  TW_RETURN_IF_ERROR(run_float(network, inputs, &all).status());
  NetCalibrationParameter thresholds = given;
  for (const net::TensorOp& op : network.ops) {
    if (net::find_entry(given, op) != nullptr || is(op, net::Op::end)) continue;
    auto& entry = *thresholds.add_layer();
    entry.set_name(op.name());
    for (const std::string& top : op.top()) {
      float most = 0;
      for (float v : all.at(top).data)
        if (std::isfinite(v)) most = std::max(most, std::fabs(v));
      auto& blob = *entry.add_blob_param();
      blob.set_name(top);
      blob.set_threshold_y(most > 0 ? most : 1.0f);
    }
  }
  TW_ASSIGN_OR_RETURN(table, net::quantize(network, thresholds));
  TW_ASSIGN_OR_RETURN(integers, net::resolve(network, table));
  return Int8{std::move(network), std::move(table), std::move(integers)};
}

namespace {

float threshold_of(const Int8& net, const std::string& tensor) {
  for (size_t i = 0; i < net.network.ops.size(); ++i)
    for (int t = 0; t < net.network.ops[i].top_size(); ++t)
      if (net.network.ops[i].top(t) == tensor)
        return net.integers[i].threshold_y.at(static_cast<size_t>(t));
  return 1;
}

std::map<std::string, net::TensorBytes> as_bytes(const Int8& net, const Blobs& inputs) {
  std::map<std::string, net::TensorBytes> result;
  for (const auto& [name, blob] : inputs) {
    net::TensorBytes& bytes = result[name];
    const float threshold = threshold_of(net, name);
    if (net.network.shape_of(name)->data_type_size() == sizeof(float)) {
      bytes.resize(blob.data.size() * sizeof(float));
      std::memcpy(bytes.data(), blob.data.data(), bytes.size());
      continue;
    }
    for (float v : blob.data)
      bytes.push_back(static_cast<uint8_t>(static_cast<int8_t>(
          std::clamp(std::floor(v * 128 / threshold + 0.5f), -128.0f, 127.0f))));
  }
  return result;
}

}  // namespace

Result<Blobs> run_int8(const Int8& net, const Blobs& inputs) {
  const auto bytes = as_bytes(net, inputs);
  TW_ASSIGN_OR_RETURN(tensors, net::run_int8(net.network, net.integers, bytes));
  TW_ASSIGN_OR_RETURN(compiled, net::compile(net.network, net.integers));
  TW_ASSIGN_OR_RETURN(outputs, tputwin::testing::run_compiled(compiled, net.network, bytes));
  Blobs results;
  const std::vector<std::string> names = net.network.outputs();
  for (size_t i = 0; i < names.size(); ++i) {
    const net::TensorBytes& expected = tensors.at(names[i]);
    if (outputs.at(i) != expected)
      return Error(errors::net_ir).in(names[i]).detail("compiled and interpreted differ");
    net::Blob& blob = results[names[i]];
    if (net.network.shape_of(names[i])->data_type_size() == sizeof(float)) {
      blob.data.resize(expected.size() / sizeof(float));
      std::memcpy(blob.data.data(), expected.data(), expected.size());
      continue;
    }
    for (uint8_t byte : expected)
      blob.data.push_back(static_cast<float>(static_cast<int8_t>(byte)) *
                          threshold_of(net, names[i]) / 128);
  }
  return results;
}

std::vector<float> values(const onnx::TensorProto& tensor) {
  std::vector<float> result(tensor.float_data().begin(), tensor.float_data().end());
  for (const auto value : tensor.int32_data()) result.push_back(static_cast<float>(value));
  for (const auto value : tensor.int64_data()) result.push_back(static_cast<float>(value));
  const std::string& raw = tensor.raw_data();
  const auto convert = [&]<class Type>(Type) {
    for (size_t i = 0; i + sizeof(Type) <= raw.size(); i += sizeof(Type)) {
      Type value;
      std::memcpy(&value, raw.data() + i, sizeof(Type));
      result.push_back(static_cast<float>(value));
    }
  };
  using Type = onnx::TensorProto;
  switch (tensor.data_type()) {
    case Type::FLOAT:
      convert(float{});
      break;
    case Type::DOUBLE:
      convert(double{});
      break;
    case Type::INT64:
    case Type::UINT64:
      convert(int64_t{});
      break;
    case Type::INT32:
      convert(int32_t{});
      break;
    case Type::UINT32:
      convert(uint32_t{});
      break;
    case Type::INT16:
      convert(int16_t{});
      break;
    case Type::UINT16:
      convert(uint16_t{});
      break;
    case Type::INT8:
      convert(int8_t{});
      break;
    case Type::UINT8:
    case Type::BOOL:
      convert(uint8_t{});
      break;
    default:
      break;
  }
  return result;
}

std::vector<float> random_values(size_t count, uint64_t seed, float least, float most) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> value(least, most);
  std::vector<float> result(count);
  for (float& v : result) v = value(random);
  return result;
}

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double product = 0, square_a = 0, square_b = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    product += double{a[i]} * b[i];
    square_a += double{a[i]} * a[i];
    square_b += double{b[i]} * b[i];
  }
  if (square_a == 0 && square_b == 0) return 1;
  return square_a == 0 || square_b == 0 ? 0 : product / std::sqrt(square_a * square_b);
}

}  // namespace tputwin::test
