// Packing, the forms of records, relocation, text, and hostile input.
#include "common/rng.h"
#include "isa/bm1880_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "isa/fields.h"
#include "isa/golden.h"
#include "isa/text.h"
#include "memory/layout.h"
#include "selftest/random_operation.h"

namespace tputwin::isa {
namespace {

using ::testing::HasSubstr;
using tputwin::testing::Rng;

TEST(Packing, EveryBitSurvives) {
  Rng rng(1);
  for (int round = 0; round < 1000; ++round) {
    std::array<uint8_t, kBdBytes> bd, bd_again;
    std::array<uint8_t, kGdmaBytes> gdma, gdma_again;
    for (uint8_t& byte : bd) byte = static_cast<uint8_t>(rng.next());
    for (uint8_t& byte : gdma) byte = static_cast<uint8_t>(rng.next());
    pack(unpack_bd(bd), bd_again);
    pack(unpack_gdma(gdma), gdma_again);
    ASSERT_EQ(bd, bd_again);
    ASSERT_EQ(gdma, gdma_again);
  }
}

TEST(Packing, FieldTableAgreesWithMembers) {
  std::array<uint8_t, kBdBytes> packed;
  pack(BdDescriptor{.res0_h = 0xabc, .opd1_c = 0x123}, packed);
  for (const Field& field : kBdFields) {
    uint64_t expected = field.name == "res0_h"   ? 0xabc
                        : field.name == "opd1_c" ? 0x123
                                                 : field.reset;
    EXPECT_EQ(extract(packed.data(), field), expected) << field.name;
  }
}

TEST(Codec, LongCpuPayloadsUseTheMask) {
  std::vector<uint8_t> params(300);
  for (size_t i = 0; i < params.size(); ++i) params[i] = static_cast<uint8_t>(i);
  std::vector<uint8_t> buffer;
  append_record(encode(CpuCall{.name = "elu", .params = params}, bm1880()), kFlagNone, buffer);
  EXPECT_EQ(buffer[1], 0);
  EXPECT_EQ(buffer.size(), kHeaderBytes + 48 + 300);
  EXPECT_EQ(load_word(buffer.data() + 4, 0), 348u);
  auto commands = decode_commands(buffer, bm1880(), /*keep_residue=*/true);
  ASSERT_TRUE(commands.ok()) << commands.error().message();
  const auto& call = std::get<CpuCall>(commands->front().instruction.op);
  EXPECT_EQ(call.name, "elu");
  EXPECT_EQ(call.params, params);
  EXPECT_EQ(encode_commands(*commands, bm1880()), buffer);
}

TEST(Codec, ErrorsNameRecordFieldAndValue) {
  std::vector<uint8_t> buffer = golden_cases("tpu_mul").front().cmdbuf;
  std::vector<uint8_t> second = buffer;
  second[kHeaderBytes] = 0x15;       // number 2
  second[kHeaderBytes + 4] |= 0x80;  // task type 3 becomes 7
  second[kHeaderBytes + 5] |= 0x01;  // and 15
  buffer.insert(buffer.end(), second.begin(), second.end());
  auto program = decode_program(buffer, bm1880());
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(program.error().message(), HasSubstr("BD record at offset 0x78: tsk_typ = "));
}

TEST(Codec, RelocationMovesFlaggedAddressesOnce) {
  DmaTensor load{.dst = local_tensor(bm1880(), 0, {1, 2, 3, 4}, true, DType::i8),
                 .src = global_tensor(0x100, {1, 2, 3, 4})};
  DmaTensor store{.dst = load.src, .src = load.dst};
  std::vector<uint8_t> buffer;
  uint32_t id = 0;
  auto append = [&](const Operation& op, uint8_t flags) {
    Descriptor d = encode(op, bm1880());
    set_ids(d, ++id, 0);
    append_record(d, flags, buffer);
  };
  append(load, kFlagWeight);
  append(store, kFlagNeuron);
  append(load, kFlagNone);
  for (int times = 0; times < 2; ++times) {
    ASSERT_TRUE(relocate(buffer, 0x10000, 0x20000).ok());
    auto program = decode_program(buffer, bm1880());
    ASSERT_TRUE(program.ok());
    EXPECT_EQ(std::get<DmaTensor>((*program)[0].op).src.address, 0x20100u);
    EXPECT_EQ(std::get<DmaTensor>((*program)[1].op).dst.address, 0x10100u);
    EXPECT_EQ(std::get<DmaTensor>((*program)[2].op).src.address, 0x100u);
  }
}

TEST(Text, NamesEngineOrderAndOperands) {
  auto golden = golden_cases("seq_serial").front();
  auto commands = decode_commands(golden.cmdbuf, bm1880(), /*keep_residue=*/true);
  ASSERT_TRUE(commands.ok());
  auto json = nlohmann::json::parse(to_json(*commands));
  ASSERT_EQ(json.size(), commands->size());
  for (size_t i = 0; i < json.size(); ++i) {
    std::string line = to_text((*commands)[i]);
    EXPECT_THAT(line, HasSubstr(json[i]["op"].get<std::string>()));
    EXPECT_THAT(line, HasSubstr(json[i]["engine"].get<std::string>()));
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_FALSE(json[i]["operands"].empty());
  }
}

// Changes a few bytes of recorded buffers. Buffers that still decode must pass check() and
// check_bounds() without a crash, and re-encode to themselves.
TEST(Hostile, MutatedBuffersDecodeOrFail) {
  std::vector<std::vector<uint8_t>> buffers;
  for (const std::string& function : golden_functions())
    for (GoldenCase& golden : golden_cases(function))
      if (!golden.cmdbuf.empty()) buffers.push_back(std::move(golden.cmdbuf));
  tputwin::testing::RandomCases cases(20000);
  size_t decoded = 0;
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    Rng rng = cases.rng(index);
    std::vector<uint8_t> buffer = buffers[rng.below(buffers.size())];
    for (uint32_t flips = rng.range(1, 4); flips > 0; --flips)
      buffer[rng.below(buffer.size())] ^= static_cast<uint8_t>(1 << rng.below(8));
    if (rng.chance(1, 10)) buffer.resize(rng.below(buffer.size()));
    auto commands = decode_commands(buffer, bm1880(), /*keep_residue=*/true);
    if (!commands.ok()) continue;
    ++decoded;
    ASSERT_EQ(encode_commands(*commands, bm1880()), buffer);
    for (const Command& command : *commands) {
      (void)to_text(command);
      (void)check(command.instruction.op, bm1880());
      (void)check_bounds(command.instruction.op, bm1880(), uint64_t{4} << 30);
    }
  }
  EXPECT_GT(decoded, 0u);
}

}  // namespace
}  // namespace tputwin::isa
