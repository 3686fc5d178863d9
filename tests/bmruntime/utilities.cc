// libbmutils and libbmblas.
#include <fmt/format.h>
#include <libbmblas/bmblas_api.h>
#include <libbmutils/bm_crc32.h>
#include <libbmutils/bm_debug.h>
#include <libbmutils/bm_native_ref.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "bmruntime/support.h"

namespace tputwin::test {
namespace {

using testing::internal::CaptureStdout;
using testing::internal::GetCapturedStdout;

std::string printed(const std::function<void()>& function) {
  CaptureStdout();
  function();
  return GetCapturedStdout();
}

TEST(Debug, Dumps) {
  float floats[4] = {1, -2.5f, 3, 4};
  int32_t ints[2] = {-7, 8};
  int16_t shorts[2] = {-300, 5};
  int8_t bytes[2] = {-1, 100};
  EXPECT_EQ(printed([&] { dump_hex("x", bytes, 2); }), "x (2 bytes)\n0000: ff 64\n");
  EXPECT_EQ(printed([&] { dump_data_float("x", floats, 1, 1, 2, 2); }),
            "x (1,1,2,2)\nn=0 c=0\n1 -2.5 \n3 4 \n");
  EXPECT_NE(printed([&] { dump_data_float_abs("x", floats, 1, 1, 2, 2); }).find("1 2.5"),
            std::string::npos);
  EXPECT_NE(printed([&] { dump_data_int("x", ints, 1, 2, 1, 1); }).find("n=0 c=1\n8"),
            std::string::npos);
  EXPECT_NE(printed([&] { dump_data_int16("x", shorts, 1, 1, 1, 2); }).find("-300 5"),
            std::string::npos);
  EXPECT_NE(printed([&] { dump_data_int8("x", bytes, 1, 1, 1, 2); }).find("-1 100"),
            std::string::npos);
  EXPECT_NE(printed([&] { dump_matrix_float("x", floats, 2, 2); }).find("3 4"), std::string::npos);
}

TEST(Debug, Files) {
  auto path = std::filesystem::temp_directory_path() / std::to_string(std::random_device{}());
  auto text = [&] {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  write_binary_file("a\0b", 3, path.c_str());
  EXPECT_EQ(text(), std::string("a\0b", 3));
  write_string_file("hello", path.c_str());
  EXPECT_EQ(text(), "hello");
  float value = 2;
  dump_data_float_to_file("v", path.c_str(), &value, 1, 1, 1, 1);
  EXPECT_EQ(text(), "v (1,1,1,1)\nn=0 c=0\n2 \n");
  std::filesystem::remove(path);
}

TEST(Debug, MacrosCompileAndSpeakOnStderr) {
  testing::internal::CaptureStderr();
  BM_ASSERT(true);
  BMRT_ERR("%d\n", 1);
  CMODEL_TRACE("%d\n", 2);
  LOGI << "three " << 3;
  LOGD << "hidden";
  LINE_DBG();
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("three 3"), std::string::npos);
  EXPECT_EQ(text.find("hidden"), std::string::npos);
  EXPECT_DEATH(BM_ASSERT(1 == 2), "1 == 2");
}

TEST(Crc32, KnownValue) {
  EXPECT_EQ(bm_crc32("123456789", 9), 0xcbf43926u);
  EXPECT_EQ(bm_crc32("", 0), 0u);
}

TEST(NativeRef, Extents) {
  EXPECT_EQ(calc_dilute_hw(5, 0, 0, 1, 1), 7);
  EXPECT_EQ(calc_dilute_hw(3, 2, 1, 0, 0), 8);
  EXPECT_EQ(calc_output_hw(7, 3, 2), 3);
  EXPECT_EQ(calc_output_hw(2, 3, 1), 0);
}

native_window_t window(int c, int h, int w, int oc, int k, int pad, int stride) {
  native_window_t v{};
  v.n = 1, v.c = c, v.h = h, v.w = w, v.oc = oc, v.kh = v.kw = k;
  v.pad_top = v.pad_bottom = v.pad_left = v.pad_right = pad;
  v.stride_h = v.stride_w = stride;
  v.dilation_h = v.dilation_w = 1;
  return v;
}

TEST(NativeRef, WorkedValues) {
  native_window_t v = window(1, 2, 2, 1, 3, 1, 1);
  int8_t map[4] = {1, 2, 3, 4}, ones[9], out[4];
  std::fill_n(ones, 9, int8_t{1});
  int16_t bias = 1;
  native_conv_int8(map, ones, &bias, out, &v, false, 1);
  for (int8_t value : out) EXPECT_EQ(value, 6) << "(10 + 1) / 2, half up";
  float fmap[4] = {1, 2, 3, -4}, fones[9], fout[4];
  std::fill_n(fones, 9, 1.0f);
  native_conv_fp32(fmap, fones, nullptr, fout, &v, true);
  EXPECT_EQ(fout[0], 2);
  v = window(1, 2, 2, 1, 2, 0, 1);
  native_pooling_max_int8(map, out, &v);
  EXPECT_EQ(out[0], 4);
  native_pooling_ave_int8(map, out, &v, 1, 2);
  EXPECT_EQ(out[0], 3) << "10 / 4, half up";
  native_pooling_max_fp32(fmap, fout, &v);
  EXPECT_EQ(fout[0], 3);
  native_pooling_ave_fp32(fmap, fout, &v);
  EXPECT_EQ(fout[0], 0.5f);
  native_fc_int8(map, map, nullptr, out, 2, 2, 2, false, 0);
  EXPECT_EQ(std::vector<int>(out, out + 4), (std::vector<int>{7, 10, 15, 22}));
  native_fc_fp32(fmap, fmap, nullptr, fout, 2, 2, 2, true);
  EXPECT_EQ(fout[1], 0) << "1*2 + 2*-4, cut at 0";
}

TEST(NativeRef, SmallHelpers) {
  int wide[3] = {300, -5, 3}, product[3], copy[2];
  int8_t narrow[3], padded[9], *target = padded;
  int16_t shorts[3];
  satu_2_8bit(wide, 3, narrow, 1, 0, 1);
  EXPECT_EQ(std::vector<int>(narrow, narrow + 3), (std::vector<int>{127, -2, 2}));
  satu_2_8bit(wide, 3, narrow, 1, 1, 0);
  EXPECT_EQ(static_cast<uint8_t>(narrow[0]), 150);
  EXPECT_EQ(narrow[1], 0);
  satu_2_16bit(wide, 3, shorts, 0, 0, 1);
  EXPECT_EQ(shorts[0], 300);
  EXPECT_EQ(inner_product(wide, wide, 3, product), 90000 + 25 + 9);
  int8_t one[4] = {1, 2, 3, 4};
  fill_pad_fmap_int8(one, &target, 9, 1, 0, 1, 0, 0, 0, 0, 0, 2, 2);
  EXPECT_EQ(std::vector<int>(padded, padded + 9), (std::vector<int>{9, 9, 9, 9, 1, 2, 9, 3, 4}));
  float fone = 5, fpadded[3], *ftarget = fpadded;
  fill_pad_fmap_fp32(&fone, &ftarget, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1);
  EXPECT_EQ(fpadded[1], 5);
  int8_t s8[2] = {-1, 2};
  uint8_t u8s[2] = {255, 2};
  int16_t s16s[2] = {-300, 2};
  fill_int_with_int8(copy, s8, 2);
  EXPECT_EQ(copy[0], -1);
  fill_int_with_uint8(copy, u8s, 2);
  EXPECT_EQ(copy[0], 255);
  fill_int_with_int16(copy, s16s, 2);
  EXPECT_EQ(copy[0], -300);
}

TEST(NativeRef, Comparisons) {
  int a[2] = {1, 2}, b[2] = {1, 3};
  int8_t c[2] = {1, 2}, d[2] = {1, 3};
  float e[2] = {1, 100}, f[2] = {1, 101};
  testing::internal::CaptureStderr();
  EXPECT_EQ(array_cmp_int("x", a, a, 2), 0);
  EXPECT_NE(array_cmp_int("x", a, b, 2), 0);
  EXPECT_EQ(array_cmp_int8("x", c, c, 2), 0);
  EXPECT_NE(array_cmp_int8("x", c, d, 2), 0);
  EXPECT_EQ(array_cmp_float("x", e, f, 2, 0.02f), 0);
  EXPECT_NE(array_cmp_float("x", e, f, 2, 0.001f), 0);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("element 1"), std::string::npos);
}

// ---- bmblas ----

struct Gemm {
  size_t m, n, k;
};

class GemmTest : public testing::TestWithParam<Gemm> {};

TEST_P(GemmTest, EqualsTheFormula) {
  auto [M, N, K] = GetParam();
  Runtime runtime;
  Bytes a = random_bytes(M * K, 1), b = random_bytes(K * N, 2), c(2 * M * N);
  auto upload = [&](const Bytes& bytes) {
    bmmem_device_t mem = bmmem_device_alloc_raw(runtime.ctx, bytes.size());
    auto copy = bytes;
    bm_memcpy_s2d(runtime.ctx, mem, copy.data());
    return mem;
  };
  bmmem_device_t mem_a = upload(a), mem_b = upload(b), mem_c = upload(c);
  void* kernel = nullptr;
  ASSERT_EQ(bmruntime_bmkernel_create(runtime.ctx, &kernel), BM_SUCCESS);
  bmblas_gemm(static_cast<bmk1880_context_t*>(kernel), M, N, K,
              bmmem_device_addr(runtime.ctx, mem_a), bmmem_device_addr(runtime.ctx, mem_b),
              bmmem_device_addr(runtime.ctx, mem_c));
  bmruntime_bmkernel_submit(runtime.ctx);
  bmruntime_bmkernel_destroy(runtime.ctx);
  ASSERT_STREQ(tputwin_last_error(), "");
  bm_memcpy_d2s(runtime.ctx, c.data(), mem_c);
  for (size_t i = 0; i < M * N; ++i) {
    int sum = 0;
    for (size_t k = 0; k < K; ++k)
      sum += static_cast<int8_t>(a[i / N * K + k]) * static_cast<int8_t>(b[k * N + i % N]);
    auto got = static_cast<int16_t>(c[i] | c[M * N + i] << 8);
    ASSERT_EQ(got, std::clamp(sum, -32768, 32767)) << i / N << "," << i % N;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, GemmTest,
                         testing::Values(Gemm{1, 1, 1}, Gemm{1, 100, 30}, Gemm{3, 17, 33},
                                         Gemm{40, 70, 200}, Gemm{1, 1100, 700}, Gemm{300, 5, 64}),
                         [](const auto& info) {
                           const auto& p = info.param;
                           return fmt::format("{}x{}x{}", p.m, p.n, p.k);
                         });

TEST(Gemm, ImpossibleShapes) {
  bmblas_gemm(nullptr, 1, 1, 1, 0, 0, 0);
  EXPECT_EQ(take_error(), kBlas);
  CommandWriter writer;
  bmblas_gemm(writer.context(), 0, 1, 1, 0, 0, 0);
  EXPECT_EQ(take_error(), kBlas);
}

}  // namespace
}  // namespace tputwin::test
