// Every recorded command buffer decodes, and re-encodes to the same bytes. Bits that the operations
// do not determine (the residue) occur only in the calls that bm1880_codec.h names.
#include "isa/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/bm1880_codec.h"

namespace tputwin::isa {
namespace {

using ::testing::IsEmpty;
using ::testing::IsSubsetOf;

std::vector<std::string> fields_the_call_writes_freely(const std::string& function) {
  if (function == "tpu_copy_with_stride")
    return {"opd1_n_str", "opd1_c_str", "opd1_h_str", "opd2_n_str", "opd2_c_str", "opd2_h_str"};
  if (function == "tpu_mdsum") return {"opd0_n_str", "opd0_c_str"};
  return {};
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, DecodesAndReencodes) {
  for (const GoldenCase& golden : golden_cases(GetParam())) {
    if (golden.cmdbuf.empty()) continue;
    SCOPED_TRACE(golden.args);
    auto commands = decode_commands(golden.cmdbuf, bm1880(), /*keep_residue=*/true);
    ASSERT_TRUE(commands.ok()) << commands.error().message();
    for (const Command& command : *commands) {
      std::vector<std::string> residue;
      for (const auto& r : command.residue)
        residue.emplace_back(residue_name(command.instruction.engine, r));
      EXPECT_THAT(residue, IsSubsetOf(fields_the_call_writes_freely(GetParam())));
    }
    EXPECT_EQ(encode_commands(*commands, bm1880()), golden.cmdbuf);
    auto program = decode_program(golden.cmdbuf, bm1880());
    ASSERT_TRUE(program.ok());
    EXPECT_EQ(program->size(), commands->size());
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, Golden, ::testing::ValuesIn(golden_functions()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tputwin::isa
