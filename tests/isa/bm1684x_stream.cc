// Command streams of the BM1684X: the order of two engines, relocated addresses, lengths.
#include "isa/streams/stream.h"

#include <gtest/gtest.h>

#include <set>

#include "common/bm1684x_streams.h"
#include "machine/command_group.h"

namespace tputwin::isa {
namespace {

using bm1684x_streams::GdmaForm;
using bm1684x_streams::TiuForm;

using testing::append;
using testing::gdma_move;
using testing::tiu_fill;

struct Streams {
  std::vector<uint8_t> tiu, gdma;
};

// Returns two commands each: the GDMA's second waits for the TIU's first, and the TIU's second
// waits for the GDMA's second.
Streams two_each() {
  Streams s;
  append(s.tiu, TiuForm::ar, tiu_fill(1));
  append(s.tiu, TiuForm::ar, tiu_fill(2, 2));
  testing::append_tiu_end(s.tiu, 3);
  append(s.gdma, GdmaForm::tensor, gdma_move(1));
  append(s.gdma, GdmaForm::tensor, gdma_move(2, 1));
  testing::append_gdma_end(s.gdma, 3);
  return s;
}

TEST(Bm1684xStream, OrdersBothEngines) {
  const Streams s = two_each();
  EXPECT_EQ(s.tiu.size() % 128, 0u);
  const auto program = decode_streams({s.tiu, s.gdma}, bm1684x());
  ASSERT_TRUE(program.ok()) << program.error().message();
  std::vector<std::pair<Engine, uint32_t>> order;
  for (const Instruction& in : *program) order.emplace_back(in.engine, in.id);
  const std::vector<std::pair<Engine, uint32_t>> expected{
      {Engine::dma, 1}, {Engine::compute, 1}, {Engine::dma, 2}, {Engine::compute, 2}};
  EXPECT_EQ(order, expected);
  EXPECT_EQ((*program)[3].wait, 2u);
}

TEST(Bm1684xStream, CountsItsEnd) {
  const Streams s = two_each();
  EXPECT_EQ(count_commands(Engine::compute, s.tiu, bm1684x()).value(), 3u);
  EXPECT_EQ(count_commands(Engine::dma, s.gdma, bm1684x()).value(), 3u);
  EXPECT_EQ(count_commands(Engine::dma, {}, bm1684x()).value(), 0u);
}

TEST(Bm1684xStream, AnEmptyRangeHasNoCommands) {
  const auto program = decode_streams({}, bm1684x());
  ASSERT_TRUE(program.ok());
  EXPECT_TRUE(program->empty());
}

TEST(Bm1684xStream, MovesGlobalAddressesOnly) {
  const Streams s = two_each();
  std::vector<uint64_t> asked;
  const StreamOptions options{.relocate = [&](uint64_t address) {
    asked.push_back(address);
    return address + 0x4000;
  }};
  const auto program = decode_streams({s.tiu, s.gdma}, bm1684x(), options);
  ASSERT_TRUE(program.ok()) << program.error().message();
  EXPECT_EQ(std::set<uint64_t>(asked.begin(), asked.end()),
            (std::set<uint64_t>{0x1'0000'0000, 0x1'0000'1000}));
  EXPECT_EQ(std::get<Copy>((*program)[0].op).dst.address, 0x5000u);
}

TEST(Bm1684xStream, RunsOnADevice) {
  const Streams s = two_each();
  auto program = decode_streams({s.tiu, s.gdma}, bm1684x());
  ASSERT_TRUE(program.ok());
  auto device = Device::create({.chip = &bm1684x(), .global_bytes = 1 << 20});
  ASSERT_TRUE(device.ok());
  for (uint8_t i = 0; i < 16; ++i) (*device)->memories().take_global().data()[i] = i;
  for (int run = 0; run < 2; ++run) {
    const Status status = run_command_group(**device, *program);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  EXPECT_EQ((*device)->memories().take_global().data()[0x1003], 3);
  EXPECT_EQ((*device)->memories().take_local().lane(0)[0], 7);
}

TEST(Bm1684xStream, PrintsACommand) {
  const Streams s = two_each();
  auto program = decode_streams({s.tiu, s.gdma}, bm1684x());
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(stream_text((*program)[2], bm1684x()),
            "GDMA     2 <- TIU 1     tpu_gdma_system_cpy dst_addr=u8(1,1,1,16)@G+0x1000 "
            "stride(0,0,0,1) src_addr=u8(1,1,1,16)@G+0x0 stride(0,0,0,1) reads_first");
  EXPECT_EQ(stream_text((*program)[3], bm1684x()),
            "TIU      2 <- GDMA 2    tpu_bdc_set_C dst_addr=u8(2,2,2,2)@L+0x0 stride(64,0,2,1) "
            "value 0x7");
}

TEST(Bm1684xStream, ErrorsNameStreamAndCommand) {
  Streams s = two_each();
  s.tiu[64] ^= 1;  // the second command is long
  const auto program = decode_streams({s.tiu, s.gdma}, bm1684x());
  ASSERT_FALSE(program.ok());
  EXPECT_NE(program.error().message().find("TIU command 2"), std::string::npos)
      << program.error().message();
}

}  // namespace
}  // namespace tputwin::isa
