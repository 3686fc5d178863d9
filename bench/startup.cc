// Opening a simulated BM1684 and launching an empty kernel.
#include <benchmark/benchmark.h>
#include <bmlib_runtime.h>
#include <okk.h>

namespace {

void nothing(const void*) {
  okk_initialize();
  okk_poll();
}

bool open_and_launch(bm_handle_t* handle) {
  return bm_dev_request(handle, 0) == BM_SUCCESS &&
         okkernel_launch_sync(*handle, "nothing", nullptr, 0) == BM_SUCCESS;
}

void open_launch_close(benchmark::State& state) {
  okk_register_kernel_func("nothing", nothing);
  for (auto _ : state) {
    bm_handle_t handle;
    if (!open_and_launch(&handle)) state.SkipWithError("the launch failed");
    bm_dev_free(handle);
  }
}
BENCHMARK(open_launch_close)->Unit(benchmark::kMicrosecond);

void launch(benchmark::State& state) {
  okk_register_kernel_func("nothing", nothing);
  bm_handle_t handle;
  if (!open_and_launch(&handle)) state.SkipWithError("the launch failed");
  for (auto _ : state) okkernel_launch_sync(handle, "nothing", nullptr, 0);
  bm_dev_free(handle);
}
BENCHMARK(launch)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
