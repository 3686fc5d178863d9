// Calibration in units: the result does not depend on which process does a unit; invalid bytes are
// refused.
#include "bmnet/calibrate/units.h"

#include <bmnet/statistics.pb.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet/calibrate/statistics.h"
#include "bmnet/integers/table.h"
#include "bmnet/pipeline/prepare.h"
#include "common/temporary_directory.h"

namespace tputwin::net {
namespace {

constexpr const char* kUnitGraph = R"(name: "units"
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 2 dim: 5 dim: 5 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv" convolution_param { num_output: 3 kernel_size: 3 } }
layer { name: "lrn" type: "LRN" bottom: "conv" top: "lrn" lrn_param { local_size: 3 } }
layer { name: "relu" type: "ReLU" bottom: "lrn" top: "relu" }
layer { name: "ip" type: "InnerProduct" bottom: "relu" top: "ip" inner_product_param { num_output: 4 } })";

void add_random_blob(caffe::LayerParameter& layer, const std::vector<int64_t>& shape,
                     std::mt19937_64& random) {
  caffe::BlobProto& blob = *layer.add_blobs();
  int64_t size = 1;
  for (const int64_t dim : shape) {
    blob.mutable_shape()->add_dim(dim);
    size *= dim;
  }
  std::uniform_real_distribution<float> value(-1, 1);
  for (int64_t i = 0; i < size; ++i) blob.add_data(value(random));
}

class Units : public ::testing::Test {
 protected:
  void SetUp() override {
    std::mt19937_64 random(9);
    net_ = *read_prototxt(kUnitGraph);
    add_random_blob(*net_.mutable_layer(1), {3, 2, 3, 3}, random);
    add_random_blob(*net_.mutable_layer(1), {3}, random);
    add_random_blob(*net_.mutable_layer(4), {4, 27}, random);
    add_random_blob(*net_.mutable_layer(4), {4}, random);
    std::vector<uint8_t> bytes(600 * 50);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    ASSERT_TRUE(write_bytes(folder_ / "raw", bytes).ok());
    auto data = open_data_set(
        folder_ / "raw", {.shape = {1, 2, 5, 5}, .scale = {1 / 50.0f}, .raw_type = RawType::i8});
    ASSERT_TRUE(data.ok()) << data.status().message();
    data_ = std::move(*data);
  }
  std::unique_ptr<CalibrationUnits> open(const CalibrationOptions& options) const {
    return std::move(*calibration_units(net_, {data_.get()}, options));
  }
  // Does the units in reverse order, alternating between the objects of `done_by`.
  static std::vector<std::string> backwards(const std::vector<CalibrationUnits*>& done_by,
                                            size_t count,
                                            Result<std::string> (CalibrationUnits::*work)(size_t)) {
    std::vector<std::string> found(count);
    for (size_t unit = count; unit-- > 0;) {
      auto bytes = (done_by[unit % done_by.size()]->*work)(unit);
      EXPECT_TRUE(bytes.ok()) << bytes.status().message();
      if (bytes.ok()) found[unit] = std::move(*bytes);
    }
    return found;
  }

  const tputwin::testing::TemporaryDirectory folder_;
  caffe::NetParameter net_;
  std::unique_ptr<DataSet> data_;
};

std::string everything(const Calibration& calibration) {
  return to_caffemodel(calibration.net) + table_binary(calibration.table) +
         report_json(calibration);
}

TEST_F(Units, AreTheSameForAnyAssignment) {
  for (const size_t samples : {1, 48, 600}) {
    CalibrationOptions options;
    options.samples = samples;
    options.batch = samples == 600 ? 1 : 16;
    const auto alone = calibrate(net_, {data_.get()}, options);
    ASSERT_TRUE(alone.ok()) << alone.status().message();

    const auto a = open(options), b = open(options), leader = open(options);
    const size_t count = leader->count();
    EXPECT_EQ(count, samples == 1 ? 1u : samples == 48 ? 3u : 200u);
    const auto ranges = backwards({a.get(), b.get()}, count, &CalibrationUnits::ranges);
    const auto joined = leader->join_ranges(ranges);
    ASSERT_TRUE(joined.ok()) << joined.status().message();
    for (CalibrationUnits* each : {a.get(), b.get(), leader.get()})
      ASSERT_TRUE(each->know_ranges(*joined).ok());
    for (const std::string& bytes :
         backwards({a.get(), b.get()}, count, &CalibrationUnits::distributions))
      ASSERT_TRUE(leader->add_distributions(bytes).ok());
    const auto together = leader->finish();
    ASSERT_TRUE(together.ok()) << together.status().message();
    EXPECT_TRUE(everything(*together) == everything(*alone)) << samples;
  }
}

TEST_F(Units, WantRangesBeforeDistributions) {
  const auto units = open({});
  const auto early = units->distributions(0);
  ASSERT_FALSE(early.ok());
  EXPECT_EQ(early.error().id(), errors::net_statistics);
  EXPECT_FALSE(units->add_distributions("").ok());
  EXPECT_FALSE(units->finish().ok());
}

// Returns `bytes` with a change of the message of statistics.
template <class Change>
std::string changed(const std::string& bytes, Change change) {
  UnitStatistics message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  change(message);
  return message.SerializeAsString();
}

class UnitBytes : public Units {
 protected:
  void SetUp() override {
    Units::SetUp();
    CalibrationOptions options;
    options.samples = 16;
    options.bins = 128;
    units_ = open(options);
    ranges_ = *units_->ranges(0);
    ASSERT_TRUE(units_->know_ranges(ranges_).ok());
    distributions_ = *units_->distributions(0);
  }
  void refuses_ranges(const std::string& bytes, const char* why) {
    const Status status = units_->know_ranges(bytes);
    ASSERT_FALSE(status.ok()) << why;
    EXPECT_EQ(status.error().id(), errors::net_statistics);
  }
  void refuses_distributions(const std::string& bytes, const char* why) {
    const Status status = units_->add_distributions(bytes);
    ASSERT_FALSE(status.ok()) << why;
    EXPECT_EQ(status.error().id(), errors::net_statistics);
  }

  std::unique_ptr<CalibrationUnits> units_;
  std::string ranges_, distributions_;
};

TEST_F(UnitBytes, PartsOfThemAreRefused) {
  for (size_t size = 0; size < ranges_.size(); ++size)
    refuses_ranges(ranges_.substr(0, size), "cut");
  for (size_t size = 0; size < distributions_.size(); ++size)
    refuses_distributions(distributions_.substr(0, size), "cut");
}

TEST_F(UnitBytes, AnyChangedByteIsSurvived) {
  for (size_t at = 0; at < ranges_.size(); ++at) {
    std::string bytes = ranges_;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x91);
    if (units_->know_ranges(bytes).ok()) {
      EXPECT_TRUE(units_->distributions(0).ok()) << at;
    }
  }
  ASSERT_TRUE(units_->know_ranges(ranges_).ok());
  for (size_t at = 0; at < distributions_.size(); ++at) {
    std::string bytes = distributions_;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x91);
    const Status status = units_->add_distributions(bytes);
    if (!status.ok()) {
      EXPECT_EQ(status.error().id(), errors::net_statistics) << at;
    }
  }
}

TEST_F(UnitBytes, RangesAreOfThisNet) {
  using Tensor = UnitStatistics::Tensor;
  const auto refuses = [&](const char* why, auto change) {
    refuses_ranges(changed(ranges_, [&](UnitStatistics& m) { change(*m.mutable_tensor(1)); }), why);
  };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  refuses("another name", [](Tensor& t) { t.set_name("other"); });
  refuses("least that is no number", [&](Tensor& t) { t.set_least(kNan); });
  refuses("least above zero", [](Tensor& t) { t.set_least(1); });
  refuses("largest without end", [&](Tensor& t) { t.set_largest(kInfinity); });
  refuses("squares below zero", [](Tensor& t) { t.set_sum_of_squares(-1); });
  refuses_ranges(changed(ranges_, [](UnitStatistics& m) { m.mutable_tensor()->RemoveLast(); }),
                 "one missing");
  refuses_ranges(changed(ranges_, [](UnitStatistics& m) { *m.add_tensor() = m.tensor(0); }),
                 "one twice");
  refuses_ranges(changed(ranges_, [](UnitStatistics& m) { *m.mutable_tensor(0) = m.tensor(1); }),
                 "one in the place of another");
}

TEST_F(UnitBytes, DistributionsAreOfThisNet) {
  using Tensor = UnitStatistics::Tensor;
  const auto refuses = [&](const char* why, auto change) {
    refuses_distributions(changed(distributions_,
                                  [&](UnitStatistics& m) {
                                    for (Tensor& t : *m.mutable_tensor())
                                      if (t.name() == "data") change(t);
                                  }),
                          why);
  };
  refuses("more bins", [](Tensor& t) {
    while (t.counts_size() <= 128) t.add_counts(1);
  });
  refuses("more channels", [](Tensor& t) { t.add_sums(1); });
  refuses("no channels", [](Tensor& t) { t.clear_sums(); });
  refuses("sums of no values", [](Tensor& t) { t.set_count(0); });
  refuses("count without end",
          [](Tensor& t) { t.set_count(std::numeric_limits<double>::infinity()); });
  refuses("sum that is no number",
          [](Tensor& t) { t.set_sums(0, std::numeric_limits<double>::quiet_NaN()); });
  refuses("a mean that is no float", [](Tensor& t) { t.set_sums(0, 1e300); });
  refuses_distributions(changed(distributions_,
                                [](UnitStatistics& m) {
                                  for (Tensor& t : *m.mutable_tensor())
                                    if (t.name() == "ip") t.add_sums(1);
                                }),
                        "sums of what no layer reads");
}

}  // namespace
}  // namespace tputwin::net
