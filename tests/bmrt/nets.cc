// Files, nets, and the information that programs get about them.
#include <set>

#include "bmrt/support.h"

namespace tputwin::testing {
namespace {

TEST_F(Bmrt, NetsOfSeveralFiles) {
  load("nets-lenet-int8.bmodel", "lenet-int8");
  load("nets-stages.bmodel", "stages");
  EXPECT_EQ(bmrt_get_network_number(runtime), 2);
  const char** names = nullptr;
  bmrt_get_network_names(runtime, &names);
  EXPECT_EQ((std::set<std::string>{names[0], names[1]}),
            (std::set<std::string>{"lenet-int8", "stages"}));
  std::free(names);
  // a second load gives a warning and does not load it again
  EXPECT_TRUE(bmrt_load_bmodel(runtime, recorded("nets-stages.bmodel").c_str()));
  EXPECT_EQ(bmrt_get_network_number(runtime), 2);
  EXPECT_EQ(tputwin_warning_count(), 1u);
}

TEST_F(Bmrt, WhatANetIs) {
  const bm_net_info_t* net = load("nets-stages.bmodel", "stages");
  ASSERT_NE(net, nullptr);
  EXPECT_STREQ(net->name, "stages");
  EXPECT_FALSE(net->is_dynamic);
  EXPECT_EQ(net->stage_num, 3);
  ASSERT_EQ(net->input_num, 1);
  ASSERT_EQ(net->output_num, 1);
  EXPECT_STREQ(net->input_names[0], "in0");
  EXPECT_EQ(net->output_dtypes[0], BM_FLOAT32);
  EXPECT_EQ(net->input_scales[0], 1.0f);
  EXPECT_EQ(net->stages[1].input_shapes[0].dims[2], 12);
  EXPECT_EQ(net->stages[2].output_shapes[0].dims[3], 42);
  EXPECT_EQ(net->max_input_bytes[0], 3u * 12 * 10 * 4);
  EXPECT_EQ(net->max_output_bytes[0], 3u * 24 * 20 * 4);
  EXPECT_EQ(net->core_num, 1);
  EXPECT_GE(bm_mem_get_device_addr(net->stages[0].input_mems[0]), 0x1'0000'0000u);
  bmrt_print_network_info(net);
  bmrt_show_neuron_network(runtime);
  bmrt_trace(runtime);
  EXPECT_EQ(tputwin_error_count(), 0u) << tputwin_last_error();
}

TEST_F(Bmrt, FromMemory) {
  Bytes bytes = *read_bytes(recorded("nets-lenet-int8.bmodel"));
  ASSERT_TRUE(bmrt_load_bmodel_data(runtime, bytes.data(), bytes.size()));
  std::fill(bytes.begin(), bytes.end(), uint8_t{0});  // the bytes were copied
  const Bytes from_memory = run_data(*bmrt_get_network_info(runtime, "lenet-int8"), 0);
  void* other = std::exchange(runtime, bmrt_create(device));
  EXPECT_EQ(run_data(*load("nets-lenet-int8.bmodel", "lenet-int8"), 0), from_memory);
  bmrt_destroy(other);
}

TEST_F(Bmrt, MemoryIsGivenBack) {
  auto used = [&] {
    bm_heap_stat_byte_t heap{};
    bm_get_gmem_heap_stat_byte_by_id(device, &heap, 0);
    return heap.mem_used;
  };
  const auto before = used();
  load("nets-unet-fp32.bmodel", "unet-fp32");
  EXPECT_GT(used(), before);
  bmrt_destroy(std::exchange(runtime, nullptr));
  EXPECT_EQ(used(), before);
}

TEST_F(Bmrt, HandlesThatEndedAreErrors) {
  void* ended = bmrt_create(device);
  bmrt_destroy(ended);
  EXPECT_EQ(bmrt_get_network_info(ended, "x"), nullptr);
  EXPECT_EQ(code(), "TW-BRT-0002");
  EXPECT_EQ(bmrt_create(nullptr), nullptr);
  bmrt_destroy(nullptr);
}

TEST_F(Bmrt, FlagsAndHandle) {
  bmrt_set_flags(runtime, BM_RUNTIME_SHARE_MEM);
  EXPECT_EQ(bmrt_get_flags(runtime), uint32_t{BM_RUNTIME_SHARE_MEM});
  EXPECT_EQ(bmrt_get_bm_handle(runtime), device);
}

TEST_F(Bmrt, Shapes) {
  const int dims[] = {2, 3, 4};
  bm_shape_t a, b;
  bmrt_shape(&a, dims, 3);
  bmrt_shape(&b, dims, 2);
  EXPECT_EQ(bmrt_shape_count(&a), 24u);
  EXPECT_FALSE(bmrt_shape_is_same(&a, &b));
  EXPECT_TRUE(bmrt_shape_is_same(&a, &a));
  bm_tensor_t tensor;
  ASSERT_TRUE(bmrt_tensor(&tensor, runtime, BM_INT16, a));
  EXPECT_EQ(bmrt_tensor_bytesize(&tensor), 48u);
  EXPECT_EQ(bmrt_tensor_device_size(&tensor), 48u);
  bm_tensor_t same;
  bmrt_tensor_with_device(&same, tensor.device_mem, BM_FLOAT16, a);
  EXPECT_EQ(same.dtype, BM_FLOAT16);
  bmrt_tensor_with_device(&same, tensor.device_mem, BM_FLOAT32, a);
  EXPECT_EQ(code(), "TW-BRT-0206");
  bm_free_device(device, tensor.device_mem);
  EXPECT_EQ(bmrt_data_type_size(BM_BFLOAT16), 2u);
}

// The copy functions for several devices, used with one.
TEST_F(Bmrt, CopiesOnDevices) {
  bm_tensor_t tensors[2];
  Bytes first = synthetic(24), second = synthetic(24, 3), back(24);
  for (auto& tensor : tensors)
    ASSERT_TRUE(bmrt_tensor_ex(&tensor, runtime, 0, BM_UINT8, bm_shape_t{2, {4, 6}}));
  void* datas[] = {first.data(), second.data()};
  int two[] = {2}, one[] = {1};
  ASSERT_TRUE(bmrt_memcpy_s2d_parallel(runtime, tensors, datas, two, 1));
  size_t from[] = {6}, to[] = {0}, sizes[] = {12};
  ASSERT_TRUE(
      bmrt_memcpy_d2d_byte_parallel(runtime, &tensors[0], to, &tensors[1], from, sizes, one, 1));
  std::copy_n(second.begin() + 6, 12, first.begin());
  void* result[] = {back.data()};
  ASSERT_TRUE(bmrt_memcpy_d2s_parallel(runtime, result, &tensors[0], one, 1));
  EXPECT_EQ(back, first);
  // a transpose of 4 x 6
  size_t zero[] = {0};
  bm_shape_t rows{2, {6, 1}}, columns{2, {1, 4}}, shape{2, {4, 6}};
  ASSERT_TRUE(bmrt_memcpy_d2d_stride_ex_parallel(runtime, &tensors[0], zero, &columns, &tensors[1],
                                                 zero, &rows, &shape, one, 1));
  ASSERT_TRUE(bmrt_memcpy_d2s_parallel(runtime, result, &tensors[0], one, 1));
  for (size_t i = 0; i < 24; ++i) EXPECT_EQ(back[i % 6 * 4 + i / 6], second[i]);
  EXPECT_FALSE(bmrt_memcpy_d2s_parallel(runtime, result, &tensors[0], one, 2));
  for (auto& tensor : tensors) bm_free_device(device, tensor.device_mem);
}

}  // namespace
}  // namespace tputwin::testing
