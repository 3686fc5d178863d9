// Thresholds of tensors that a table does not name.
#include "bmnet/integers/thresholds.h"

#include <gtest/gtest.h>

namespace tputwin::test {
namespace {

// in -> layer of floats -> reshape
net::Network net_of_floats() {
  net::Network network;
  const auto add = [&](const char* type, const char* bottom, const char* top, uint32_t bytes) {
    net::TensorOp& op = network.ops.emplace_back();
    op.set_type(type);
    op.set_name(top);
    if (*bottom != 0) op.add_bottom(bottom);
    op.add_top(top);
    auto* shape = op.add_output_shape();
    shape->add_dim(4);
    shape->set_data_type_size(bytes);
  };
  add("start", "", "in", 1);
  add("softmax", "in", "floats", 4);
  add("tg_reshape", "floats", "view", 4);
  return network;
}

NetCalibrationParameter table_of_input() {
  NetCalibrationParameter table;
  auto* layer = table.add_layer();
  layer->set_name("in");
  layer->add_threshold_y(2);
  return table;
}

TEST(Thresholds, OfFloatsWithoutAnEntryAreWhatTheTargetSays) {
  const net::Network network = net_of_floats();
  for (const float unknown : {0.0f, 1.0f}) {
    const auto resolved = net::resolve_thresholds(network, table_of_input(), unknown);
    ASSERT_TRUE(resolved.ok()) << resolved.error().message();
    EXPECT_EQ((*resolved)[0].y, std::vector<float>{2});
    EXPECT_EQ((*resolved)[1].y, std::vector<float>{unknown});
    EXPECT_EQ((*resolved)[2].x, std::vector<float>{unknown});
    EXPECT_EQ((*resolved)[2].y, std::vector<float>{unknown});
  }
}

}  // namespace
}  // namespace tputwin::test
