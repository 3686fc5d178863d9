// Kernels that crash: the process dies as it would without tputwin, after a line that names the
// launch. Each crash is in a process of its own.
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>

#include "bmlib/support.h"

namespace tputwin::testing {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitizerEndsProcess = true;  // with an exit code
#else
constexpr bool kSanitizerEndsProcess = false;
#endif

class DiesBy {
 public:
  explicit DiesBy(int signal) : signal_(signal) {}
  bool operator()(int status) const {
    return (WIFSIGNALED(status) && WTERMSIG(status) == signal_) ||
           (kSanitizerEndsProcess && status != 0);
  }

 private:
  int signal_;
};

volatile int zero = 0, seven = 7;
int* volatile nowhere = nullptr;

int descend(int depth) {
  if (zero != 0) return depth;
  volatile char much[4096];
  much[0] = static_cast<char>(depth);
  return descend(depth + 1) + much[0];
}

void stores_at_null(const void*) { *nowhere = 1; }
void divides_by_zero(const void*) { zero = seven / zero; }
void traps(const void*) { __builtin_trap(); }
void aborts(const void*) { std::abort(); }
void recurses(const void*) { zero = descend(0); }
// Calls a function of OKKernel with a pointer that is not to a shape.
void passes_nonsense(const void*) {
  okk_initialize();
  okk_gdma_32bit_cpy_L2L(128, 0, reinterpret_cast<const dim4*>(8), nullptr, nullptr);
}

class Crashes : public Bmlib {
 protected:
  Crashes() { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
  // Runs `function` as the device's second launch.
  static void run(okk_kernel_func_t function) {
    okk_register_kernel_func("crashing", function);
    okk_register_kernel_func("harmless", [](const void*) {});
    bm_handle_t handle = nullptr;
    bm_dev_request(&handle, 0);
    okkernel_launch_sync(handle, "harmless", nullptr, 0);
    okkernel_launch_sync(handle, "crashing", nullptr, 0);
  }
};

constexpr const char* kLaunch =
    "TW-BML-0318 kernel crashing: launch = 2 of device 0: the code of a launch must not crash";
std::string message_of(const std::string& what) { return std::string(kLaunch) + ".*; " + what; }

TEST_F(Crashes, AStoreAtNull) {
  EXPECT_EXIT(run(stores_at_null), DiesBy(SIGSEGV),
              message_of("SIGSEGV, address 0x0, in its own code"));
}
TEST_F(Crashes, ADivisionByZero) {
  EXPECT_EXIT(run(divides_by_zero), DiesBy(SIGFPE), message_of("SIGFPE, .*, in its own code"));
}
TEST_F(Crashes, AnIllegalInstruction) {
#if defined(__x86_64__)
  EXPECT_EXIT(run(traps), DiesBy(SIGILL), message_of("SIGILL, in its own code"));
#else
  EXPECT_EXIT(run(traps), DiesBy(SIGTRAP), message_of("SIGTRAP, in its own code"));
#endif
}
TEST_F(Crashes, AnAbort) { EXPECT_EXIT(run(aborts), DiesBy(SIGABRT), message_of("SIGABRT")); }
TEST_F(Crashes, AnEndlessRecursion) {
  EXPECT_EXIT(run(recurses), DiesBy(SIGSEGV),
              message_of("SIGSEGV, address 0x[0-9a-f]+, in its own code"));
}
TEST_F(Crashes, InAFunctionThatTheKernelCalled) {
  EXPECT_EXIT(run(passes_nonsense), DiesBy(SIGSEGV),
              message_of("SIGSEGV, address 0x[0-9a-f]+, in a function that it called"));
}

TEST_F(Crashes, AsAnObjectOfALog) {
  const auto crash = [] {
    setenv("TPUTWIN_LOG", "json", 1);
    run(stores_at_null);
  };
  EXPECT_EXIT(
      crash(), DiesBy(SIGSEGV),
      "\\{\"level\":\"error\",\"id\":\"TW-BML-0318\",\"call\":\"kernel crashing\",\"argument\":"
      "\"launch\",\"value\":\"2 of device 0\",.*\"detail\":\"SIGSEGV, address 0x0, in its own "
      "code\"");
}

void (*installed)(int) = [](int) { std::_Exit(42); };

TEST_F(Crashes, TheProgramsOwnHandlerComesNext) {
  const auto crash = [] {
    std::signal(SIGSEGV, installed);
    run(stores_at_null);
  };
  EXPECT_EXIT(crash(), ::testing::ExitedWithCode(42), kLaunch);
}

// A crash in host code names no kernel, also after a launch.
TEST_F(Crashes, OfTheHostNameNoKernel) {
  const auto crash = [] {
    okk_register_kernel_func("harmless", [](const void*) {});
    bm_handle_t handle = nullptr;
    bm_dev_request(&handle, 0);
    okkernel_launch_sync(handle, "harmless", nullptr, 0);
    *nowhere = 1;
  };
  EXPECT_EXIT(crash(), DiesBy(SIGSEGV), kSanitizerEndsProcess ? "" : "^$");
}

}  // namespace
}  // namespace tputwin::testing
