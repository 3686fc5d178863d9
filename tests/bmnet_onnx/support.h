// ONNX models of tests: made, written, read, and run in float and int8.
#pragma once

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <vector>

#include "bmnet/integers/integers.h"
#include "bmnet/ir/network.h"
#include "bmnet/onnx/load.h"

namespace tputwin::test {

// A model of one opset, whose nodes are added one after the other.
class ModelBuilder {
 public:
  explicit ModelBuilder(int64_t opset = 13);
  onnx::ModelProto model;

  void input(const std::string& name, const std::vector<int64_t>& dims,
             int type = onnx::TensorProto::FLOAT);
  void output(const std::string& name);
  void weights(const std::string& name, const std::vector<int64_t>& dims,
               const std::vector<float>& values);
  void integers(const std::string& name, const std::vector<int64_t>& dims,
                const std::vector<int64_t>& values, int type = onnx::TensorProto::INT64);
  onnx::NodeProto& node(const std::string& type, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs);
  static void set(onnx::NodeProto& node, const std::string& name, int64_t value);
  static void set(onnx::NodeProto& node, const std::string& name,
                  const std::vector<int64_t>& values);
  static void set(onnx::NodeProto& node, const std::string& name, float value);
  static void set(onnx::NodeProto& node, const std::string& name, const std::string& value);
};

// Writes the model to a temporary file and reads it as the tools do.
Result<net::LoadedNet> load(const onnx::ModelProto& model, const net::ImportOptions& options = {});
Result<net::Network> import(const onnx::ModelProto& model, const net::ImportOptions& options = {});

using Blobs = std::map<std::string, net::Blob>;

// Returns float results, and every tensor in `all` if that is not null.
Result<Blobs> run_float(const net::Network& network, const Blobs& inputs, Blobs* all = nullptr);

struct Int8 {
  net::Network network;
  NetCalibrationParameter table;
  std::vector<net::LayerIntegers> integers;
};
// Quantizes with the largest magnitudes of those inputs as thresholds, except for thresholds in
// `given`.
Result<Int8> quantized(net::Network network, const Blobs& inputs,
                       const NetCalibrationParameter& given = {});
// Returns real values of the results. The interpreter's and the compiled net's must be equal.
Result<Blobs> run_int8(const Int8& net, const Blobs& inputs);

std::vector<float> values(const onnx::TensorProto& tensor);
std::vector<float> random_values(size_t count, uint64_t seed, float least = -1, float most = 1);
double cosine(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace tputwin::test
