// The vendor's compiled det1: its weight section is the rounded float weights, with one factor per
// blob.
#include <gtest/gtest.h>

#include <cmath>

#include "bmnet/caffe/import.h"
#include "bmodel/bmodel.h"
#include "common/shared_data.h"

namespace tputwin::net {
namespace {

using tputwin::testing::shared_data;

// The factors k with floor(value*k + 0.5) == integer for all values; they are in [least, most).
struct Factors {
  double least = 0, most = INFINITY;
  int largest = 0;

  void add(double value, int integer) {
    largest = std::max(largest, std::abs(integer));
    if (value == 0) return;
    const double a = (integer - 0.5) / value, b = (integer + 0.5) / value;
    least = std::max(least, std::min(a, b));
    most = std::min(most, std::max(a, b));
  }
  void expect_some(const std::string& name) const { EXPECT_LT(least, most * (1 + 1e-6)) << name; }
};

class Section {
 public:
  explicit Section(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}
  int8_t next() { return at_ < bytes_.size() ? static_cast<int8_t>(bytes_[at_++]) : 0; }
  // Reads int16 values: all low bytes, then all high bytes.
  std::vector<int> next_words(size_t count) {
    std::vector<int> words(count);
    for (int& word : words) word = static_cast<uint8_t>(next());
    for (int& word : words) word += next() * 256;
    return words;
  }
  size_t rest() const { return bytes_.size() - at_; }

 private:
  std::vector<uint8_t> bytes_;
  size_t at_ = 0;
};

// (OC, IC, KH, KW) is stored as (OC, KH*KW, IC).
Factors weight_factors(Section& section, const Blob& blob) {
  Factors factors;
  const int64_t ic = blob.shape[1], taps = blob.shape[2] * blob.shape[3];
  for (int64_t oc = 0; oc < blob.shape[0]; ++oc)
    for (int64_t t = 0; t < taps; ++t)
      for (int64_t i = 0; i < ic; ++i)
        factors.add(blob.data[(oc * ic + i) * taps + t], section.next());
  return factors;
}

TEST(VendorDet1, WeightsFollowTheRule) {
  TW_NEED_SHARED_DATA("bm1880-det1/det1_1_3_12_12.bmodel");
  TW_NEED_SHARED_DATA("mtcnn/det1.caffemodel");
  auto model = bmodel::read_file(shared_data("bm1880-det1/det1_1_3_12_12.bmodel"));
  ASSERT_TRUE(model.ok()) << model.status().message();
  auto net = load_caffe(shared_data("mtcnn/det1.prototxt"), shared_data("mtcnn/det1.caffemodel"));
  ASSERT_TRUE(net.ok()) << net.status().message();
  auto network = import_caffe(*net);
  ASSERT_TRUE(network.ok()) << network.status().message();
  ASSERT_EQ(model->weights.size(), 1u);
  Section section(model->weights[0]);
  for (const TensorOp& op : network->ops) {
    const auto blobs = network->blobs.find(op.name());
    if (blobs == network->blobs.end()) continue;
    if (op.type() == "tg_prelu") {
      Factors slopes;
      for (const float slope : blobs->second[0].data) slopes.add(slope, section.next());
      slopes.expect_some(op.name());
      EXPECT_GE(slopes.largest, 64) << op.name();
      continue;
    }
    ASSERT_EQ(op.type(), "tg_convolution");
    const Factors weights = weight_factors(section, blobs->second[0]);
    weights.expect_some(op.name());
    EXPECT_GE(weights.largest, 64) << op.name();
    const std::vector<float>& values = blobs->second[1].data;
    const std::vector<int> integers = section.next_words(values.size());
    Factors biases;
    for (size_t i = 0; i < values.size(); ++i) biases.add(values[i], integers[i]);
    biases.expect_some(op.name() + " bias");
  }
  EXPECT_EQ(section.rest(), 0u);
}

}  // namespace
}  // namespace tputwin::net
