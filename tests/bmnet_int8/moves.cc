// Layers that move elements, of int8 and of floats.
#include <cstring>
#include <numeric>

#include "base/errors/bmnet.h"
#include "bmnet_int8/net.h"

namespace tputwin::test {
namespace {

Values ramp(int count) {
  Values values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

// Expects that a layer moves elements of four bytes as it moves elements of one byte.
void expect_floats_alike(const OneLayer& layer) {
  OneLayer floats = layer;
  for (int i = 0; i < floats.op.input_shape_size(); ++i) {
    floats.op.mutable_input_shape(i)->set_data_type_size(4);
    *floats.starts[static_cast<size_t>(i)].mutable_output_shape(0) = floats.op.input_shape(i);
    TensorBytes& bytes = floats.inputs["in" + std::to_string(i)];
    std::vector<float> values;
    for (int v : to_values(bytes)) values.push_back(static_cast<float>(v) + 0.5F);
    bytes.resize(values.size() * 4);
    std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  for (auto& shape : *floats.op.mutable_output_shape()) shape.set_data_type_size(4);
  auto result = floats.tensors();
  ASSERT_TRUE(result.ok()) << result.status().message();
  for (int i = 0; i < layer.op.top_size(); ++i) {
    const TensorBytes& bytes = result->at(layer.op.top(i));
    const Values expected = layer.run(i);
    ASSERT_EQ(bytes.size(), expected.size() * 4);
    for (size_t k = 0; k < expected.size(); ++k) {
      float value;
      std::memcpy(&value, &bytes[k * 4], 4);
      EXPECT_EQ(value, static_cast<float>(expected[k]) + 0.5F);
    }
  }
}

void expect(const OneLayer& layer, const Values& values) {
  EXPECT_EQ(layer.run(), values);
  expect_floats_alike(layer);
}

TEST(Move, Reshape) {
  OneLayer layer("tg_reshape");
  layer.input({1, 2, 3}, ramp(6)).output({6});
  expect(layer, ramp(6));
}

TEST(Move, PermuteOfThreeAndFourAxes) {
  OneLayer layer("tg_permute");
  for (uint32_t axis : {0, 2, 3, 1}) layer.op.mutable_tg_permute_param()->add_order(axis);
  layer.input({1, 2, 2, 3}, ramp(12)).output({1, 2, 3, 2});
  expect(layer, {0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11});
  OneLayer three("tg_permute");
  for (uint32_t axis : {2, 0, 1}) three.op.mutable_tg_permute_param()->add_order(axis);
  three.input({2, 1, 3}, ramp(6)).output({3, 2, 1});
  expect(three, {0, 3, 1, 4, 2, 5});
}

TEST(Move, Slice) {
  OneLayer layer("tg_slice");
  layer.op.mutable_tg_slice_param()->set_axis(1);
  layer.input({2, 3}, ramp(6)).output({2, 1}).output({2, 2});
  expect(layer, {0, 3});
  EXPECT_EQ(layer.run(1), (Values{1, 2, 4, 5}));
}

TEST(Move, Crop) {
  OneLayer layer("tg_crop");
  for (uint32_t offset : {0, 1, 0, 2}) layer.op.mutable_tg_crop_param()->add_offset(offset);
  layer.input({1, 2, 2, 3}, ramp(12)).input({1, 1, 2, 1}, {0, 0}).output({1, 1, 2, 1});
  expect(layer, {8, 11});
}

TEST(Move, ShuffleChannel) {
  OneLayer layer("tg_shuffle_channel");
  layer.op.mutable_tg_shuffle_channel_param()->set_group(2);
  layer.input({1, 6, 1, 1}, ramp(6)).output({1, 6, 1, 1});
  expect(layer, {0, 3, 1, 4, 2, 5});
}

TEST(Move, Upsample) {
  OneLayer layer("tg_upsample");
  for (int i = 0; i < 2; ++i) layer.op.mutable_tg_upsample_param()->add_size(2);
  layer.input({1, 1, 1, 2}, {1, 2}).output({1, 1, 2, 4});
  expect(layer, {1, 1, 2, 2, 1, 1, 2, 2});
}

TEST(Move, Reorg) {
  OneLayer layer("tg_reorg");
  layer.op.mutable_tg_reorg_param()->set_stride(2);
  layer.input({1, 2, 2, 4}, ramp(16)).output({1, 8, 1, 2});
  expect(layer, {0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15});
}

TEST(Move, Tile) {
  OneLayer layer("tg_tile");
  layer.op.mutable_tg_tile_param()->set_axis(1);
  layer.op.mutable_tg_tile_param()->set_tiles(2);
  layer.input({2, 2}, ramp(4)).output({2, 4});
  expect(layer, {0, 1, 0, 1, 2, 3, 2, 3});
}

TEST(Move, Reverse) {
  OneLayer layer("tg_reverse");
  layer.op.mutable_tg_reverse_param()->set_axis(1);
  layer.input({2, 3, 2}, ramp(12)).output({2, 3, 2});
  expect(layer, {4, 5, 2, 3, 0, 1, 10, 11, 8, 9, 6, 7});
}

TEST(Move, ConcatOfFloats) {
  OneLayer layer("tg_concat");
  layer.op.mutable_tg_concat_param()->set_axis(2);
  layer.input({1, 2, 1}, {1, 2}).input({1, 2, 2}, {3, 4, 5, 6}).output({1, 2, 3});
  expect(layer, {1, 3, 4, 2, 5, 6});
}

TEST(Move, SizesThatDoNotGoTogether) {
  OneLayer layer("tg_reshape");
  layer.input({1, 2}, {1, 2}).output({3});
  EXPECT_EQ(layer.tensors().error().id(), errors::net_operand_shapes);
  OneLayer slice("tg_slice");
  slice.op.mutable_tg_slice_param()->set_axis(2);
  slice.input({2, 1}, {1, 2}).output({2, 1});
  EXPECT_EQ(slice.tensors().error().id(), errors::net_axis);
}

}  // namespace
}  // namespace tputwin::test
