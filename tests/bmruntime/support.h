// Helpers of the tests of the runtime.
#pragma once

#include <bmkernel/bm1880/bmkernel_1880.h>
#include <gtest/gtest.h>
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmkernel.h>
#include <libbmruntime/bmruntime_bmnet.h>
#include <tputwin/error.h>

#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "bmodel/bmodel.h"

namespace tputwin::test {

using Bytes = std::vector<uint8_t>;

struct Runtime {
  bmctx_t ctx = nullptr;
  Runtime() { EXPECT_EQ(bm_init(0, &ctx), BM_SUCCESS); }
  ~Runtime() { bm_exit(ctx); }
  Runtime(const Runtime&) = delete;
};

inline Bytes random_bytes(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

// Returns the code of this thread's last error, and clears it.
inline std::string take_error() {
  std::string code = tputwin_last_error_code();
  tputwin_clear_errors();
  return code;
}

constexpr const char *kNull = "TW-BMR-0001", *kUnknown = "TW-BMR-0002", *kEnded = "TW-BMR-0003",
                     *kNotSupported = "TW-BMR-0004", *kDeviceIndex = "TW-BMR-0101",
                     *kNotBound = "TW-BMR-0102", *kAlreadyBound = "TW-BMR-0103",
                     *kBaseRegister = "TW-BMR-0104", *kSize = "TW-BMR-0201",
                     *kShape = "TW-BMR-0202", *kFull = "TW-BMR-0203", *kRange = "TW-BMR-0204",
                     *kForeign = "TW-BMR-0205", *kNotCmdbuf = "TW-BMR-0301",
                     *kSequence = "TW-BMR-0302", *kLaunchFailed = "TW-BMR-0303",
                     *kKernelMissing = "TW-BMR-0401", *kKernelSecond = "TW-BMR-0402",
                     *kNetChip = "TW-BMR-0501", *kNetArea = "TW-BMR-0503",
                     *kNetShape = "TW-BMR-0504", *kUnselected = "TW-BMR-0505",
                     *kUnloaded = "TW-BMR-0506", *kNetMemory = "TW-BMR-0507",
                     *kNetRange = "TW-BMR-0508", *kBlob = "TW-BMR-0509",
                     *kCpuMissing = "TW-BMR-0601", *kCpuLoad = "TW-BMR-0602",
                     *kCpuVersion = "TW-BMR-0603", *kCpuRange = "TW-BMR-0604",
                     *kCpuFailed = "TW-BMR-0605", *kBlas = "TW-BMR-0701";

// A separate command buffer, for commands that the runtime's kernel does not run.
class CommandWriter {
 public:
  CommandWriter() : memory_(1 << 20) {
    bmk1880_info_t info{};
    info.chip_version = 1880;
    info.cmdbuf = memory_.data();
    info.cmdbuf_size = static_cast<u32>(memory_.size());
    context_ = bmk1880_register(&info);
  }
  ~CommandWriter() { bmk1880_cleanup(context_); }
  CommandWriter(const CommandWriter&) = delete;
  bmk1880_context_t* context() { return context_; }
  Bytes finish() {
    u32 size = 0;
    const u8* commands = bmk1880_acquire_cmdbuf(context_, &size);
    return {commands, commands + size};
  }

 private:
  Bytes memory_;
  bmk1880_context_t* context_;
};

// dst = max(src, floor) over `shape`.
inline void emit_max(bmk1880_context_t* ctx, u64 src, u64 dst, shape_t shape, int floor,
                     ctrl_t ctrl = CTRL_NULL) {
  tensor_lmem* t = bmk1880_tl_alloc(ctx, shape, FMT_I8, CTRL_AL);
  bmk1880_gdma_load(ctx, t, src, ctrl);
  bmk1880_max_const_param_t p;
  p.max = t;
  p.a = t;
  p.b = static_cast<s8>(floor);
  p.b_is_signed = true;
  bmk1880_tpu_max_const(ctx, &p);
  bmk1880_gdma_store(ctx, t, dst, ctrl);
  bmk1880_tl_free(ctx, t);
}

inline Bytes max_of(Bytes bytes, int floor) {
  for (auto& byte : bytes)
    byte = static_cast<uint8_t>(std::max<int>(static_cast<int8_t>(byte), floor));
  return bytes;
}

// Returns a network: out = max(in, weight) with one weight byte per element, shared by all
// varieties. The input is (1,3,height,4) at neuron 0, the output follows it.
inline bmodel::Variety max_variety(int height) {
  shape_t shape = shape_t4(1, 3, height, 4);
  auto count = static_cast<uint32_t>(3 * height * 4);
  CommandWriter writer;
  bmk1880_context_t* ctx = writer.context();
  tensor_lmem* a = bmk1880_tl_alloc(ctx, shape, FMT_I8, CTRL_AL);
  tensor_lmem* b = bmk1880_tl_alloc(ctx, shape, FMT_I8, CTRL_AL);
  bmk1880_gdma_load(ctx, a, 0, CTRL_NEURON);
  bmk1880_gdma_load(ctx, b, 0, CTRL_WEIGHT);
  bmk1880_max_param_t p;
  p.max = a;
  p.a = a;
  p.b = b;
  bmk1880_tpu_max(ctx, &p);
  bmk1880_gdma_store(ctx, a, count, CTRL_NEURON);
  bmk1880_tl_free(ctx, b);
  bmk1880_tl_free(ctx, a);
  auto extent = static_cast<uint32_t>(height);
  return {.inputs = {{.shape = {1, 3, extent, 4}, .threshold = 64.0f}},
          .cmdbuf = writer.finish(),
          .neuron_size = 2 * count,
          .outputs = {
              {.name = "out", .shape = {1, 3, extent, 4}, .offset = count, .threshold = 32.0f}}};
}

inline bmodel::Model max_model(std::vector<int> heights) {
  bmodel::Model model{.name = "max", .version = "2.1", .weights = {random_bytes(3 * 16 * 4, 7)}};
  for (int height : heights) model.varieties.push_back(max_variety(height));
  return model;
}

inline Bytes expected_max(const Bytes& input, const Bytes& weight) {
  Bytes out(input.size());
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<uint8_t>(
        std::max(static_cast<int8_t>(input[i]), static_cast<int8_t>(weight[i])));
  return out;
}

inline bmnet_t register_model(bmctx_t ctx, const bmodel::Model& model) {
  auto file = bmodel::write(model, bmodel::Container::v2_1);
  EXPECT_TRUE(file.ok()) << file.status().message();
  bmnet_t net = nullptr;
  EXPECT_EQ(bmnet_register_bmodel_data(ctx, file->data(), file->size(), &net), BM_SUCCESS)
      << tputwin_last_error();
  return net;
}

}  // namespace tputwin::test
