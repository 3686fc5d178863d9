// Raw commands in kernels have the effects of the calls that make them, with the kernel's
// addresses.
#include <gtest/gtest.h>
#include <tputwin/raw_command.h>

#include "isa/streams/encode.h"
#include "own_device.h"

namespace tputwin::tputest {
namespace {

constexpr dim4 kRow{1, 5, 1, 16};
constexpr uint32_t kCommands = 5 * 16;
constexpr scalar_t kSix{.f32 = 6.0f};

// Returns the command of a call, as int32.
std::vector<unsigned> words_of(OwnDevice& own, const std::function<void()>& call) {
  okk::CallRecord made;
  okk::Session session(own.device(), made, {});
  const okk::ScopedSession scope(session);
  call();
  EXPECT_EQ(made.operations.size(), 1u);
  const Operation& op = made.operations.front();
  const auto bytes = isa::encode_command({.op = op, .engine = engine(op)}, bm1684x());
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  std::vector<unsigned> words(bytes->size() / 4);
  std::memcpy(words.data(), bytes->data(), bytes->size());
  return words;
}

unsigned command_bytes(const std::vector<unsigned>& words) {
  return static_cast<unsigned>(words.size() * 4);
}

TEST(RawCommand, DoesWhatTheCallDoes) {
  OwnDevice own;
  const auto words = words_of(own, [] { tpu_bdc_set_C(0x40, kSix, &kRow, nullptr, DT_FP32); });
  Lanes lanes(own, 0x40, kRow, DT_FP32);
  EXPECT_EQ(lanes.get(), std::vector<uint32_t>(kCommands, 0)) << "recording carries nothing out";
  tputwin_bdc_command(words.data(), command_bytes(words));
  EXPECT_EQ(lanes.get(), std::vector<uint32_t>(kCommands, kSix.u32));
  EXPECT_EQ(own.error(), "");
}

TEST(RawCommand, FindsMemoryWhereItIs) {
  OwnDevice own;
  for (uint32_t i = 0; i < kCommands; ++i) own.floats()[1024 + i] = 2.0f;
  const auto words = words_of(
      own, [] { tpu_gdma_cpy_S2L(0, kGlobalStart + 0x40, &kRow, nullptr, nullptr, DT_FP32); });
  Lanes lanes(own, 0, kRow, DT_FP32);
  tputwin_gdma_command(words.data(), command_bytes(words), TPUTWIN_NOWHERE);
  EXPECT_EQ(lanes.get(), std::vector<uint32_t>(kCommands, 0));
  const tputwin_moved_t moved[] = {{kGlobalStart + 0x40, kGlobalStart + 4096}};
  tputwin_gdma_command(words.data(), command_bytes(words), moved, 1);
  EXPECT_EQ(lanes.get(), std::vector<uint32_t>(kCommands, 0x40000000));
  EXPECT_EQ(own.error(), "");
}

TEST(RawCommand, IsUnderstoodOrRefused) {
  OwnDevice own;
  auto words = words_of(own, [] { tpu_bdc_set_C(0, kSix, &kRow, nullptr, DT_FP32); });
  words[1] |= 31u << 13;  // an operation code that the class does not have
  tputwin_bdc_command(words.data(), command_bytes(words));
  EXPECT_NE(own.error().find("TW-ISA-"), std::string::npos) << own.error();
}

}  // namespace
}  // namespace tputwin::tputest
