// Data sets.
#include "base/errors/bmnet.h"
#include "bmnet/data/data_set.h"

#include <bmnet/tputwin_caffe.pb.h>
#include <gtest/gtest.h>

#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <random>

#include "base/file.h"
#include "bmnet_quant/lmdb_writer.h"
#include "common/shared_data.h"
#include "common/temporary_directory.h"

namespace tputwin::net {
namespace {

using testing::write_lmdb;
using tputwin::testing::shared_data;
using tputwin::testing::TemporaryDirectory;

std::vector<float> sample(const DataSet& data, size_t index, size_t size) {
  std::vector<float> values(size);
  const Status status = data.sample(index, values);
  EXPECT_TRUE(status.ok()) << status.message();
  return values;
}

ErrorId refusal(const std::string& path, const DataOptions& options) {
  auto data = open_data_set(path, options);
  if (!data.ok()) return data.error().id();
  std::vector<float> values(options.shape.count());
  const Status status = (*data)->sample(0, values);
  EXPECT_FALSE(status.ok());
  return status.ok() ? errors::net_ir : status.error().id();
}

void write(const std::string& path, const std::vector<uint8_t>& bytes) {
  ASSERT_TRUE(write_bytes(path, bytes).ok());
}

TEST(Data, Mnist) {
  TW_NEED_SHARED_DATA("mnist");
  TW_NEED_SHARED_DATA("lenet-int8");
  DataOptions options{.shape = {1, 1, 28, 28}, .scale = {1 / 256.0f}};
  auto data = open_data_set(shared_data("mnist/t10k-images-idx3-ubyte.gz"), options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 10000u);
  EXPECT_EQ((*data)->label(0), 7);
  EXPECT_EQ((*(*data)->natural_shape()).h, 28);
  // The vendor's int8 inputs are the first hundred.
  const auto bytes = read_bytes(shared_data("lenet-int8/test_input_1_1_28_28.bin"));
  ASSERT_TRUE(bytes.ok());
  const float threshold = 0.99658036f;
  size_t different = 0;
  for (size_t i = 0; i < 100; ++i) {
    const std::vector<float> values = sample(**data, i, 784);
    for (size_t k = 0; k < 784; ++k) {
      const int expected = static_cast<int8_t>((*bytes)[i * 784 + k]);
      const int q = std::min(127, static_cast<int>(values[k] * 128 / threshold + 0.5f));
      different += std::abs(q - expected) > 1;
    }
  }
  EXPECT_EQ(different, 0u);
}

TEST(Data, IdxWithWrongExtents) {
  const TemporaryDirectory folder;
  const DataOptions options{.kind = DataKind::idx, .shape = {1, 1, 2, 2}};
  const std::vector<uint8_t> header{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2};
  std::vector<uint8_t> whole = header;
  whole.insert(whole.end(), {1, 2, 3, 4, 5, 6, 7, 8});
  write(folder / "whole", whole);
  auto data = open_data_set(folder / "whole", options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ(sample(**data, 1, 4), (std::vector<float>{5, 6, 7, 8}));
  EXPECT_EQ((*data)->label(1), -1);
  write(folder / "short", header);
  EXPECT_EQ(refusal(folder / "short", options), errors::net_data);
  std::vector<uint8_t> huge = header;
  huge[4] = huge[8] = 255;
  write(folder / "huge", huge);
  EXPECT_EQ(refusal(folder / "huge", options), errors::net_data);
  write(folder / "labels", {0, 0, 8, 1, 0, 0, 0, 1, 7});
  DataOptions labelled = options;
  labelled.list = folder / "labels";
  EXPECT_EQ(refusal(folder / "whole", labelled), errors::net_data_label);
  DataOptions other = options;
  other.shape = {1, 3, 2, 2};
  EXPECT_EQ(refusal(folder / "whole", other), errors::net_data_shape);
}

TEST(Data, RawTensors) {
  const TemporaryDirectory folder;
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  std::vector<uint8_t> bytes(24);
  std::memcpy(bytes.data(), values.data(), 24);
  write(folder / "f32", bytes);
  DataOptions options{.shape = {1, 3, 1, 1}, .mean = {1, 1, 2}, .scale = {2}};
  auto data = open_data_set(folder / "f32", options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 2u);
  EXPECT_EQ(sample(**data, 1, 3), (std::vector<float>{6, 8, 8}));
  write(folder / "i8", {255, 1, 128});
  options = {.shape = {1, 3, 1, 1}, .raw_type = RawType::i8};
  data = open_data_set(folder / "i8", options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ(sample(**data, 0, 3), (std::vector<float>{-1, 1, -128}));
  options.shape = {1, 2, 1, 1};
  EXPECT_EQ(refusal(folder / "i8", options), errors::net_data_shape);
  EXPECT_EQ(refusal(folder / "none", options), errors::net_data);
  write(folder / "empty", {});
  EXPECT_EQ(refusal(folder / "empty", options), errors::net_data_empty);
}

// Writes a picture with blue 10, green 20, red 30 at (row, column), black elsewhere.
void write_picture(const std::filesystem::path& path, int rows, int columns, int row = 0) {
  std::filesystem::create_directories(path.parent_path());
  cv::Mat image(rows, columns, CV_8UC3, cv::Scalar(0, 0, 0));
  image.at<cv::Vec3b>(row, 0) = {10, 20, 30};
  ASSERT_TRUE(cv::imwrite(path, image));
}

TEST(Data, Pictures) {
  const TemporaryDirectory folder;
  write_picture(folder / "b" / "1.png", 2, 2);
  write_picture(folder / "a" / "2.png", 2, 2);
  write_picture(folder / "a" / "1.png", 2, 2, 1);
  write(folder / "a" / "notes.txt", {1, 2, 3});
  DataOptions options{.shape = {1, 3, 2, 2}};
  auto data = open_data_set(folder.path(), options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  ASSERT_EQ((*data)->size(), 3u);
  EXPECT_EQ((*data)->label(1), 0);
  EXPECT_EQ((*data)->label(2), 1);
  EXPECT_EQ(sample(**data, 0, 12), (std::vector<float>{0, 0, 10, 0, 0, 0, 20, 0, 0, 0, 30, 0}));
  options.rgb = true;
  options.mean = {30, 20, 10};
  options.scale = {1, 2, 3};
  data = open_data_set(folder.path(), options);
  EXPECT_EQ(sample(**data, 1, 12)[0], 0);
  EXPECT_EQ(sample(**data, 1, 12)[5], -40);

  const std::string lines = "b/1.png 5\n\na/2.png\n";
  write(folder / "list", {lines.begin(), lines.end()});
  options.list = folder / "list";
  data = open_data_set(folder.path(), options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  ASSERT_EQ((*data)->size(), 2u);
  EXPECT_EQ((*data)->label(0), 5);
  EXPECT_EQ((*data)->label(1), -1);
}

TEST(Data, CropAndResize) {
  const TemporaryDirectory folder;
  cv::Mat image(4, 6, CV_8UC1);
  for (int i = 0; i < 24; ++i) image.data[i] = static_cast<uint8_t>(i);
  ASSERT_TRUE(cv::imwrite(folder / "1.png", image));
  DataOptions options{.shape = {1, 1, 2, 2}, .crop = true};
  auto data = open_data_set(folder.path(), options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ(sample(**data, 0, 4), (std::vector<float>{8, 9, 14, 15}));
  options.mean_image.assign(24, 0);
  options.mean_image[8] = 8;
  options.mean_shape = {1, 1, 4, 6};
  data = open_data_set(folder.path(), options);
  EXPECT_EQ(sample(**data, 0, 4), (std::vector<float>{0, 9, 14, 15}));
  options = {.shape = {1, 1, 2, 3}};
  data = open_data_set(folder.path(), options);
  EXPECT_EQ(sample(**data, 0, 6)[0], 3.5f);  // the mean of 0, 1, 6, 7
  options = {.shape = {1, 1, 8, 8}, .crop = true};
  EXPECT_EQ(refusal(folder.path(), options), errors::net_data_shape);
  write(folder / "0.png", {1, 2, 3});
  EXPECT_EQ(refusal(folder.path(), {.shape = {1, 1, 2, 2}}), errors::net_data);
}

TEST(Data, Lmdb) {
  const TemporaryDirectory folder;
  ::tputwin::caffe::Datum plain, floats;
  plain.set_channels(1);
  plain.set_height(1);
  plain.set_width(2);
  plain.set_label(3);
  floats = plain;
  plain.set_data("\x05\xff");
  floats.add_float_data(0.5f);
  floats.add_float_data(-1);
  write_lmdb(folder.path(), {plain.SerializeAsString(), floats.SerializeAsString()});
  const DataOptions options{.shape = {1, 1, 1, 2}};
  auto data = open_data_set(folder.path(), options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  EXPECT_EQ((*data)->size(), 2u);
  EXPECT_EQ((*data)->label(0), 3);
  EXPECT_EQ(sample(**data, 0, 2), (std::vector<float>{5, 255}));
  EXPECT_EQ(sample(**data, 1, 2), (std::vector<float>{0.5f, -1}));
  EXPECT_EQ((*data)->natural_shape()->w, 2);
}

TEST(Data, BrokenLmdb) {
  const TemporaryDirectory folder;
  write(folder / "data.mdb", {1, 2, 3});
  EXPECT_EQ(refusal(folder.path(), {.shape = {1, 1, 1, 2}}), errors::net_data);
  const TemporaryDirectory second;
  write_lmdb(second.path(), {"this is no Datum"});
  EXPECT_EQ(refusal(second.path(), {.shape = {1, 1, 1, 2}}), errors::net_data);
}

// LMDB's library crashes on some of them.
TEST(Data, DamagedLmdbsAreErrors) {
  const TemporaryDirectory folder;
  ::tputwin::caffe::Datum datum;
  datum.set_channels(1);
  datum.set_height(28);
  datum.set_width(28);
  datum.set_data(std::string(784, 'x'));
  write_lmdb(folder.path(), std::vector<std::string>(40, datum.SerializeAsString()));
  const auto whole = *read_bytes(folder / "data.mdb");
  std::mt19937 random(5);
  unsigned damaged = 0, read = 0;
  for (int round = 0; round < 150; ++round) {
    std::vector<uint8_t> file = whole;
    constexpr size_t kPage = 4096, kHead = 64;
    for (size_t changes = 1 + random() % 4; changes > 0; --changes) {
      const size_t page = random() % (file.size() / kPage);
      file[page * kPage + random() % (random() % 2 == 0 ? kHead : kPage)] =
          static_cast<uint8_t>(random() % 3 == 0 ? random() : 1u << random() % 8);
    }
    if (random() % 8 == 0) file.resize(random() % file.size());
    write(folder / "data.mdb", file);
    const auto data = open_data_set(folder.path(), {.shape = {1, 1, 28, 28}});
    read += data.ok();
    damaged += !data.ok() && data.status().message().find("damaged") != std::string::npos;
    std::vector<float> values(784);
    for (size_t i = 0; data.ok() && i < (*data)->size(); ++i)
      static_cast<void>((*data)->sample(i, values));
  }
  EXPECT_GT(damaged, 0u);
  EXPECT_GT(read, 0u);
}

}  // namespace
}  // namespace tputwin::net
