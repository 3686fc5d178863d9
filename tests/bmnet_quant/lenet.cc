// The vendor's LeNet: its integers follow from its float weights and thresholds.
#include <gtest/gtest.h>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet/caffe/import.h"
#include "bmnet/integers/integers.h"
#include "bmnet/integers/table.h"
#include "bmnet/quantize/quantize.h"
#include "common/shared_data.h"
#include "common/temporary_directory.h"

namespace tputwin::net {
namespace {

using tputwin::testing::shared_data;

constexpr const char* kFolder = "lenet-int8/";

Network lenet(const std::string& caffemodel) {
  auto net = load_caffe(shared_data("lenet-int8/test_deploy.proto"), shared_data(caffemodel));
  EXPECT_TRUE(net.ok()) << net.status().message();
  auto network = import_caffe(*net);
  EXPECT_TRUE(network.ok()) << network.status().message();
  return std::move(*network);
}

NetCalibrationParameter vendor_table() {
  auto table = read_table_file(shared_data("lenet-int8/bmnet_lenet_calibration.pb2"));
  EXPECT_TRUE(table.ok()) << table.status().message();
  return *table;
}

TEST(VendorLeNet, EveryIntegerIsTheVendors) {
  TW_NEED_SHARED_DATA(kFolder);
  Network ours = lenet("lenet-int8/test.caffemodel");
  const Network theirs = lenet("lenet-int8/bmnet_lenet_calibration.caffemodel");
  const NetCalibrationParameter vendor = vendor_table();
  std::vector<Error> warnings;
  auto table = quantize(ours, vendor, &warnings);
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_TRUE(warnings.empty());
  ASSERT_EQ(ours.blobs.size(), 4u);
  for (const auto& [layer, blobs] : theirs.blobs)
    for (size_t b = 0; b < blobs.size(); ++b)
      EXPECT_EQ(ours.blobs.at(layer).at(b).data, blobs[b].data) << layer << " blob " << b;
  for (const LayerCalibrationParameter& entry : vendor.layer())
    for (const LayerCalibrationParameter& made : table->layer()) {
      if (made.name() != entry.name()) continue;
      EXPECT_EQ(made.right_shift_width(), entry.right_shift_width()) << entry.name();
      ASSERT_EQ(made.threshold_x_quantized_size(), entry.threshold_x_quantized_size());
      for (int i = 0; i < made.threshold_x_quantized_size(); ++i)
        EXPECT_EQ(made.threshold_x_quantized(i), entry.threshold_x_quantized(i)) << entry.name();
      EXPECT_EQ(made.relu_param().SerializePartialAsString(),
                entry.relu_param().SerializePartialAsString());
    }
}

TEST(VendorLeNet, Resolves) {
  TW_NEED_SHARED_DATA(kFolder);
  const Network network = lenet("lenet-int8/bmnet_lenet_calibration.caffemodel");
  auto integers = resolve(network, vendor_table());
  ASSERT_TRUE(integers.ok()) << integers.status().message();
  ASSERT_EQ(integers->size(), network.ops.size());
  for (size_t i = 0; i < network.ops.size(); ++i) {
    const LayerIntegers& layer = (*integers)[i];
    if (network.ops[i].name() == "conv1") {
      EXPECT_FLOAT_EQ(layer.threshold_x.at(0), 0.99658036f);
      EXPECT_FLOAT_EQ(layer.threshold_y.at(0), 1.3900347f);
      EXPECT_EQ(layer.right_shift, 8);
    }
    if (network.ops[i].name() == "pool1") {
      EXPECT_EQ(layer.multiplier, std::vector<int>{160});
    }
    if (network.ops[i].name() == "customized1") {
      EXPECT_EQ(layer.gt_scale, 64);
      EXPECT_EQ(layer.le_shift, 10);
    }
    EXPECT_EQ(layer.table.has_value(), network.ops[i].name() == "customized2");
  }
}

TEST(VendorLeNet, TableReadsTheSameAsText) {
  TW_NEED_SHARED_DATA(kFolder);
  auto text = read_table_file(shared_data("lenet-int8/bmnet_lenet_calibration.prototxt"));
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(table_text(*text), table_text(vendor_table()));
  const tputwin::testing::TemporaryDirectory folder;
  for (const TableFormat format : {TableFormat::binary, TableFormat::text}) {
    ASSERT_TRUE(write_table(*text, folder / "table", format).ok());
    auto again = read_table_file(folder / "table");
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_EQ(table_binary(*again), table_binary(*text));
  }
}

TEST(Table, RefusesWhatIsNone) {
  const auto read = [](std::string_view text) {
    return read_table({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  };
  for (const std::string_view text :
       {"", "hello", "layer { threshold_y: 1 }", "name: \"x\"", "\x12\x01", "layer { name: 3 }"}) {
    auto table = read(text);
    ASSERT_FALSE(table.ok()) << text;
    EXPECT_EQ(table.error().id(), errors::net_table) << text;
  }
  EXPECT_TRUE(read("\nlayer { name: \"a\" threshold_y: 1 }").ok());
}

}  // namespace
}  // namespace tputwin::net
