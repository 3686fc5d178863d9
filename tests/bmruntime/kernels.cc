// BMKernel programs and command buffers on a context.
#include <thread>

#include "bmruntime/support.h"

namespace tputwin::test {
namespace {

const shape_t kShape = shape_t4(1, 8, 6, 6);
constexpr size_t kCount = 8 * 6 * 6;

// Source and destination in device memory.
struct Buffers {
  explicit Buffers(bmctx_t context, uint64_t seed = 1)
      : ctx(context), in(random_bytes(kCount, seed)) {
    src = bmmem_device_alloc_raw(ctx, kCount);
    dst = bmmem_device_alloc_raw(ctx, kCount);
    bm_memcpy_s2d(ctx, src, in.data());
  }
  u64 src_addr() const { return bmmem_device_addr(ctx, src); }
  u64 dst_addr() const { return bmmem_device_addr(ctx, dst); }
  Bytes result() const {
    Bytes out(kCount);
    EXPECT_EQ(bm_memcpy_d2s(ctx, out.data(), dst), BM_SUCCESS);
    return out;
  }
  bmctx_t ctx;
  Bytes in;
  bmmem_device_t src = nullptr, dst = nullptr;
};

bmk1880_context_t* create_kernel(bmctx_t ctx) {
  void* kernel = nullptr;
  EXPECT_EQ(bmruntime_bmkernel_create(ctx, &kernel), BM_SUCCESS);
  return static_cast<bmk1880_context_t*>(kernel);
}

TEST(Kernel, SubmitRunsAndEmpties) {
  Runtime runtime;
  Buffers b(runtime.ctx);
  bmk1880_context_t* kernel = create_kernel(runtime.ctx);
  for (int floor : {3, -20}) {
    emit_max(kernel, b.src_addr(), b.dst_addr(), kShape, floor);
    bmruntime_bmkernel_submit(runtime.ctx);
    EXPECT_EQ(b.result(), max_of(b.in, floor));
  }
  u32 size = 1;
  bmk1880_acquire_cmdbuf(kernel, &size);
  EXPECT_EQ(size, 0u);
  emit_max(kernel, b.src_addr(), b.dst_addr(), kShape, 50);
  bmruntime_bmkernel_submit_pio(runtime.ctx);
  EXPECT_EQ(b.result(), max_of(b.in, 50));
  bmruntime_bmkernel_destroy(runtime.ctx);
  EXPECT_EQ(take_error(), "");
}

TEST(Kernel, LocalMemoryAndAllocationsPersistBetweenSubmits) {
  Runtime runtime;
  Buffers b(runtime.ctx);
  bmk1880_context_t* kernel = create_kernel(runtime.ctx);
  tensor_lmem* t = bmk1880_tl_alloc(kernel, kShape, FMT_I8, CTRL_AL);
  bmk1880_gdma_load(kernel, t, b.src_addr(), CTRL_NULL);
  bmruntime_bmkernel_submit(runtime.ctx);
  bmk1880_gdma_store(kernel, t, b.dst_addr(), CTRL_NULL);
  bmruntime_bmkernel_submit(runtime.ctx);
  EXPECT_EQ(b.result(), b.in);
  bmk1880_tl_free(kernel, t);
  bmruntime_bmkernel_destroy(runtime.ctx);
}

TEST(Kernel, MoreCommandsThanAnyFixedBuffer) {
  Runtime runtime;
  Buffers b(runtime.ctx);
  bmk1880_context_t* kernel = create_kernel(runtime.ctx);
  for (int i = 0; i < 3000; ++i) emit_max(kernel, b.src_addr(), b.dst_addr(), kShape, 7);
  bmruntime_bmkernel_submit(runtime.ctx);
  EXPECT_EQ(b.result(), max_of(b.in, 7));
  bmruntime_bmkernel_destroy(runtime.ctx);
}

TEST(Kernel, ABrokenContractStopsTheLaunchAndOnlyIt) {
  Runtime runtime;
  Buffers b(runtime.ctx);
  bmk1880_context_t* kernel = create_kernel(runtime.ctx);
  emit_max(kernel, b.src_addr(), b.dst_addr(), kShape, 3);
  EXPECT_EQ(bmk1880_gdma_load(kernel, nullptr, 0, CTRL_NULL), nullptr);
  bmruntime_bmkernel_submit(runtime.ctx);
  EXPECT_EQ(b.result(), Bytes(kCount)) << "nothing ran";
  EXPECT_EQ(take_error().substr(0, 6), "TW-BMK");
  emit_max(kernel, b.src_addr(), b.dst_addr(), kShape, 3);
  bmruntime_bmkernel_submit(runtime.ctx);
  EXPECT_EQ(b.result(), max_of(b.in, 3)) << "the kernel lives on";
  bmruntime_bmkernel_destroy(runtime.ctx);
}

TEST(Kernel, AFailingInstructionIsReportedAndTheDeviceLivesOn) {
  Runtime runtime;
  Buffers b(runtime.ctx);
  bmk1880_context_t* kernel = create_kernel(runtime.ctx);
  u64 outside = bm_device_get_gmem_size(bm_get_device(runtime.ctx));
  emit_max(kernel, b.src_addr(), outside, kShape, 3);
  bmruntime_bmkernel_submit(runtime.ctx);
  EXPECT_EQ(take_error(), "TW-MEM-0001");
  emit_max(kernel, b.src_addr(), b.dst_addr(), kShape, 3);
  bmruntime_bmkernel_submit(runtime.ctx);
  EXPECT_EQ(b.result(), max_of(b.in, 3));
  bmruntime_bmkernel_destroy(runtime.ctx);
  EXPECT_EQ(take_error(), "");
}

TEST(Kernel, ASecondOneInAThreadIsAWarning) {
  Runtime runtime;
  Buffers b(runtime.ctx);
  tputwin_clear_errors();
  create_kernel(runtime.ctx);
  EXPECT_EQ(tputwin_warning_count(), 0u);
  bmk1880_context_t* second = create_kernel(runtime.ctx);
  EXPECT_EQ(tputwin_warning_count(), 1u);
  EXPECT_NE(std::string(tputwin_warning(0, nullptr)).find(kKernelSecond), std::string::npos);
  emit_max(second, b.src_addr(), b.dst_addr(), kShape, 3);
  bmruntime_bmkernel_submit(runtime.ctx);
  EXPECT_EQ(b.result(), max_of(b.in, 3)) << "the newest is the one in force";
  bmruntime_bmkernel_destroy(runtime.ctx);
  tputwin_clear_errors();
}

TEST(Kernel, WithoutOneThereIsNothingToSubmit) {
  Runtime runtime;
  bmruntime_bmkernel_submit(runtime.ctx);
  EXPECT_EQ(take_error(), kKernelMissing);
  bmruntime_bmkernel_submit_pio(runtime.ctx);
  EXPECT_EQ(take_error(), kKernelMissing);
  bmruntime_bmkernel_destroy(runtime.ctx);
  EXPECT_EQ(take_error(), kKernelMissing);
  EXPECT_EQ(bmruntime_bmkernel_create(runtime.ctx, nullptr), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
  void* kernel = nullptr;
  EXPECT_EQ(bmruntime_bmkernel_create(nullptr, &kernel), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
}

TEST(Kernel, ThreadsWithTheirOwnContexts) {
  auto work = [](int index) {
    Runtime runtime;
    Buffers b(runtime.ctx, static_cast<uint64_t>(index));
    for (int round = 0; round < 10; ++round) {
      bmk1880_context_t* kernel = create_kernel(runtime.ctx);
      emit_max(kernel, b.src_addr(), b.dst_addr(), kShape, index * 10 - round);
      bmruntime_bmkernel_submit(runtime.ctx);
      bmruntime_bmkernel_destroy(runtime.ctx);
      EXPECT_EQ(b.result(), max_of(b.in, index * 10 - round));
    }
    EXPECT_EQ(tputwin_error_count() + tputwin_warning_count(), 0u);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
}

TEST(Kernel, ThreadsWithTheirOwnKernelsOnOneContext) {
  Runtime runtime;
  auto work = [&](int index) {
    Buffers b(runtime.ctx, static_cast<uint64_t>(index));
    bmk1880_context_t* kernel = create_kernel(runtime.ctx);
    for (int round = 0; round < 10; ++round) {
      emit_max(kernel, b.src_addr(), b.dst_addr(), kShape, index - round);
      bmruntime_bmkernel_submit(runtime.ctx);
      EXPECT_EQ(b.result(), max_of(b.in, index - round));
    }
    bmruntime_bmkernel_destroy(runtime.ctx);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
}

// ---- Command buffers ----

TEST(CommandBuffer, SendAndWait) {
  Runtime runtime;
  Buffers b(runtime.ctx);
  CommandWriter writer;
  emit_max(writer.context(), b.src_addr(), b.dst_addr(), kShape, 9);
  Bytes commands = writer.finish();
  uint16_t first = 0, second = 0;
  EXPECT_EQ(bm_send_cmdbuf(runtime.ctx, commands.data(), commands.size(), &first), BM_SUCCESS);
  EXPECT_EQ(bm_send_cmdbuf(runtime.ctx, commands.data(), commands.size(), &second), BM_SUCCESS);
  EXPECT_NE(first, second);
  EXPECT_EQ(bm_wait_cmdbuf_done(runtime.ctx, second), BM_SUCCESS);
  EXPECT_EQ(bm_wait_cmdbuf_done(runtime.ctx, first), BM_SUCCESS);
  EXPECT_EQ(b.result(), max_of(b.in, 9));
  EXPECT_EQ(bm_wait_cmdbuf_done(runtime.ctx, 999), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kSequence);
}

TEST(CommandBuffer, LoadOnceRunOften) {
  Runtime runtime;
  Buffers b(runtime.ctx);
  CommandWriter writer;
  emit_max(writer.context(), b.src_addr(), b.dst_addr(), kShape, 9);
  Bytes commands = writer.finish();
  bmmem_device_t mem = nullptr;
  ASSERT_EQ(bm_load_cmdbuf(runtime.ctx, commands.data(), commands.size(), &mem), BM_SUCCESS);
  EXPECT_GE(bmmem_device_size(runtime.ctx, mem), commands.size());
  commands.assign(commands.size(), 0);
  for (uint64_t seed : {1, 2, 3}) {
    Bytes in = random_bytes(kCount, seed);
    bm_memcpy_s2d(runtime.ctx, b.src, in.data());
    uint16_t sequence = 0;
    EXPECT_EQ(bm_run_cmdbuf(runtime.ctx, mem, &sequence), BM_SUCCESS);
    EXPECT_EQ(bm_wait_cmdbuf_done(runtime.ctx, sequence), BM_SUCCESS);
    EXPECT_EQ(b.result(), max_of(in, 9));
  }
  uint16_t sequence = 0;
  EXPECT_EQ(bm_run_cmdbuf(runtime.ctx, b.src, &sequence), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNotCmdbuf);
  EXPECT_EQ(bm_run_cmdbuf(runtime.ctx, mem, nullptr), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
  Bytes garbage(bmmem_device_size(runtime.ctx, mem));
  bm_memcpy_s2d(runtime.ctx, mem, garbage.data());
  EXPECT_EQ(bm_run_cmdbuf(runtime.ctx, mem, &sequence), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNotCmdbuf) << "overwritten";
  bmmem_device_free(runtime.ctx, mem);
}

TEST(CommandBuffer, Pio) {
  Runtime runtime;
  Buffers b(runtime.ctx);
  CommandWriter writer;
  emit_max(writer.context(), b.src_addr(), b.dst_addr(), kShape, -1);
  Bytes commands = writer.finish();
  EXPECT_EQ(bm_run_cmdbuf_pio(runtime.ctx, commands.data(), commands.size()), BM_SUCCESS);
  EXPECT_EQ(b.result(), max_of(b.in, -1));
}

TEST(CommandBuffer, MalformedOnesAreRefused) {
  Runtime runtime;
  CommandWriter writer;
  emit_max(writer.context(), 0, 0, kShape, -1);
  Bytes commands = writer.finish();
  uint16_t sequence = 0;
  bmmem_device_t mem = nullptr;
  for (size_t cut : {size_t{1}, size_t{9}, commands.size() - 1}) {
    EXPECT_EQ(bm_send_cmdbuf(runtime.ctx, commands.data(), cut, &sequence), BM_ERR_DATA);
    EXPECT_EQ(bm_load_cmdbuf(runtime.ctx, commands.data(), cut, &mem), BM_ERR_DATA);
  }
  commands[0] ^= 0xff;
  EXPECT_EQ(bm_run_cmdbuf_pio(runtime.ctx, commands.data(), commands.size()), BM_ERR_DATA);
  EXPECT_EQ(take_error().substr(0, 6), "TW-ISA");
  EXPECT_EQ(bm_send_cmdbuf(runtime.ctx, nullptr, 8, &sequence), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(bm_load_cmdbuf(runtime.ctx, commands.data(), 8, nullptr), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
}

// The vendor's library writes the command; the vendor's reference model stops when it executes it.
TEST(CommandBuffer, UnsignedProductsAddedToAResultStopTheDevice) {
  for (const bool signed_bias : {false, true}) {
    Runtime runtime;
    CommandWriter writer;
    bmk1880_context_t* ctx = writer.context();
    const auto matrix = [&](laddr_t at, int rows, fmt_t fmt) {
      return bmk1880_tl_prealloc_align(ctx, at, shape_t2(rows, 16), fmt);
    };
    bmk1880_matrix_mac_param_t p{};
    p.left = matrix(0, 2, FMT_U8);
    p.right = matrix(0x100, 16, FMT_U8);
    p.bias = matrix(0x300, 2, signed_bias ? FMT_I8 : FMT_U8);
    p.res = matrix(0x400, 4, FMT_U8);
    p.res_is_int8 = true;
    p.ctrls = CTRL_RA;
    tputwin_clear_errors();
    EXPECT_NE(bmk1880_tpu_matrix_mac(ctx, &p), nullptr);
    EXPECT_EQ(tputwin_warning_count(), signed_bias ? 0u : 1u);
    EXPECT_EQ(tputwin_error_count(), 0u);
    Bytes commands = writer.finish();
    uint16_t sequence = 0;
    EXPECT_EQ(bm_send_cmdbuf(runtime.ctx, commands.data(), commands.size(), &sequence),
              signed_bias ? BM_SUCCESS : BM_ERR_FAILURE);
    EXPECT_EQ(take_error(), signed_bias ? "" : "TW-OPS-0306");
  }
}

TEST(CommandBuffer, WaitingForAFailedOneFails) {
  Runtime runtime;
  CommandWriter writer;
  emit_max(writer.context(), 0, u64{1} << 33, kShape, -1);
  Bytes commands = writer.finish();
  uint16_t sequence = 0;
  EXPECT_EQ(bm_send_cmdbuf(runtime.ctx, commands.data(), commands.size(), &sequence),
            BM_ERR_FAILURE);
  EXPECT_EQ(take_error(), "TW-MEM-0001");
  EXPECT_EQ(bm_wait_cmdbuf_done(runtime.ctx, sequence), BM_ERR_FAILURE);
  EXPECT_EQ(take_error(), kLaunchFailed);
}

}  // namespace
}  // namespace tputwin::test
