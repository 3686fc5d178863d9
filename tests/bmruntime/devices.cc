#include "bmruntime/support.h"

namespace tputwin::test {
namespace {

TEST(Devices, OneIsThereUnlessTheEnvironmentSetsMore) {
  int count = 0;
  bm_devinfo_t info[BM_DEVICE_MAX_NUM] = {};
  bm_enum_devices(&count, info);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(info[0].version, 1880u);
  EXPECT_EQ(info[0].npu_num, 32u);
  setenv("TPUTWIN_DEVICES", "3", 1);
  bm_enum_devices(&count, nullptr);
  EXPECT_EQ(count, 3);
  bmdev_t dev = nullptr;
  EXPECT_EQ(bm_device_open(2, &dev), BM_SUCCESS);
  bm_device_close(dev);
  setenv("TPUTWIN_DEVICES", "99", 1);
  bm_enum_devices(&count, info);
  EXPECT_EQ(count, BM_DEVICE_MAX_NUM);
  unsetenv("TPUTWIN_DEVICES");
  bm_enum_devices(nullptr, nullptr);
  EXPECT_EQ(take_error(), kNull);
}

TEST(Devices, OpenAskClose) {
  bmdev_t dev = nullptr;
  ASSERT_EQ(bm_device_open(0, &dev), BM_SUCCESS);
  bmk_chip_info_t info = bm_device_get_info(dev);
  EXPECT_EQ(info.version, 1880u);
  EXPECT_EQ(info.eu_num, 16u);
  EXPECT_EQ(info.lmem_size, 65536u);
  EXPECT_EQ(info.lmem_banks, 8u);
  EXPECT_EQ(info.lmem_bank_size, 8192u);
  EXPECT_EQ(bm_device_get_gmem_size(dev), u64{4} << 30);
  EXPECT_EQ(bm_device_get_chip_ver(dev), 1880);
  EXPECT_EQ(bm_device_query(dev, 0, nullptr), BM_ERR_NOT_SUPPORTED);
  EXPECT_EQ(bm_device_config(dev, 0, nullptr), BM_ERR_NOT_SUPPORTED);
  EXPECT_EQ(take_error(), kNotSupported);
  bm_device_close(dev);
  bm_device_close(dev);
  EXPECT_EQ(take_error(), kEnded);
  EXPECT_EQ(bm_device_get_chip_ver(dev), 0);
  EXPECT_EQ(take_error(), kEnded);
}

TEST(Devices, BadArguments) {
  bmdev_t dev = nullptr;
  for (int index : {-1, 1, 100}) {
    EXPECT_EQ(bm_device_open(index, &dev), BM_ERR_INVALID_ARGUMENT);
    EXPECT_EQ(take_error(), kDeviceIndex);
  }
  EXPECT_EQ(bm_device_open(0, nullptr), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
  bm_device_close(nullptr);
  EXPECT_EQ(take_error(), kNull);
  int anything = 0;
  bm_device_close(reinterpret_cast<bmdev_t>(&anything));
  EXPECT_EQ(take_error(), kUnknown);
  Runtime runtime;
  bm_device_close(reinterpret_cast<bmdev_t>(runtime.ctx));
  EXPECT_EQ(take_error(), kUnknown) << "a handle of another type";
}

TEST(Contexts, BindAndUnbind) {
  bmdev_t dev = nullptr;
  bmctx_t ctx = nullptr;
  ASSERT_EQ(bm_device_open(0, &dev), BM_SUCCESS);
  ASSERT_EQ(bm_context_create(&ctx), BM_SUCCESS);
  EXPECT_EQ(bm_get_device(ctx), nullptr);
  EXPECT_EQ(bmmem_device_alloc_raw(ctx, 16), nullptr);
  EXPECT_EQ(take_error(), kNotBound);
  EXPECT_EQ(bm_bind_device(ctx, dev), BM_SUCCESS);
  EXPECT_EQ(bm_get_device(ctx), dev);
  EXPECT_EQ(bm_bind_device(ctx, dev), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kAlreadyBound);
  EXPECT_NE(bmmem_device_alloc_raw(ctx, 16), nullptr);
  bm_unbind_device(ctx);
  EXPECT_EQ(bm_get_device(ctx), nullptr);
  bm_unbind_device(ctx);
  EXPECT_EQ(take_error(), kNotBound);
  EXPECT_EQ(bm_bind_device(ctx, dev), BM_SUCCESS);
  bm_context_destroy(ctx);
  bm_context_destroy(ctx);
  EXPECT_EQ(take_error(), kEnded);
  bm_device_close(dev);
  EXPECT_EQ(bm_context_create(nullptr), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
}

TEST(Contexts, ClosingADeviceUnbindsItsContexts) {
  bmdev_t dev = nullptr;
  bmctx_t ctx = nullptr;
  ASSERT_EQ(bm_device_open(0, &dev), BM_SUCCESS);
  ASSERT_EQ(bm_context_create(&ctx), BM_SUCCESS);
  ASSERT_EQ(bm_bind_device(ctx, dev), BM_SUCCESS);
  bmmem_device_t mem = bmmem_device_alloc_raw(ctx, 16);
  bm_device_close(dev);
  EXPECT_EQ(bm_get_device(ctx), nullptr);
  EXPECT_EQ(bmmem_device_size(ctx, mem), 0u);
  EXPECT_EQ(take_error(), kNotBound);
  bm_context_destroy(ctx);
  EXPECT_EQ(take_error(), "");
}

TEST(Contexts, ContextsOnOneDeviceShareItsMemory) {
  bmdev_t dev = nullptr;
  ASSERT_EQ(bm_device_open(0, &dev), BM_SUCCESS);
  bmctx_t a = nullptr, b = nullptr;
  for (bmctx_t* ctx : {&a, &b}) {
    ASSERT_EQ(bm_context_create(ctx), BM_SUCCESS);
    ASSERT_EQ(bm_bind_device(*ctx, dev), BM_SUCCESS);
  }
  Bytes in = random_bytes(100, 1), out(100);
  bmmem_device_t mem = bmmem_device_alloc_raw(a, in.size());
  EXPECT_EQ(bm_memcpy_s2d(a, mem, in.data()), BM_SUCCESS);
  EXPECT_EQ(bm_memcpy_d2s(b, out.data(), mem), BM_SUCCESS);
  EXPECT_EQ(out, in);
  bm_context_destroy(a);
  bm_context_destroy(b);
  bm_device_close(dev);
}

TEST(Contexts, InitGivesAChipOfItsOwn) {
  Runtime a, b;
  EXPECT_NE(bm_get_device(a.ctx), bm_get_device(b.ctx));
  bmmem_device_t mem = bmmem_device_alloc_raw(a.ctx, 64);
  EXPECT_EQ(bmmem_device_addr(a.ctx, mem),
            bmmem_device_addr(b.ctx, bmmem_device_alloc_raw(b.ctx, 1)));
  Bytes bytes(64);
  EXPECT_EQ(bm_memcpy_s2d(b.ctx, mem, bytes.data()), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kForeign);
  bmctx_t any = nullptr;
  EXPECT_EQ(bm_init(17, &any), BM_SUCCESS) << "the index is not used";
  bm_exit(any);
  bm_exit(any);
  EXPECT_EQ(take_error(), kEnded);
  EXPECT_EQ(bm_init(0, nullptr), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
}

TEST(Contexts, BaseRegistersKeepWhatIsWritten) {
  Runtime runtime;
  bm_device_set_base_reg(runtime.ctx, 3, 0x123456789ab);
  EXPECT_EQ(bm_device_read_base_reg(runtime.ctx, 3), 0x123456789abu);
  EXPECT_EQ(bm_device_read_base_reg(runtime.ctx, 2), 0u);
  bm_device_set_base_reg(runtime.ctx, 8, 1);
  EXPECT_EQ(take_error(), kBaseRegister);
  EXPECT_EQ(bm_device_read_base_reg(runtime.ctx, 8), 0u);
  EXPECT_EQ(take_error(), kBaseRegister);
}

TEST(Contexts, CommandBufferPointersAreAccepted) {
  Runtime runtime;
  u8 buffer[16];
  bm_set_cmdbuf(runtime.ctx, buffer);
  bm_free_cmdbuf(runtime.ctx);
  EXPECT_EQ(take_error(), "");
  bm_set_cmdbuf(runtime.ctx, nullptr);
  EXPECT_EQ(take_error(), kNull);
}

TEST(Library, IsTheSimulator) { EXPECT_STREQ(bm_library_type(), "cmodel"); }

}  // namespace
}  // namespace tputwin::test
