// calibration_caffe.bin on a folder with a net and the LMDB of its data layer.
#include <bmnet/tputwin_caffe.pb.h>
#include <gtest/gtest.h>

#include <random>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet/caffe/import.h"
#include "bmnet/integers/integers.h"
#include "bmnet/integers/table.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet_quant/lmdb_writer.h"
#include "common/temporary_directory.h"
#include "tools/calibrate.h"

namespace tputwin::net {
namespace {

constexpr const char* kGraph = R"(name: "tiny"
layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TEST }
  transform_param { scale: 0.0078125 mean_value: 128 crop_size: 6 }
  data_param { source: "digits" batch_size: 1 backend: LMDB } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 4 kernel_size: 3 } }
layer { name: "relu" type: "ReLU" bottom: "conv" top: "conv" }
layer { name: "ip" type: "InnerProduct" bottom: "conv" top: "ip" inner_product_param { num_output: 3 } }
layer { name: "prob" type: "Softmax" bottom: "ip" top: "prob" })";

void add_blob(caffe::LayerParameter& layer, const std::vector<int64_t>& shape,
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

void write_text(const std::filesystem::path& path, const std::string& text) {
  ASSERT_TRUE(write_bytes(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()}).ok());
}

void make_folder(const std::filesystem::path& folder) {
  std::mt19937_64 random(5);
  write_text(folder / "deploy.prototxt", kGraph);
  caffe::NetParameter weights;
  caffe::LayerParameter& conv = *weights.add_layer();
  conv.set_name("conv");
  conv.set_type("Convolution");
  add_blob(conv, {4, 1, 3, 3}, random);
  add_blob(conv, {4}, random);
  caffe::LayerParameter& ip = *weights.add_layer();
  ip.set_name("ip");
  ip.set_type("InnerProduct");
  add_blob(ip, {3, 64}, random);
  add_blob(ip, {3}, random);
  write_text(folder / "custom.caffemodel", weights.SerializeAsString());
  std::vector<std::string> values;
  for (int i = 0; i < 12; ++i) {
    caffe::Datum datum;
    datum.set_channels(1);
    datum.set_height(8);
    datum.set_width(8);
    for (int k = 0; k < 64; ++k) datum.mutable_data()->push_back(static_cast<char>(random() & 255));
    datum.set_label(i % 3);
    values.push_back(datum.SerializeAsString());
  }
  std::filesystem::create_directories(folder / "digits");
  testing::write_lmdb(folder / "digits", values);
}

TEST(CalibrateTool, FolderWithItsDataLayer) {
  const tputwin::testing::TemporaryDirectory folder;
  make_folder(folder.path());
  auto request = tools::find_model("tiny", folder.path());
  ASSERT_TRUE(request.ok()) << request.status().message();
  request->options.samples = 10;
  request->suffix = ".1x10";
  request->output_directory = folder / "out";
  request->report_path = folder / "report.json";
  auto text = tools::calibrate_files(*request);
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_NE(text->text.find("bmnet_tiny_int8.1x10.caffemodel"), std::string::npos) << text->text;
  EXPECT_TRUE(std::filesystem::exists(folder / "report.json"));

  auto net = load_caffe(folder / "out" / "bmnet_tiny_deploy.prototxt",
                        folder / "out" / "bmnet_tiny_int8.1x10.caffemodel");
  ASSERT_TRUE(net.ok()) << net.status().message();
  auto network = import_caffe(*net);
  ASSERT_TRUE(network.ok()) << network.status().message();
  EXPECT_EQ(describe(*network->shape_of("data")), "(1,1,6,6)");
  for (const char* extension : {".pb2", ".prototxt"}) {
    auto table = read_table_file(folder / "out" /
                                 (std::string("bmnet_tiny_calibration_table.1x10") + extension));
    ASSERT_TRUE(table.ok()) << table.status().message();
    auto integers = resolve(*network, *table);
    EXPECT_TRUE(integers.ok()) << integers.status().message();
  }
}

// The int8 net that a calibration writes is refused where a float net is wanted.
TEST(CalibrateTool, RefusesAnInt8Net) {
  const tputwin::testing::TemporaryDirectory folder;
  make_folder(folder.path());
  auto request = tools::find_model("tiny", folder.path());
  ASSERT_TRUE(request.ok()) << request.status().message();
  request->output_directory = folder / "out";
  ASSERT_TRUE(tools::calibrate_files(*request).ok());
  request->caffemodel = folder / "out" / "bmnet_tiny_int8.caffemodel";
  auto text = tools::calibrate_files(*request);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().id(), errors::net_already_int8) << text.error().message();
  EXPECT_NE(text.error().message().find("tputwin compile"), std::string::npos);
}

// Layers that are left to the host keep their float weights. The int8 net marks them, and the graph
// may be the user's, which does not.
TEST(CalibrateTool, LeavesLayersToTheHost) {
  const tputwin::testing::TemporaryDirectory folder;
  make_folder(folder.path());
  auto request = tools::find_model("tiny", folder.path());
  ASSERT_TRUE(request.ok()) << request.status().message();
  request->options.reach = 1;
  request->output_directory = folder / "out";
  auto text = tools::calibrate_files(*request);
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(text->missed.size(), 1u) << "the input is int8";
  EXPECT_NE(text->text.find("layers left to the host: 2"), std::string::npos) << text->text;

  const std::string model = folder / "out" / "bmnet_tiny_int8.caffemodel";
  const std::string table = folder / "out" / "bmnet_tiny_calibration_table.pb2";
  for (const std::string& graph :
       {std::string(), std::string(folder / "out" / "bmnet_tiny_deploy.prototxt")}) {
    auto made = prepare({.prototxt = graph, .caffemodel = model, .table = table, .import = {}});
    ASSERT_TRUE(made.ok()) << made.status().message();
    for (const char* layer : {"conv", "relu", "ip"}) {
      const auto op = std::ranges::find(made->network.ops, layer, &TensorOp::name);
      ASSERT_NE(op, made->network.ops.end()) << layer;
      EXPECT_TRUE(runs_on_host(*op)) << layer;
      EXPECT_TRUE(holds_floats(*op, 0)) << layer;
    }
    EXPECT_EQ(made->network.shape_of(made->network.outputs()[0])->data_type_size(), 1);
    EXPECT_TRUE(resolve(made->network, made->table).ok());
  }
  request->caffemodel = model;
  auto again = tools::calibrate_files(*request);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().id(), errors::net_already_int8) << again.error().message();
}

TEST(CalibrateTool, ReportsWhatIsMissing) {
  const tputwin::testing::TemporaryDirectory folder;
  auto request = tools::find_model("tiny", folder.path());
  ASSERT_FALSE(request.ok());
  EXPECT_EQ(request.error().id(), errors::net_cli);
}

}  // namespace
}  // namespace tputwin::net
