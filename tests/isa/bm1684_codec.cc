// Operations through the BM1684's encoder and decoder: those of recorded commands, and random ones.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/errors/isa.h"
#include "common/recorded_commands.h"
#include "common/rng.h"
#include "isa/bm1684/command.h"
#include "isa/streams/encode.h"
#include "isa/streams/stream.h"
#include "selftest/random_operation.h"

namespace tputwin::isa {
namespace {

using bm1684_streams::TiuCommand;
using tputwin::testing::Rng;

const std::filesystem::path kConformance = TPUTWIN_SOURCE_DIR "/tests/conformance";

Result<OneCommand> decode(Engine engine, std::span<const uint8_t> bytes) {
  return engine == Engine::dma ? decode_gdma_command(bytes, bm1684())
                               : decode_tiu_command(bytes, bm1684());
}

// Expects that decoding, encoding and decoding again gives the same operation.
void expect_comes_back(Engine engine, const std::vector<uint8_t>& bytes) {
  const auto first = decode(engine, bytes);
  ASSERT_TRUE(first.ok()) << first.error().message();
  const auto encoded = encode_command(first->instruction, bm1684());
  ASSERT_TRUE(encoded.ok()) << encoded.error().message() << "\n" << describe(first->instruction.op);
  const auto second = decode(engine, *encoded);
  ASSERT_TRUE(second.ok()) << second.error().message() << "\n" << describe(first->instruction.op);
  EXPECT_EQ(describe(second->instruction.op), describe(first->instruction.op));
  EXPECT_EQ(second->instruction.id, first->instruction.id);
  EXPECT_EQ(second->instruction.wait, first->instruction.wait);
}

// Checks "commands": [[engine, hex], ...]; zero bytes at the end may be omitted.
size_t expect_come_back(const nlohmann::json& recorded) {
  for (const nlohmann::json& command : recorded["commands"]) {
    std::vector<uint8_t> bytes = tputwin::testing::from_hex(command[1].get<std::string>());
    bytes.resize(128);
    expect_comes_back(command[0] == 0 ? Engine::compute : Engine::dma, bytes);
  }
  return recorded["commands"].size();
}

TEST(Bm1684Codec, CommandsOfCallsComeBack) {
  size_t commands = 0;
  for (const char* set : {"public", "public2", "zeros", "nans"})
    for (const auto& entry :
         std::filesystem::directory_iterator(kConformance / "okk/commands" / set)) {
      SCOPED_TRACE(entry.path().string());
      std::ifstream file(entry.path());
      const nlohmann::json recorded = nlohmann::json::parse(file);
      for (const auto& one : recorded["cases"]) commands += expect_come_back(one);
    }
  EXPECT_GT(commands, 5000u);
}

// The convolution of fp32 by Winograd's method is refused: its order of additions is not known.
TEST(Bm1684Codec, CommandsOfCompilersComeBack) {
  size_t commands = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kConformance / "bm168x/bm1684")) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const nlohmann::json recorded = nlohmann::json::parse(line);
      const auto name = recorded["name"].get<std::string>();
      if (name == "b-layer-44") continue;
      SCOPED_TRACE(name);
      commands += expect_come_back(recorded);
    }
  }
  EXPECT_GT(commands, 1400u);
}

// An operation that encodes must decode, and encode again to the same operation.
TEST(Bm1684Codec, RandomOperationsRoundTrip) {
  tputwin::testing::RandomCases cases(40);
  std::set<std::string_view> encoded;
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    for (auto kind : tputwin::testing::all_operation_kinds()) {
      if (family_of(kind) != ChipFamily::bm1684) continue;
      Rng rng = cases.rng(index);
      const Operation op = random_operation(rng, kind);
      const auto bytes = encode_command({.op = op, .engine = engine(op), .id = 1}, bm1684());
      if (!bytes.ok()) {
        EXPECT_EQ(bytes.error().id(), errors::isa_stream_no_command) << bytes.error().message();
        continue;
      }
      const auto back = decode(engine(op), *bytes);
      ASSERT_TRUE(back.ok()) << back.error().message() << "\n" << describe(op);
      const auto again = encode_command(back->instruction, bm1684());
      ASSERT_TRUE(again.ok()) << again.error().message() << "\n" << describe(op);
      const auto third = decode(engine(op), *again);
      ASSERT_TRUE(third.ok()) << third.error().message() << "\n" << describe(op);
      EXPECT_EQ(describe(third->instruction.op), describe(back->instruction.op)) << describe(op);
      encoded.insert(name(op));
    }
  }
  EXPECT_GT(encoded.size(), 15u);
}

// A reader drops whole lanes of a stride, so it would decode another operation.
TEST(Bm1684Codec, StridesOfWholeLanesHaveNoCommand) {
  for (const uint32_t stride : {bm1684().lane_bytes - 4, bm1684().lane_bytes, 3u << 20}) {
    const TensorView view{.dtype = DType::f32, .shape = {1, 1, 2, 1}, .stride = {0, 0, stride, 0}};
    const auto bytes = encode_command(
        {.op = Copy{.engine = Engine::compute, .dst = view, .src = Source::tensor(view)},
         .engine = Engine::compute,
         .id = 1},
        bm1684());
    EXPECT_EQ(bytes.ok(), stride < bm1684().lane_bytes) << stride;
    if (!bytes.ok()) {
      EXPECT_EQ(bytes.error().id(), errors::isa_stream_no_command);
    }
  }
}

std::vector<uint8_t> bytes_of(const TiuCommand& command) {
  std::vector<uint8_t> bytes(bm1684_streams::tiu_form().bytes);
  pack(bm1684_streams::tiu_form(), command, bytes);
  return bytes;
}

// Returns a fill by a logical OR of constants (3.8).
TiuCommand fill(uint16_t id, uint16_t wait = 0) {
  TiuCommand c;
  c.cmd_en = c.cmd_id_en = 1;
  c.cmd_id_tpu = id;
  c.cmd_id_gdma = wait;
  c.tsk_lane_num = UINT64_MAX;
  c.tsk_typ = 3;
  c.tsk_eu_typ = 8;
  c.opt_res0_prec = c.opt_opd0_prec = c.opt_opd1_prec = 4;
  c.opt_opd0_const = c.opt_opd1_const = 1;
  c.opd0_addr = 7;
  c.res0_n = c.res0_c = c.res0_h = c.res0_w = 2;
  c.res0_addr = bm1684().local_base;
  return c;
}

// Numbers have 16 bits in commands and wrap; instructions have full numbers.
TEST(Bm1684Stream, NumbersWrap) {
  constexpr uint32_t kCount = 0x1'0005;
  std::vector<uint8_t> tiu;
  for (uint32_t i = 1; i <= kCount; ++i) {
    const auto bytes = bytes_of(fill(static_cast<uint16_t>(i)));
    tiu.insert(tiu.end(), bytes.begin(), bytes.end());
  }
  const auto program = decode_streams({tiu, {}}, bm1684());
  ASSERT_TRUE(program.ok()) << program.error().message();
  ASSERT_EQ(program->size(), kCount);
  EXPECT_EQ(program->back().id, kCount);
  EXPECT_EQ(count_commands(Engine::compute, tiu, bm1684()).value(), kCount);
  const auto again = encode_streams(*program, bm1684());
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->tiu.size(), tiu.size());
}

TEST(Bm1684Stream, RefusalsNameStreamCommandFieldAndValue) {
  TiuCommand c = fill(1);
  c.tsk_typ = 2;  // a product of matrices
  c.tsk_eu_typ = 0;
  c.opt_left_tran = 1;
  const auto program = decode_streams({bytes_of(c), {}}, bm1684());
  ASSERT_FALSE(program.ok());
  const std::string message = program.error().message();
  EXPECT_NE(message.find("TIU command 1"), std::string::npos) << message;
  EXPECT_NE(message.find("opt_left_tran = 1"), std::string::npos) << message;
}

TEST(Bm1684Stream, TextNamesTheFunction) {
  const auto one = decode_tiu_command(bytes_of(fill(1)), bm1684());
  ASSERT_TRUE(one.ok()) << one.error().message();
  EXPECT_NE(stream_text(one->instruction, bm1684()).find("okk_bdc_32bit_set_C"), std::string::npos);
}

}  // namespace
}  // namespace tputwin::isa
