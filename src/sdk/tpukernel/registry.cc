// Kernels by name, and symbols that their objects refer to.
#include "sdk/okkernel/registry.h"
#include "base/errors/tpukernel.h"

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/last_error.h"
#include "chip/family.h"
#include "sdk/bmlib/card.h"
#include "sdk/okkernel/run_kernel.h"
#include "sdk/tpukernel/call.h"

using namespace tputwin;

namespace {

// Programs with this API get BM1684X devices, unless TPUTWIN_CHIP names another chip.
[[maybe_unused]] const bool chosen = [] {
  bmlib::use_chip(first_of(ChipFamily::bm1684x));
  return true;
}();

}  // namespace

void tpu_register_kernel_func(const char* name, tpu_kernel_func_t func) {
  auto broken = [](Error error) {
    static_cast<void>(report(std::move(error).in("tpu_register_kernel_func")));
  };
  if (name == nullptr || func == nullptr)
    return broken(Error(errors::tpu_null).argument(name == nullptr ? "name" : "func", "NULL"));
  if (!okk::kernels().add(name, func))
    broken(Error(errors::tpu_kernel_twice).argument("name", name));
}

void tpu_dump_registered_kernel_funcs(void) {
  for (const std::string& name : okk::kernels().names()) std::printf("%s\n", name.c_str());
}

int get_atomic_cmodel_assert_enable(void) { return 1; }

void __print_trace(void) {
  std::array<void*, 32> frames;
  std::fflush(stdout);
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames.size()), STDOUT_FILENO);
}

void tputwin_tpu_assert(const char* file, int line, const char* expression) {
  okk::leave_failed_kernel(file, line, expression);
  std::fflush(nullptr);
  std::_Exit(233);
}
