// Runs of small nets in float and in int8.
#include "bmnet_caffe_values/values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bmnet/caffe/upgrade.h"
#include "bmnet/float/execute.h"
#include "bmnet/integers/table.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet/reference/execute.h"

namespace tputwin::net::testing {
namespace {

// In-memory images of one input; a sample may be a batch of them.
class Images : public DataSet {
 public:
  Images(const std::vector<Values>& samples, const std::string& input, int64_t batch) {
    for (const Values& sample : samples) {
      const Floats& values = sample.at(input);
      const auto size = static_cast<std::ptrdiff_t>(values.size()) / batch;
      for (int64_t n = 0; n < batch; ++n)
        values_.emplace_back(values.begin() + n * size, values.begin() + (n + 1) * size);
    }
    labels_.assign(values_.size(), -1);
  }
  Status sample(size_t index, std::span<float> values) const override {
    EXPECT_EQ(values.size(), values_[index].size());
    std::copy_n(values_[index].begin(), std::min(values.size(), values_[index].size()),
                values.begin());
    return {};
  }
  Result<Extents> natural_shape() const override { return Extents{}; }

 private:
  std::vector<Floats> values_;
};

Result<Values> run(const Network& network, const Values& inputs) {
  TW_ASSIGN_OR_RETURN(executor, FloatExecutor::create(network));
  std::map<std::string, Blob> blobs;
  for (const std::string& name : network.inputs())
    blobs[name] = {dims(*network.shape_of(name)), inputs.at(network.blob_name(name))};
  TW_ASSIGN_OR_RETURN(outputs, executor->run(blobs));
  Values values;
  for (const auto& [name, blob] : outputs) values[network.blob_name(name)] = blob.data;
  return values;
}

// Writes the net to files and reads it again.
Result<caffe::NetParameter> through_files(const caffe::NetParameter& net) {
  const std::string file = to_caffemodel(net);
  TW_ASSIGN_OR_RETURN(graph, read_prototxt(to_prototxt(net)));
  TW_ASSIGN_OR_RETURN(weights,
                      read_weights({reinterpret_cast<const uint8_t*>(file.data()), file.size()}));
  return merge_caffe(std::move(graph), weights);
}

TensorBytes to_bytes(const Floats& values, float threshold) {
  TensorBytes bytes;
  for (float v : values)
    bytes.push_back(static_cast<uint8_t>(
        static_cast<int8_t>(std::clamp(std::floor(v * 128 / threshold + 0.5F), -128.0F, 127.0F))));
  return bytes;
}

Floats to_floats(const TensorBytes& bytes, bool is_float, float threshold) {
  Floats values;
  if (is_float) {
    values.resize(bytes.size() / sizeof(float));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(values.data()));
    return values;
  }
  for (uint8_t byte : bytes)
    values.push_back(static_cast<float>(static_cast<int8_t>(byte)) * threshold / 128);
  return values;
}

class Int8Net {
 public:
  static Result<Int8Net> create(Network network, const NetCalibrationParameter& table) {
    TW_ASSIGN_OR_RETURN(integers, resolve(network, table));
    Int8Net net;
    for (size_t i = 0; i < network.ops.size(); ++i)
      for (int t = 0; t < network.ops[i].top_size(); ++t)
        net.thresholds_[network.ops[i].top(t)] = integers[i].threshold_y.at(static_cast<size_t>(t));
    net.integers_ = std::move(integers);
    net.network_ = std::move(network);
    return net;
  }

  Result<Values> run(const Values& inputs) const {
    std::map<std::string, TensorBytes> bytes;
    for (const std::string& name : network_.inputs())
      bytes[name] = to_bytes(inputs.at(network_.blob_name(name)), thresholds_.at(name));
    TW_ASSIGN_OR_RETURN(tensors, net::run_int8(network_, integers_, bytes));
    Values values;
    for (const std::string& name : network_.outputs())
      values[network_.blob_name(name)] = to_floats(
          tensors.at(name), network_.shape_of(name)->data_type_size() == 4, thresholds_.at(name));
    return values;
  }

  std::map<std::string, float> thresholds() const {
    std::map<std::string, float> result;
    for (const auto& [name, threshold] : thresholds_) result[network_.blob_name(name)] = threshold;
    return result;
  }

 private:
  Network network_;
  std::vector<LayerIntegers> integers_;
  std::map<std::string, float> thresholds_;
};

}  // namespace

std::string input_text(const std::string& name, const Shape& shape) {
  std::string text;
  for (int64_t extent : shape) text += " dim: " + std::to_string(extent);
  return "layer { name: \"" + name + "\" type: \"Input\" top: \"" + name +
         "\" input_param { shape {" + text + " } } }\n";
}

Result<caffe::NetParameter> try_net(const std::string& text, const std::vector<LayerBlob>& blobs) {
  TW_ASSIGN_OR_RETURN(graph, read_prototxt(text));
  caffe::NetParameter file;
  for (const LayerBlob& blob : blobs) {
    if (file.layer().empty() || file.layer().rbegin()->name() != blob.layer)
      file.add_layer()->set_name(blob.layer);
    caffe::BlobProto& to = *file.mutable_layer()->rbegin()->add_blobs();
    for (int64_t extent : blob.shape) to.mutable_shape()->add_dim(extent);
    to.mutable_data()->Assign(blob.values.begin(), blob.values.end());
  }
  return merge_caffe(std::move(graph), file);
}

caffe::NetParameter make_net(const std::string& text, const std::vector<LayerBlob>& blobs) {
  auto net = try_net(text, blobs);
  EXPECT_TRUE(net.ok()) << net.status().message() << "\n" << text;
  return net.ok() ? std::move(*net) : caffe::NetParameter();
}

Result<Values> run_float(const caffe::NetParameter& net, const Values& inputs) {
  TW_ASSIGN_OR_RETURN(network, import_caffe(net));
  return run(network, inputs);
}

Result<Values> run_folded(const caffe::NetParameter& net, const Values& inputs) {
  TW_ASSIGN_OR_RETURN(folded, fold_batch_norm(net));
  return run_float(folded, inputs);
}

Result<Int8Run> run_int8(const caffe::NetParameter& net, const std::vector<Values>& samples,
                         CalibrationOptions options) {
  TW_ASSIGN_OR_RETURN(network, import_caffe(net));
  std::vector<Images> sets;
  for (const std::string& name : network.inputs())
    sets.emplace_back(samples, network.blob_name(name), network.shape_of(name)->dim(0));
  std::vector<const DataSet*> data;
  for (const Images& set : sets) data.push_back(&set);
  TW_ASSIGN_OR_RETURN(calibration, calibrate(net, data, options));
  TW_ASSIGN_OR_RETURN(int8, through_files(calibration.net));
  TW_ASSIGN_OR_RETURN(read, import_caffe(int8));
  TW_ASSIGN_OR_RETURN(int8_net, Int8Net::create(std::move(read), calibration.table));
  Int8Run result{{}, int8_net.thresholds()};
  for (const Values& sample : samples) {
    TW_ASSIGN_OR_RETURN(values, int8_net.run(sample));
    result.outputs.push_back(std::move(values));
  }
  return result;
}

double sqnr(const Floats& right, const Floats& found) {
  double signal = 0, error = 0;
  for (size_t i = 0; i < right.size(); ++i) {
    const double difference = double{right[i]} - found.at(i);
    signal += double{right[i]} * right[i];
    error += difference * difference;
  }
  return error == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / error);
}

void expect_floats(const Floats& found, const Floats& right, float absolute) {
  ASSERT_EQ(found.size(), right.size());
  for (size_t i = 0; i < right.size(); ++i) {
    const float most = std::max(absolute, std::fabs(right[i]) * 4e-7F);
    EXPECT_NEAR(found[i], right[i], most) << "value " << i;
  }
}

}  // namespace tputwin::net::testing
