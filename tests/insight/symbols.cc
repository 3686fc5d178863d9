// Debug information about kernels; this file is compiled with it.
#include "insight/symbols.h"
#include "insight/stacks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace tputwin::insight::testing {
namespace {

struct arguments_t {
  unsigned long long input;
  int count;
  float scale;
  unsigned long long output;
};
volatile unsigned long long seen;

void kernel(const void* args) {
  const auto* p = static_cast<const arguments_t*>(args);
  seen = p->input + static_cast<unsigned>(p->count);
}

const void* address() { return reinterpret_cast<const void*>(&kernel); }

TEST(Symbols, KernelsReportTheirArguments) {
  EXPECT_EQ(
      argument_members(address(), sizeof(arguments_t)),
      (std::vector<Member>{{0, 8, "input"}, {8, 4, "count"}, {12, 4, "scale"}, {16, 8, "output"}}));
  EXPECT_TRUE(argument_members(address(), 20).empty()) << "of no structure of the kernel";
  EXPECT_TRUE(argument_members(nullptr, 24).empty());
}

TEST(Symbols, AddressesAreNamedByMembersOrByTheirPlace) {
  const arguments_t arguments{.input = 0x1000, .count = 3, .scale = 1, .output = 0x2000};
  std::array<uint8_t, sizeof arguments> bytes;
  std::memcpy(bytes.data(), &arguments, sizeof arguments);
  const auto named = addresses_in(address(), bytes);
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[1].name, "argument output");
  EXPECT_EQ(named[1].address, 0x2000u);
  EXPECT_TRUE(named[1].is_certain);
  const auto unnamed = addresses_in(nullptr, bytes);
  ASSERT_EQ(unnamed.size(), 3u);
  EXPECT_EQ(unnamed[2].name, "argument at byte 16");
  EXPECT_FALSE(unnamed[2].is_certain);
}

// A loop of commands has one stack, and a long program few addresses: each address is looked up
// once.
TEST(Symbols, AnAddressIsLookedUpOnce) {
  Stacks& stacks = Stacks::of_process();
  StackId number = 0;
  uint64_t before = 0;
  for (int i = 0; i < 1000; ++i) {
    number = stacks.capture();
    const UserCode code = stacks.user_code(number);
    ASSERT_FALSE(code.lines.empty());
    EXPECT_NE(code.lines[0].file.find("symbols.cc"), std::string::npos);
    if (i == 0) before = frame_look_ups();
  }
  EXPECT_EQ(frame_look_ups(), before);
}

TEST(Stacks, EqualOnesOfAnotherProcessAreOne) {
  Stacks& stacks = Stacks::of_process();
  const UserCode code{.call = "okk_bdc_add",
                      .lines = {{.function = "f", .file = "f.c", .line = 7}}};
  UserCode other = code;
  other.lines[0].line = 8;
  const StackId number = stacks.add(code);
  EXPECT_EQ(stacks.add(code), number) << "a recording may be played any number of times";
  EXPECT_NE(stacks.add(other), number);
  EXPECT_EQ(stacks.user_code(number), code);
}

}  // namespace
}  // namespace tputwin::insight::testing
