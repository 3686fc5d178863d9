// The command buffer of a model of the vendor's compiler, if it is available. Unused fields are
// kept, so that it re-encodes to its own bytes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "isa/bm1880_codec.h"

namespace tputwin::isa {
namespace {

TEST(VendorModel, ReencodesToItself) {
  const std::string path = TPUTWIN_SHARED_DATA "/bm1880-det1/det1_1_3_12_12.bmodel";
  std::ifstream file(path, std::ios::binary);
  if (!file) GTEST_SKIP() << path << " is not there";
  std::vector<uint8_t> model{std::istreambuf_iterator<char>(file), {}};
  // Container 0.1.1: text length, text, magic, payload length, payload.
  size_t payload = 16 + (model[0] | model[1] << 8);
  auto cmdbuf = std::span(model).subspan(payload + 6696, 3792);
  auto commands = decode_commands(cmdbuf, bm1880(), /*keep_residue=*/true);
  ASSERT_TRUE(commands.ok()) << commands.error().message();
  EXPECT_EQ(commands->size(), 38u);
  EXPECT_EQ(encode_commands(*commands, bm1880()),
            std::vector<uint8_t>(cmdbuf.begin(), cmdbuf.end()));
  for (const Command& command : *commands) {
    EXPECT_TRUE(check(command.instruction.op, bm1880()).ok());
    bool depthwise = std::holds_alternative<Depthwise2dBm1880>(command.instruction.op);
    EXPECT_EQ(command.residue.empty(), !depthwise) << command.offset;
  }
}

}  // namespace
}  // namespace tputwin::isa
