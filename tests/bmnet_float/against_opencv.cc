#include "bmnet_float/against_opencv.h"

#include <gtest/gtest.h>

#include <opencv2/dnn.hpp>
#include <random>

#include "bmnet/caffe/import.h"
#include "bmnet/cpu_ops/cpu_ops.h"

namespace tputwin::net::testing {
namespace {

std::vector<int> sizes(const std::vector<int64_t>& shape) { return {shape.begin(), shape.end()}; }

Blob random_blob(const std::vector<int64_t>& shape, std::mt19937_64& random, float least,
                 float most) {
  Blob blob{shape, std::vector<float>(count(make_shape(shape)))};
  std::uniform_real_distribution<float> value(least, most);
  for (float& x : blob.data) x = value(random);
  return blob;
}

void expect_near(const Blob& ours, const cv::Mat& theirs, float tolerance,
                 const std::string& name) {
  ASSERT_EQ(ours.data.size(), theirs.total()) << name;
  const float* expected = theirs.ptr<float>();
  float largest = 0;
  for (size_t i = 0; i < theirs.total(); ++i) largest = std::max(largest, std::fabs(expected[i]));
  for (size_t i = 0; i < theirs.total(); ++i)
    ASSERT_NEAR(ours.data[i], expected[i], tolerance * std::max(largest, 1e-3f))
        << name << " at " << i;
}

// The operators of the host compute layers that are left to it as the float net does.
void expect_as_on_host(const Network& network, std::map<std::string, Blob>& all) {
  for (const TensorOp& op : network.ops) {
    if (!can_leave_to_host(op) || cpu_plugin_name(op.type()).empty()) continue;
    std::vector<ConstTensor> in;
    for (const std::string& bottom : op.bottom())
      in.push_back({all.at(bottom).shape, all.at(bottom).data.data()});
    if (const auto blobs = network.blobs.find(op.name()); blobs != network.blobs.end())
      for (const Blob& blob : blobs->second) in.push_back({blob.shape, blob.data.data()});
    const Blob& expected = all.at(op.top(0));
    std::vector<float> values(expected.data.size(), NAN);
    TensorOp plugin = op;
    plugin.set_type(std::string(cpu_plugin_name(op.type())));
    const MutableTensor out{expected.shape, values.data()};
    const Status status = run_cpu_op(plugin, in, {&out, 1});
    ASSERT_TRUE(status.ok()) << status.message();
    float largest = 0;
    for (const float v : expected.data) largest = std::max(largest, std::fabs(v));
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(values[i], expected.data[i], 1e-5f * std::max(largest, 1e-3f))
          << op.name() << " at " << i;
  }
}

}  // namespace

caffe::NetParameter random_net(const std::string& prototxt, const BlobShapes& blobs,
                               uint64_t seed) {
  auto net = read_prototxt(prototxt);
  EXPECT_TRUE(net.ok()) << net.status().message();
  if (!net.ok()) return {};
  std::mt19937_64 random(seed);
  for (caffe::LayerParameter& layer : *net->mutable_layer()) {
    const auto shapes = blobs.find(layer.name());
    if (shapes == blobs.end()) continue;
    for (const auto& shape : shapes->second) {
      // Positive, because some are variances.
      const float least = layer.type() == "BatchNorm" ? 0.1f : -1.0f;
      const Blob values = random_blob(shape, random, least, 1);
      caffe::BlobProto& blob = *layer.add_blobs();
      for (const int64_t dim : shape) blob.mutable_shape()->add_dim(dim);
      blob.mutable_data()->Assign(values.data.begin(), values.data.end());
    }
  }
  return *net;
}

void expect_as_opencv(const caffe::NetParameter& net, uint64_t seed, float tolerance,
                      int64_t batch) {
  ImportOptions options;
  options.batch = batch;
  auto network = import_caffe(net, options);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto executor = FloatExecutor::create(*network);
  ASSERT_TRUE(executor.ok()) << executor.status().message();

  const std::string graph = to_prototxt(net), model = to_caffemodel(net);
  cv::dnn::Net reference =
      cv::dnn::readNetFromCaffe(graph.data(), graph.size(), model.data(), model.size());
  std::mt19937_64 random(seed);
  std::map<std::string, Blob> inputs;
  for (const std::string& name : network->inputs()) {
    Blob& blob = inputs[name] = random_blob(dims(*network->shape_of(name)), random, -1, 1);
    reference.setInput(cv::Mat(sizes(blob.shape), CV_32F, blob.data.data()).clone(), name);
  }
  std::map<std::string, Blob> all;
  auto results = (*executor)->run(
      inputs, [&](const std::string& name, const Blob& value) { all[name] = value; });
  ASSERT_TRUE(results.ok()) << results.status().message();
  expect_as_on_host(*network, all);
  std::vector<std::string> names;
  for (const std::string& output : network->outputs())
    names.push_back(network->producer(output)->name());
  std::vector<std::vector<cv::Mat>> expected;
  reference.forward(expected, names);
  for (size_t i = 0; i < names.size(); ++i) {
    const TensorOp& op = *network->producer(network->outputs()[i]);
    int top = 0;
    while (op.top(top) != network->outputs()[i]) ++top;
    ASSERT_LT(static_cast<size_t>(top), expected[i].size());
    expect_near(results->at(network->outputs()[i]), expected[i][top], tolerance, names[i]);
  }
}

}  // namespace tputwin::net::testing
