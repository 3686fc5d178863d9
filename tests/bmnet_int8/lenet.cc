// The vendor's quantised LeNet recognises digits about as well as its float form, 93 of these 100.
#include "base/file.h"
#include "bmnet/caffe/import.h"
#include "bmnet/data/data_set.h"
#include "bmnet/quantize/table.h"
#include "bmnet_int8/net.h"
#include "common/shared_data.h"

namespace tputwin::test {
namespace {

using testing::shared_data;
constexpr size_t kImage = 28 * 28, kImages = 100;

// ELU runs on the host, as the vendor's sample has it.
Result<Network> lenet() {
  TW_ASSIGN_OR_RETURN(
      net, net::load_caffe(shared_data("lenet-int8/test_deploy.proto"),
                           shared_data("lenet-int8/bmnet_lenet_calibration.caffemodel")));
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(net));
  for (TensorOp& op : network.ops) {
    if (op.name() != "customized2") continue;
    op.set_cpu_op(true);
    op.set_type("ELU");
  }
  return network;
}

Result<std::vector<Values>> run_all(const Network& network, const TensorBytes& images) {
  TW_ASSIGN_OR_RETURN(table,
                      net::read_table_file(shared_data("lenet-int8/bmnet_lenet_calibration.pb2")));
  TW_ASSIGN_OR_RETURN(integers, net::resolve(network, table));
  std::vector<Values> results;
  for (size_t i = 0; i < kImages; ++i) {
    const auto begin = images.begin() + static_cast<ptrdiff_t>(i * kImage);
    const TensorBytes image(begin, begin + kImage);
    TW_ASSIGN_OR_RETURN(tensors, run_int8(network, integers, {{network.inputs()[0], image}}));
    results.push_back(to_values(tensors.at(network.outputs()[0])));
  }
  return results;
}

TEST(VendorLeNet, RecognisesDigits) {
  TW_NEED_SHARED_DATA("lenet-int8");
  TW_NEED_SHARED_DATA("mnist");
  auto network = lenet();
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto results = run_all(*network, *read_bytes(shared_data("lenet-int8/test_input_1_1_28_28.bin")));
  ASSERT_TRUE(results.ok()) << results.status().message();
  auto data =
      net::open_data_set(shared_data("mnist/t10k-images-idx3-ubyte.gz"), {.shape = {1, 1, 28, 28}});
  ASSERT_TRUE(data.ok()) << data.status().message();
  int right = 0;
  for (size_t i = 0; i < kImages; ++i)
    right += std::ranges::max_element((*results)[i]) - (*results)[i].begin() == (*data)->label(i);
  EXPECT_GE(right, 90);
}

}  // namespace
}  // namespace tputwin::test
