#include "bmnet_faces/nets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <opencv2/dnn.hpp>

#include "bmnet/caffe/import.h"
#include "bmnet/integers/rules.h"
#include "common/shared_data.h"

namespace tputwin::testing {
namespace {

net::Blob blob_like(const cv::Mat& values) {
  net::Blob blob;
  for (int i = 0; i < values.dims; ++i) blob.shape.push_back(values.size[i]);
  blob.data.assign(values.ptr<float>(), values.ptr<float>() + values.total());
  return blob;
}

int64_t elements(const std::vector<int64_t>& shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

TensorBytes quantized(const std::vector<float>& values, float threshold) {
  TensorBytes bytes;
  bytes.reserve(values.size());
  for (float x : values)
    bytes.push_back(static_cast<uint8_t>(net::round_to_int8(x * 128 / threshold)));
  return bytes;
}

// Returns samples [first, first + count) of a batch; those beyond its end are zero.
net::Blob slice(const net::Blob& batch, int64_t first, int64_t count) {
  net::Blob part{batch.shape, {}};
  part.shape[0] = count;
  const int64_t size = elements(batch.shape) / batch.shape[0];
  const int64_t last = std::min(first + count, batch.shape[0]);
  part.data.assign(batch.data.begin() + first * size, batch.data.begin() + last * size);
  part.data.resize(static_cast<size_t>(count * size));
  return part;
}

}  // namespace

void Samples::add(const net::Blob& batch) {
  shape_ = {1, batch.shape[1], batch.shape[2], batch.shape[3]};
  for (int64_t i = 0; i < batch.shape[0]; ++i) {
    values_.push_back(slice(batch, i, 1).data);
    labels_.push_back(-1);
  }
}

Status Samples::sample(size_t index, std::span<float> values) const {
  std::copy(values_[index].begin(), values_[index].end(), values.begin());
  return {};
}

Runner opencv_net(const Files& files) {
  auto net = std::make_shared<cv::dnn::Net>(
      cv::dnn::readNetFromCaffe(shared_data(files.prototxt), shared_data(files.caffemodel)));
  return [net](const net::Blob& input) {
    const std::vector<int> sizes(input.shape.begin(), input.shape.end());
    net->setInput(cv::Mat(sizes, CV_32F, const_cast<float*>(input.data.data())).clone());
    const std::vector<std::string> names = net->getUnconnectedOutLayersNames();
    std::vector<cv::Mat> results;
    net->forward(results, names);
    Outputs outputs;
    for (size_t i = 0; i < names.size(); ++i) outputs[names[i]] = blob_like(results[i]);
    return outputs;
  };
}

Runner recorded(Runner runner, Samples* samples) {
  return [runner = std::move(runner), samples](const net::Blob& input) {
    samples->add(input);
    return runner(input);
  };
}

Result<net::caffe::NetParameter> Int8Net::load(const Files& files) {
  auto caffe = net::load_caffe(shared_data(files.prototxt), shared_data(files.caffemodel));
  if (!caffe.ok()) return caffe;
  for (net::caffe::LayerParameter& layer : *caffe->mutable_layer())
    if (layer.type() == "Reshape" && layer.reshape_param().shape().dim(0) == 1)
      layer.mutable_reshape_param()->mutable_shape()->set_dim(0, 0);
  return caffe;
}

Result<std::shared_ptr<Int8Net>> Int8Net::create(const Files& files, const net::DataSet& data,
                                                 const net::CalibrationOptions& options,
                                                 int64_t batch) {
  auto caffe = load(files);
  if (!caffe.ok()) return Status(caffe.error());
  return create(*caffe, data, options, batch);
}

Result<std::shared_ptr<Int8Net>> Int8Net::create(const net::caffe::NetParameter& caffe,
                                                 const net::DataSet& data,
                                                 const net::CalibrationOptions& options,
                                                 int64_t batch) {
  auto calibration = net::calibrate(caffe, {&data}, options);
  if (!calibration.ok()) return Status(calibration.error());
  auto net = std::make_shared<Int8Net>();
  net->calibration_ = std::move(*calibration);
  net->batch_ = batch;
  return net;
}

Result<Model> Int8Net::reshaped(const std::vector<int64_t>& input) const {
  net::ImportOptions options;
  options.input_shapes = {net::make_shape(input)};
  auto network = net::import_caffe(calibration_.net, options);
  if (!network.ok()) return Status(network.error());
  auto integers = net::resolve(*network, calibration_.table);
  if (!integers.ok()) return Status(integers.error());
  return Model{std::move(*network), std::move(*integers)};
}

Result<const Int8Net::Ready*> Int8Net::ready_for(const std::vector<int64_t>& input) {
  auto found = ready_.find(input);
  if (found == ready_.end()) {
    auto model = reshaped(input);
    if (!model.ok()) return Status(model.error());
    auto compiled = net::compile(model->network, model->integers);
    if (!compiled.ok()) return Status(compiled.error());
    found = ready_.emplace(input, Ready{std::move(*model), std::move(*compiled)}).first;
  }
  return &found->second;
}

Result<Outputs> Int8Net::run_batch(const net::Blob& input) {
  auto ready = ready_for(input.shape);
  if (!ready.ok()) return Status(ready.error());
  const auto& [network, integers] = (*ready)->model;
  auto threshold = [&](const std::string& tensor) {
    for (size_t i = 0; i < network.ops.size(); ++i)
      for (int t = 0; t < network.ops[i].top_size(); ++t)
        if (network.ops[i].top(t) == tensor) return integers[i].threshold_y[static_cast<size_t>(t)];
    return 0.0f;
  };
  const std::string name = network.inputs()[0];
  auto bytes =
      run_compiled((*ready)->compiled, network, {{name, quantized(input.data, threshold(name))}});
  if (!bytes.ok()) return Status(bytes.error());
  Outputs outputs;
  for (size_t i = 0; i < bytes->size(); ++i) {
    const std::string output = network.outputs()[i];
    net::Blob& blob = outputs[network.blob_name(output)];
    blob.shape = net::dims(*network.shape_of(output));
    if (network.shape_of(output)->data_type_size() == sizeof(float)) {
      blob.data.resize((*bytes)[i].size() / sizeof(float));
      std::memcpy(blob.data.data(), (*bytes)[i].data(), (*bytes)[i].size());
      continue;
    }
    for (uint8_t b : (*bytes)[i])
      blob.data.push_back(static_cast<float>(static_cast<int8_t>(b)) * threshold(output) / 128);
  }
  return outputs;
}

Outputs Int8Net::run(const net::Blob& input) {
  Outputs all;
  const int64_t total = input.shape[0], step = batch_ == 0 ? total : batch_;
  for (int64_t first = 0; first < total; first += step) {
    auto outputs = run_batch(slice(input, first, step));
    if (!outputs.ok()) {
      ADD_FAILURE() << outputs.error().message();
      return {};
    }
    for (auto& [name, part] : *outputs) {
      part = slice(part, 0, std::min(step, total - first));
      net::Blob& whole = all[name];
      whole.data.insert(whole.data.end(), part.data.begin(), part.data.end());
      whole.shape = part.shape;
      whole.shape[0] = std::min(first + step, total);
    }
  }
  return all;
}

Runner simulated_net(std::shared_ptr<Int8Net> net) {
  return [net](const net::Blob& input) { return net->run(input); };
}

}  // namespace tputwin::testing
