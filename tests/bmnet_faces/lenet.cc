// LeNet on all digits of MNIST's test set: the accuracy of int8 on the simulator, compared with
// float.
//
// Only the digits of the test set are available: the first 500 of them calibrate the net.
#include <gtest/gtest.h>

#include <algorithm>

#include "bmnet/caffe/import.h"
#include "bmnet/float/execute.h"
#include "bmnet_faces/nets.h"
#include "common/shared_data.h"

namespace tputwin::testing {
namespace {

constexpr size_t kDigitsAtOnce = 100, kDigits = 10000, kCalibrated = 500;

size_t right_ones(const Runner& runner, const net::DataSet& data) {
  size_t right = 0;
  for (size_t first = 0; first < kDigits; first += kDigitsAtOnce) {
    net::Blob input{{kDigitsAtOnce, 1, 28, 28}, std::vector<float>(kDigitsAtOnce * 784)};
    for (size_t i = 0; i < kDigitsAtOnce; ++i)
      EXPECT_TRUE(data.sample(first + i, std::span(input.data).subspan(i * 784, 784)).ok());
    const Outputs outputs = runner(input);
    if (outputs.size() != 1 || outputs.begin()->second.data.size() != 10 * kDigitsAtOnce) return 0;
    const float* values = outputs.begin()->second.data.data();
    for (size_t i = 0; i < kDigitsAtOnce; ++i, values += 10)
      right += std::max_element(values, values + 10) - values == data.label(first + i);
  }
  return right;
}

TEST(LeNet, LosesNoAccuracyInInt8) {
  TW_NEED_SHARED_DATA("lenet/lenet_iter_10000.caffemodel");
  TW_NEED_SHARED_DATA("mnist");
  net::DataOptions data_options;
  data_options.shape = {1, 1, 28, 28};
  data_options.scale = {1 / 256.0f};
  auto data = net::open_data_set(shared_data("mnist/t10k-images-idx3-ubyte.gz"), data_options);
  ASSERT_TRUE(data.ok()) << data.error().message();
  ASSERT_EQ((*data)->size(), kDigits);

  auto caffe = Int8Net::load(kLeNet);
  ASSERT_TRUE(caffe.ok()) << caffe.error().message();
  net::ImportOptions import;
  import.batch = kDigitsAtOnce;
  auto network = net::import_caffe(*caffe, import);
  ASSERT_TRUE(network.ok()) << network.error().message();
  auto executor = net::FloatExecutor::create(*network);
  ASSERT_TRUE(executor.ok()) << executor.error().message();
  const std::string input = network->inputs()[0];
  const size_t in_float = right_ones(
      [&](const net::Blob& digits) {
        auto outputs = (*executor)->run({{input, digits}});
        EXPECT_TRUE(outputs.ok()) << outputs.error().message();
        return outputs.ok() ? *outputs : Outputs{};
      },
      **data);

  net::CalibrationOptions options;
  options.samples = kCalibrated;
  auto net = Int8Net::create(kLeNet, **data, options);
  ASSERT_TRUE(net.ok()) << net.error().message();
  const size_t in_int8 = right_ones(simulated_net(*net), **data);
  RecordProperty("float", static_cast<int>(in_float));
  RecordProperty("int8", static_cast<int>(in_int8));
  EXPECT_GT(in_float, kDigits * 99 / 100);
  EXPECT_GE(in_int8 + kDigits / 1000, in_float) << net::report_text((*net)->calibration());
}

}  // namespace
}  // namespace tputwin::testing
