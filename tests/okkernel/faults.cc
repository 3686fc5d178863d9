// Kernels whose own code is faulty: their launches fail, but the process and the device keep
// working.
#include <gtest/gtest.h>
#include <tputwin/error.h>

#include <csignal>
#include <string>

#include "machine/device.h"
#include "okkernel/faulty_kernels.h"
#include "okkernel/machine.h"
#include "sdk/okkernel/run_kernel.h"

namespace tputwin::okktest {
namespace {

template <class Arguments>
bm_status_t launch(const char* kernel, const Arguments& arguments) {
  return okkernel_launch_sync(Machine::get().handle(), kernel, &arguments, sizeof arguments);
}

void expect_error(std::string_view text) {
  EXPECT_NE(std::string(tputwin_last_error()).find(text), std::string::npos)
      << tputwin_last_error();
}

// Expects that a launch succeeds.
void expect_device_works() {
  const dim4 one{1, 1, 1, 1};
  float result = 0;
  ASSERT_EQ(Machine::get().run([&] {
    okk_bdc_32bit_set_C(0, x32{.fp32 = 41.0f}, &one, nullptr);
    okk_bdc_add_C(128, 0, 1.0f, &one, nullptr, nullptr);
    okk_poll();
    result = *reinterpret_cast<float*>(okk_local_mem_addr(0, 128));
  }),
            BM_SUCCESS)
      << tputwin_last_error();
  EXPECT_EQ(result, 42.0f);
}

struct WrongAddress {
  int memory;
  unsigned idx;
  unsigned long long address;
};
class WrongAddresses : public ::testing::TestWithParam<WrongAddress> {};

TEST_P(WrongAddresses, FailTheLaunchWhateverTheKernelDoes) {
  const auto [memory, idx, address] = GetParam();
  for (const int use : {FAULTY_MISUSE, FAULTY_FAR, FAULTY_DIVIDE, FAULTY_CHASE, FAULTY_ASSERT}) {
    SCOPED_TRACE(use);
    const faulty_pointer_args_t arguments{memory, use, idx, address, int64_t{5} << 30};
    EXPECT_EQ(launch("faulty_pointer", arguments), BM_ERR_FAILURE);
    expect_error("TW-OKK-0406");
  }
  expect_device_works();
}
std::string name_of_parameter(const ::testing::TestParamInfo<WrongAddress>& info) {
  static constexpr const char* kNames[] = {"global_0",     "global_highest", "global_end",
                                           "local_npu_64", "local_end",      "l2_0",
                                           "dtcm_highest"};
  return kNames[info.index];
}

INSTANTIATE_TEST_SUITE_P(
    Memories, WrongAddresses,
    ::testing::Values(WrongAddress{FAULTY_GLOBAL, 0, 0}, WrongAddress{FAULTY_GLOBAL, 0, ~0ull},
                      WrongAddress{FAULTY_GLOBAL, 0, 0x200000000},
                      WrongAddress{FAULTY_LOCAL, 64, 0}, WrongAddress{FAULTY_LOCAL, 0, 524288},
                      WrongAddress{FAULTY_L2, 0, 0}, WrongAddress{FAULTY_DTCM, 0, 0xffffffff}),
    name_of_parameter);

TEST(Faults, LeavingAMemoryThroughItsPointerFailsTheLaunch) {
  struct Way {
    int memory;
    unsigned long long address;
    long long offset;
    const char* text;
  };
  for (const Way& way :
       {Way{FAULTY_GLOBAL, 0x100000000, -1, "global memory - 0x1"},
        Way{FAULTY_GLOBAL, 0x100000000, 0x100000000, "global memory + 0x100000000"},
        Way{FAULTY_LOCAL, 0, 1ll << 31, "local memory + 0x80000000"},
        Way{FAULTY_L2, 0x100a2000, -4096, "L2-SRAM - 0x1000"},
        Way{FAULTY_DTCM, 0x2020000, 1 << 20, "DTCM + 0x100000"}}) {
    const faulty_pointer_args_t arguments{way.memory, FAULTY_FAR, 0, way.address, way.offset};
    EXPECT_EQ(launch("faulty_pointer", arguments), BM_ERR_FAILURE);
    expect_error("TW-OKK-0411");
    expect_error(way.text);
  }
  expect_device_works();
}

TEST(Faults, WhatAKernelWroteThroughAWrongAddressIsForgotten) {
  int first = -1;
  for (int launches = 0; launches < 2; launches++) {
    EXPECT_NE(Machine::get().run([&] {
      int* words = reinterpret_cast<int*>(okk_global_mem_addr(16));
      first = *words;
      *words = 5;
    }),
              BM_SUCCESS);
    EXPECT_EQ(first, 0);
  }
}

TEST(Faults, AKernelThatLoopsInFailingCallsIsEnded) {
  for (const bool polls : {false, true}) {
    const faulty_loop_args_t arguments{2, polls};  // an address that is not divisible by 4
    EXPECT_EQ(launch("faulty_loop", arguments), BM_ERR_FAILURE);
    expect_error("TW-OKK-0005");
    expect_error("the kernel made 100000 further calls, and was ended");
  }
  expect_device_works();
}

// Up to the limit a kernel runs to its end, so that a C++ kernel's objects are destroyed.
TEST(Faults, AfterAnErrorAKernelRunsOnToItsEnd) {
  struct Counted {
    int& destroyed;
    ~Counted() { destroyed++; }
  };
  int calls = 0, destroyed = 0;
  EXPECT_NE(Machine::get().run([&] {
    const Counted counted{destroyed};
    for (; calls < 99'000; calls++) okk_bdc_32bit_set_C(2, x32{}, nullptr, nullptr);
  }),
            BM_SUCCESS);
  EXPECT_EQ(calls, 99'000);
  EXPECT_EQ(destroyed, 1);
}

// Other faults are not handled: they end the process as usual.
TEST(FaultsDeathTest, OtherFaultsOfAKernelAreTheProgramsOwn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(static_cast<void>(Machine::get().run([] { raise(SIGSEGV); })),
              ::testing::KilledBySignal(SIGSEGV), "");
}

volatile sig_atomic_t seen = 0;

TEST(Faults, AHandlerOfTheProgramIsCalledAndKept) {
  struct sigaction mine {
  }, before{};
  mine.sa_handler = [](int) { seen = seen + 1; };
  sigaction(SIGFPE, &mine, &before);
  seen = 0;
  EXPECT_EQ(Machine::get().run([] { raise(SIGFPE); }), BM_SUCCESS);
  EXPECT_EQ(seen, 1);
  raise(SIGFPE);
  EXPECT_EQ(seen, 2);
  sigaction(SIGFPE, &before, nullptr);
}

// On a device of another family the launch fails, and the error says how to get the chip.
TEST(OtherChip, IsNamedWithTheWayOut) {
  const auto device = std::move(Device::create({.chip = &bm1684x(), .global_bytes = 1 << 20}));
  ASSERT_TRUE(device.ok());
  const okk::Outcome outcome = okk::run_kernel(
      **device, "kernel", [](const void*) { okk_initialize(); }, nullptr);
  ASSERT_TRUE(outcome.error);
  for (const char* part :
       {"TW-BML-0310 okk_initialize", "device = BM1684X:", "TPUTWIN_CHIP=BM1684"})
    EXPECT_NE(outcome.error->message().find(part), std::string::npos) << outcome.error->message();
}

}  // namespace
}  // namespace tputwin::okktest
