// Random operations through the encoder and back.
#include <gtest/gtest.h>

#include "common/rng.h"
#include "isa/bm1880_codec.h"
#include "selftest/random_operation.h"

namespace tputwin::isa {
namespace {

using tputwin::testing::Rng;

// Returns true for matrix copies inside local memory, and for reshapes that are not between global
// addresses: the chip has no command for them.
bool has_no_descriptor(const Operation& op) {
  const auto* matrix = std::get_if<DmaMatrix>(&op);
  if (!matrix) return false;
  const MatrixView &dst = matrix->dst, &src = matrix->src;
  bool dst_local = dst.tensor.space == Space::local, src_local = src.tensor.space == Space::local;
  bool reshapes = dst.rows != (matrix->transpose ? src.cols : src.rows);
  return (dst_local && src_local) || ((dst_local || src_local) && reshapes);
}

// An operation that encodes must decode, and encode again to the same operation.
TEST(Codec, RandomOperationsRoundTrip) {
  tputwin::testing::RandomCases cases(300);
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    for (auto kind : tputwin::testing::all_operation_kinds()) {
      if (family_of(kind) != ChipFamily::bm1880) continue;
      Rng rng = cases.rng(index);
      Operation op = random_operation(rng, kind);
      if (has_no_descriptor(op)) continue;
      std::vector<uint8_t> record;
      Descriptor descriptor = encode(op, bm1880());
      set_ids(descriptor, 1, 0);
      append_record(descriptor, kFlagNone, record);
      auto commands = decode_commands(record, bm1880());
      ASSERT_TRUE(commands.ok()) << commands.error().message() << "\n" << describe(op);
      EXPECT_EQ(encode_commands(*commands, bm1880()), record) << describe(op);
      EXPECT_EQ(commands->front().instruction.op.index(), op.index());
    }
  }
}

}  // namespace
}  // namespace tputwin::isa
