// The machine under test: device 0, opened through the host API. The simulated kernel accesses its
// memory through tpu_local_mem_addr and tpu_global_mem_addr.
#include "platform.h"

#include <bmlib_runtime.h>

#include "isa/streams/stream.h"
#include "machine/command_group.h"
#include "sdk/okkernel/session.h"

#include <cstdlib>
#include <cstring>

extern "C" {
#include "tpu_kernel.h"
}

namespace {

bm_handle_t handle = nullptr;
const std::function<void()> *function = nullptr;

void run_function(const void *) {
    tpu_initialize();
    (*function)();
    tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(run_function)

bool run_kernel(const std::function<void()> &fn) {
    function = &fn;
    return tpu_kernel_launch_sync(handle, "run_function", nullptr, 0) == BM_SUCCESS;
}

} // namespace

namespace platform {

// Switches on all quirks: the simulator then ignores what the reference model ignores.
bool init() {
    setenv("TPUTWIN_QUIRKS", "all", 0);
    return bm_dev_request(&handle, 0) == BM_SUCCESS;
}

uint64_t sys_window(size_t bytes) {
    bm_device_mem_t memory;
    if (bm_malloc_device_byte(handle, &memory, (unsigned)bytes) != BM_SUCCESS) return 0;
    return bm_mem_get_device_addr(memory);
}

bool load_lmem(const uint8_t *lmem, int npus, size_t span) {
    return run_kernel([&] { for (int i = 0; i < npus; ++i) memcpy(tpu_local_mem_addr(i, 0), lmem + i * span, span); });
}
bool read_lmem(uint8_t *lmem, int npus, size_t span) {
    return run_kernel([&] { for (int i = 0; i < npus; ++i) memcpy(lmem + i * span, tpu_local_mem_addr(i, 0), span); });
}
bool load_sys(uint64_t addr, const uint8_t *data, size_t bytes) {
    return run_kernel([&] { memcpy(tpu_global_mem_addr(addr), data, bytes); });
}
bool read_sys(uint64_t addr, uint8_t *data, size_t bytes) {
    return run_kernel([&] { memcpy(data, tpu_global_mem_addr(addr), bytes); });
}

bool run(const std::function<void()> &fn) { return run_kernel(fn); }

// Executes one command, decoded and run like those of a bmodel.
bool execute(int engine, const void *command, size_t bytes) {
    using namespace tputwin;
    bool done = false;
    run_kernel([&] {
        Device &device = okk::current_session()->device();
        const std::span words(static_cast<const uint8_t *>(command), bytes);
        auto one = engine == 0 ? isa::decode_tiu_command(words, device.chip()) : isa::decode_gdma_command(words, device.chip());
        if (!one.ok()) {
            fprintf(stderr, "%s\n", one.error().message().c_str());
            return;
        }
        done = run_command_group(device, {&one->instruction, 1}).ok();
    });
    return done;
}

} // namespace platform
