// The vendor's quantized LeNet: bytes as on the chip. It classifies about as many digits correctly
// as the float net, 93 of these 100.
#include "base/file.h"
#include "bmnet/caffe/import.h"
#include "bmnet/data/data_set.h"
#include "bmnet/integers/table.h"
#include "bmnet_int8/net.h"
#include "common/shared_data.h"

namespace tputwin::test {
namespace {

using testing::shared_data;
constexpr size_t kImage = 28 * 28, kImages = 100;

constexpr const char* kCalibrated = "lenet-int8/bmnet_lenet_calibration.caffemodel";

// ELU runs on the host, as in the vendor's sample.
Result<Network> lenet(const char* caffemodel) {
  TW_ASSIGN_OR_RETURN(
      net, net::load_caffe(shared_data("lenet-int8/test_deploy.proto"), shared_data(caffemodel)));
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(net));
  for (TensorOp& op : network.ops) {
    if (op.name() != "customized2") continue;
    op.set_cpu_op(true);
    op.set_type("ELU");
  }
  return network;
}

struct Resolved {
  Network network;
  std::vector<LayerIntegers> integers;
};

Result<Resolved> resolved(const char* caffemodel) {
  TW_ASSIGN_OR_RETURN(network, lenet(caffemodel));
  TW_ASSIGN_OR_RETURN(table,
                      net::read_table_file(shared_data("lenet-int8/bmnet_lenet_calibration.pb2")));
  TW_ASSIGN_OR_RETURN(integers, net::resolve(network, table));
  return Resolved{std::move(network), std::move(integers)};
}

// Returns the scores of one of the images.
Values scores(const Resolved& net, const TensorBytes& images, size_t image) {
  const auto begin = images.begin() + static_cast<ptrdiff_t>(image * kImage);
  auto tensors = run_int8(net.network, net.integers,
                          {{net.network.inputs()[0], TensorBytes(begin, begin + kImage)}});
  EXPECT_TRUE(tensors.ok()) << tensors.status().message();
  return tensors.ok() ? to_values(tensors->at(net.network.outputs()[0])) : Values(10);
}

// Each of the vendor's caffemodels has its own recorded result.
TEST(VendorLeNet, EqualsTheChip) {
  TW_NEED_SHARED_DATA("lenet-int8");
  TW_NEED_SHARED_DATA("bm1880-real");
  const std::pair<const char*, const char*> goldens[] = {
      {"bm1880-real/lenet-int8/bmnet_lenet_test.caffemodel", "test_output_1_1_28_28_ref.bin"},
      {kCalibrated, "test_onnx_output_1_1_28_28_ref.bin"}};
  for (const auto& [caffemodel, golden] : goldens) {
    auto net = resolved(caffemodel);
    ASSERT_TRUE(net.ok()) << net.status().message();
    const auto images = read_bytes(shared_data("lenet-int8/test_input_1_1_28_28.bin"));
    const auto chip = read_bytes(shared_data(std::string("bm1880-real/lenet-int8/") + golden));
    EXPECT_EQ(scores(*net, *images, 0), to_values(*chip)) << caffemodel;
  }
}

TEST(VendorLeNet, RecognizesDigits) {
  TW_NEED_SHARED_DATA("lenet-int8");
  TW_NEED_SHARED_DATA("mnist");
  auto net = resolved(kCalibrated);
  ASSERT_TRUE(net.ok()) << net.status().message();
  const auto images = read_bytes(shared_data("lenet-int8/test_input_1_1_28_28.bin"));
  auto data =
      net::open_data_set(shared_data("mnist/t10k-images-idx3-ubyte.gz"), {.shape = {1, 1, 28, 28}});
  ASSERT_TRUE(data.ok()) << data.status().message();
  int right = 0;
  for (size_t i = 0; i < kImages; ++i) {
    const Values values = scores(*net, *images, i);
    right += std::ranges::max_element(values) - values.begin() == (*data)->label(i);
  }
  EXPECT_GE(right, 90);
}

}  // namespace
}  // namespace tputwin::test
