// TW-BMR: one program per rule of the runtime.
#include <bmkernel/bm1880/bmkernel_1880.h>
#include <libbmblas/bmblas_api.h>
#include <libbmruntime/bmruntime_bmkernel.h>
#include <stdlib.h>
#include <libbmruntime/bmruntime.hpp>

#include "base/errors/bmruntime.h"
#include "base/last_error.h"
#include "bmodel/bmodel.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

// Returns the thread's last error after the calls in `function`.
template <class Function>
Status last_error_of(Function function) {
  thread_diagnostics().clear();
  function();
  auto error = thread_diagnostics().last_error();
  thread_diagnostics().clear();
  return error ? Status(*error) : Status();
}

// Calls last_error_of(...) with a context.
template <class Function>
Status with_context(Function function) {
  return last_error_of([&] {
    bmctx_t ctx = nullptr;
    bm_init(0, &ctx);
    function(ctx);
    bm_exit(ctx);
  });
}

// Returns a network of two varieties, inputs (1,1,1,4) and (1,1,1,8), that does nothing, or calls
// `op`.
bmodel::Model model(const char* op = nullptr) {
  bmodel::Model m{.name = "m"};
  for (uint32_t count : {4u, 8u}) {
    bmodel::Variety v{.inputs = {{.shape = {1, 1, 1, count}, .threshold = 1}},
                      .neuron_size = 8,
                      .outputs = {{.name = "o", .shape = {1, 1, 1, count}}}};
    std::vector<u8> memory(4096);
    bmk1880_info_t info{};
    info.chip_version = 1880;
    info.cmdbuf = memory.data();
    info.cmdbuf_size = static_cast<u32>(memory.size());
    bmk1880_context_t* kernel = bmk1880_register(&info);
    // For AddBytes of tests/plugins: 4 bytes outside neuron memory, or no bytes, which it refuses.
    uint64_t payload[4] = {count == 4 ? 100u : 0u, 0, count == 4 ? 4u : 0u, 0};
    if (op != nullptr)
      bmk1880_cpu_op(kernel, op, reinterpret_cast<char*>(payload), sizeof(payload));
    u32 size = 0;
    bmk1880_acquire_cmdbuf(kernel, &size);
    v.cmdbuf.assign(memory.begin(), memory.begin() + size);
    bmk1880_cleanup(kernel);
    m.varieties.push_back(v);
  }
  return m;
}

template <class Function>
Status with_network(const bmodel::Model& m, Function function) {
  return with_context([&](bmctx_t ctx) {
    auto file = bmodel::write(m, bmodel::Container::v2_1);
    bmnet_t net = nullptr;
    bmnet_register_bmodel_data(ctx, file->data(), file->size(), &net);
    function(net);
  });
}

// Runs a network with a CPU operator, with the plugins of tests/plugins installed.
Status run_operator(const char* op, uint32_t count = 4) {
  setenv("TPUTWIN_PLUGIN_PATH", TPUTWIN_BIN_DIR "/../test_plugins", 1);
  Status status = with_network(model(op), [&](bmnet_t net) {
    bmnet_set_input_shape(net, shape_t4(1, 1, 1, static_cast<int>(count)));
    bmnet_run(net);
  });
  unsetenv("TPUTWIN_PLUGIN_PATH");
  return status;
}

TW_TRIGGER(bmr_null, [] { return last_error_of([] { bm_init(0, nullptr); }); });
TW_TRIGGER(bmr_handle_unknown,
           [] { return last_error_of([] { bm_exit(reinterpret_cast<bmctx_t>(0x12345)); }); });
TW_TRIGGER(bmr_handle_ended, [] {
  return with_context([](bmctx_t ctx) {
    bmmem_device_t mem = bmmem_device_alloc_raw(ctx, 1);
    bmmem_device_free(ctx, mem);
    bmmem_device_free(ctx, mem);
  });
});
TW_TRIGGER(bmr_not_supported, [] {
  return with_context([](bmctx_t ctx) { bm_device_query(bm_get_device(ctx), 0, nullptr); });
});
TW_TRIGGER(bmr_device_index, [] {
  bmdev_t dev = nullptr;
  return last_error_of([&] { bm_device_open(1000, &dev); });
});
TW_TRIGGER(bmr_not_bound, [] {
  return last_error_of([] {
    bmctx_t ctx = nullptr;
    bm_context_create(&ctx);
    bmmem_device_alloc_raw(ctx, 1);
    bm_context_destroy(ctx);
  });
});
TW_TRIGGER(bmr_already_bound, [] {
  return with_context([](bmctx_t ctx) { bm_bind_device(ctx, bm_get_device(ctx)); });
});
TW_TRIGGER(bmr_base_register,
           [] { return with_context([](bmctx_t ctx) { bm_device_set_base_reg(ctx, 8, 0); }); });
TW_TRIGGER(bmr_memory_size,
           [] { return with_context([](bmctx_t ctx) { bmmem_device_alloc_raw(ctx, 0); }); });
TW_TRIGGER(bmr_memory_shape, [] {
  return with_context([](bmctx_t ctx) {
    bmshape_t shape = BM_TENSOR_INT8(1, 0, 1, 1);
    bmmem_device_alloc(ctx, &shape);
  });
});
TW_TRIGGER(bmr_memory_full, [] {
  return with_context([](bmctx_t ctx) { bmmem_device_alloc_raw(ctx, size_t{1} << 40); });
});
TW_TRIGGER(bmr_memory_range, [] {
  return with_context(
      [](bmctx_t ctx) { bmmem_device_prealloc_raw(ctx, bmmem_device_alloc_raw(ctx, 10), 5, 6); });
});
TW_TRIGGER(bmr_memory_foreign, [] {
  return with_context([](bmctx_t ctx) {
    bmctx_t other = nullptr;
    bm_init(0, &other);
    bmmem_device_size(other, bmmem_device_alloc_raw(ctx, 10));
    bm_exit(other);
  });
});
TW_TRIGGER(bmr_not_cmdbuf, [] {
  return with_context([](bmctx_t ctx) {
    uint16_t sequence = 0;
    bm_run_cmdbuf(ctx, bmmem_device_alloc_raw(ctx, 10), &sequence);
  });
});
TW_TRIGGER(bmr_sequence,
           [] { return with_context([](bmctx_t ctx) { bm_wait_cmdbuf_done(ctx, 7); }); });
TW_TRIGGER(bmr_launch_failed, [] {
  return with_context([](bmctx_t ctx) {
    auto commands = model("NoSuchOperator").varieties[0].cmdbuf;
    uint16_t sequence = 0;
    bm_send_cmdbuf(ctx, commands.data(), commands.size(), &sequence);
    bm_wait_cmdbuf_done(ctx, sequence);
  });
});
TW_TRIGGER(bmr_kernel_missing,
           [] { return with_context([](bmctx_t ctx) { bmruntime_bmkernel_submit(ctx); }); });
// Strict mode, as this is only a warning.
TW_TRIGGER(bmr_kernel_second, [] {
  setenv("TPUTWIN_STRICT", "1", 1);
  Status status = with_context([](bmctx_t ctx) {
    void* kernel = nullptr;
    bmruntime_bmkernel_create(ctx, &kernel);
    bmruntime_bmkernel_create(ctx, &kernel);
  });
  unsetenv("TPUTWIN_STRICT");
  return status;
});
TW_TRIGGER(bmr_net_chip, [] {
  auto m = model();
  m.chip = 1684;
  return with_network(m, [](bmnet_t) {});
});
TW_TRIGGER(bmr_net_area, [] {
  return with_context([](bmctx_t ctx) {
    bmnet_info_t info{};
    info.input_size = info.output_size = 4;
    bmnet_t net = nullptr;
    bmnet_register(ctx, &info, &net);
  });
});
TW_TRIGGER(bmr_net_shape, [] {
  return with_network(model(), [](bmnet_t n) { bmnet_set_input_shape(n, shape_t4(1, 1, 1, 5)); });
});
TW_TRIGGER(bmr_net_unselected,
           [] { return with_network(model(), [](bmnet_t net) { bmnet_run(net); }); });
TW_TRIGGER(bmr_net_unloaded, [] {
  return with_context([](bmctx_t ctx) {
    bmnet_info_t info{};
    info.input_size = info.output_size = info.neuron_size = 4;
    bmnet_t net = nullptr;
    bmnet_register_noalloc(ctx, &info, &net);
    bmnet_run(net);
  });
});
TW_TRIGGER(bmr_net_memory, [] {
  return with_context([](bmctx_t ctx) {
    bmnet_info_t info{};
    info.input_size = info.output_size = info.neuron_size = 4;
    bmnet_t net = nullptr;
    bmnet_register_noalloc(ctx, &info, &net);
    bmnet_import_neuron_devmem(net, bmmem_device_alloc_raw(ctx, 3));
  });
});
TW_TRIGGER(bmr_net_range, [] {
  return with_network(model(), [](bmnet_t net) {
    shape_t shape = shape_t4(1, 1, 1, 4);
    bmnet_set_input_shape2(net, &shape, -1);
  });
});
TW_TRIGGER(bmr_blob, [] {
  return last_error_of([] {
    std::string path = "bmr_blob.bmodel";
    (void)bmodel::write_file(model(), bmodel::Container::v2_1, path);
    bmruntime::Net net(path);
    remove(path.c_str());
    shape_t shape = shape_t4(1, 1, 1, 4);
    int32_t data[4] = {};
    std::vector<bmruntime::Blob> inputs{{data, shape, FMT_I32}};
    net.forward(inputs);
  });
});
TW_TRIGGER(bmr_cpu_missing, [] { return run_operator("NoSuchOperator"); });
TW_TRIGGER(bmr_cpu_load, [] { return run_operator("NotAPlugin"); });
TW_TRIGGER(bmr_cpu_version, [] { return run_operator("AddBytesV2"); });
TW_TRIGGER(bmr_cpu_range, [] { return run_operator("AddBytesV1"); });
// Strict mode, because this is a warning: the model's own library is invalid, and another one is
// installed.
Status run_with_useless_library() {
  setenv("TPUTWIN_STRICT", "1", 1);
  setenv("TPUTWIN_PLUGIN_PATH", TPUTWIN_BIN_DIR "/../test_plugins", 1);
  auto m = model("AddBytesV1");
  m.libraries.push_back({.name = "AddBytesV1", .x86_64 = {1, 2, 3}, .armv8 = {1, 2, 3}});
  Status status = with_network(m, [](bmnet_t net) {
    bmnet_set_input_shape(net, shape_t4(1, 1, 1, 8));
    bmnet_run(net);
  });
  unsetenv("TPUTWIN_PLUGIN_PATH");
  unsetenv("TPUTWIN_STRICT");
  return status;
}
TW_TRIGGER(bmr_cpu_replaced, [] {
  setenv("TPUTWIN_ALLOW_NATIVE_PLUGINS", "1", 1);
  Status status = run_with_useless_library();
  unsetenv("TPUTWIN_ALLOW_NATIVE_PLUGINS");
  return status;
});
TW_TRIGGER(bmr_cpu_native, run_with_useless_library);
TW_TRIGGER(bmr_cpu_failed, [] { return run_operator("AddBytesV1", 8); });
TW_TRIGGER(bmr_blas_shape,
           [] { return last_error_of([] { bmblas_gemm(nullptr, 1, 1, 1, 0, 0, 0); }); });

}  // namespace
}  // namespace tputwin::testing
