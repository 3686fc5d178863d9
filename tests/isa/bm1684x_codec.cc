// Operations through the BM1684X's encoder and decoder: those of recorded commands, and random
// ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/errors/isa.h"
#include "common/recorded_commands.h"
#include "common/rng.h"
#include "isa/streams/encode.h"
#include "isa/streams/stream.h"
#include "selftest/random_operation.h"

namespace tputwin::isa {
namespace {

using tputwin::testing::RecordedCommand;
using tputwin::testing::Rng;

Result<OneCommand> decode(Engine engine, std::span<const uint8_t> bytes) {
  return engine == Engine::dma ? decode_gdma_command(bytes, bm1684x())
                               : decode_tiu_command(bytes, bm1684x());
}

// Expects that decoding, encoding and decoding again gives the same operation.
void expect_comes_back(Engine engine, const std::vector<uint8_t>& bytes) {
  const auto first = decode(engine, bytes);
  ASSERT_TRUE(first.ok()) << first.error().message();
  ASSERT_EQ(first->bytes, bytes.size());
  const auto encoded = encode_command(first->instruction, bm1684x());
  ASSERT_TRUE(encoded.ok()) << encoded.error().message() << "\n" << describe(first->instruction.op);
  const auto second = decode(engine, *encoded);
  ASSERT_TRUE(second.ok()) << second.error().message() << "\n" << describe(first->instruction.op);
  EXPECT_EQ(describe(second->instruction.op), describe(first->instruction.op));
  EXPECT_EQ(second->instruction.id, first->instruction.id);
}

const std::filesystem::path kConformance = TPUTWIN_SOURCE_DIR "/tests/conformance";

class RecordedSet : public ::testing::TestWithParam<const char*> {};

TEST_P(RecordedSet, CommandsComeBack) {
  size_t commands = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(kConformance / "tpu/commands" / GetParam())) {
    SCOPED_TRACE(file.path().filename().string());
    for (const RecordedCommand& command : tputwin::testing::commands_of_calls(file.path())) {
      expect_comes_back(command.engine, command.bytes);
      ++commands;
    }
  }
  EXPECT_GT(commands, 500u);
}
INSTANTIATE_TEST_SUITE_P(Bm1684xCodec, RecordedSet,
                         ::testing::Values("public", "public2", "zeros", "nans", "long"),
                         [](const auto& set) { return std::string(set.param); });

TEST(Bm1684xCodec, SingleCommandsComeBack) {
  const auto commands =
      tputwin::testing::single_commands(kConformance / "bm168x/bm1684x/single-commands.jsonl");
  for (const RecordedCommand& command : commands) expect_comes_back(command.engine, command.bytes);
  EXPECT_EQ(commands.size(), 328u);
}

// An operation that encodes must decode, and encode again to the same operation. Types lose their
// sign if the command has none.
TEST(Bm1684xCodec, RandomOperationsRoundTrip) {
  tputwin::testing::RandomCases cases(60);
  std::map<std::string_view, size_t> encoded;
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    for (auto kind : tputwin::testing::all_operation_kinds()) {
      if (family_of(kind) != ChipFamily::bm1684x) continue;
      Rng rng = cases.rng(index);
      const Operation op = random_operation(rng, kind);
      const auto bytes = encode_command({.op = op, .engine = engine(op), .id = 1}, bm1684x());
      if (!bytes.ok()) {
        EXPECT_EQ(bytes.error().id(), errors::isa_stream_no_command) << bytes.error().message();
        continue;
      }
      const auto back = decode(engine(op), *bytes);
      ASSERT_TRUE(back.ok()) << back.error().message() << "\n" << describe(op);
      const auto again = encode_command(back->instruction, bm1684x());
      ASSERT_TRUE(again.ok()) << again.error().message() << "\n" << describe(op);
      const auto third = decode(engine(op), *again);
      ASSERT_TRUE(third.ok()) << third.error().message() << "\n" << describe(op);
      EXPECT_EQ(describe(third->instruction.op), describe(back->instruction.op)) << describe(op);
      ++encoded[name(op)];
    }
  }
  EXPECT_GT(encoded.size(), 30u);
}

}  // namespace
}  // namespace tputwin::isa
