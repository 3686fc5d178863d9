// Device forms equal the recorded ones.
#include "isa/dmabuf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/bm1880_codec.h"
#include "isa/golden.h"

namespace tputwin::isa {
namespace {

using ::testing::HasSubstr;

// "... relocate=1 to 0x19ba37000"
std::pair<bool, uint64_t> relocation(const std::string& args) {
  size_t at = args.find("relocate=");
  return {args[at + 9] == '1', std::stoull(args.substr(at + 14), nullptr, 16)};
}

TEST(Dmabuf, RecordedConversions) {
  for (const GoldenCase& golden : golden_cases("dmabuf_convert")) {
    SCOPED_TRACE(golden.args);
    auto size = dmabuf_size(golden.cmdbuf);
    ASSERT_TRUE(size.ok());
    ASSERT_EQ(*size, golden.blob.size());
    std::vector<uint8_t> out(*size, 0xcc);
    ASSERT_TRUE(dmabuf_convert(golden.cmdbuf, out).ok());
    if (auto [wanted, address] = relocation(golden.args); wanted) {
      ASSERT_TRUE(dmabuf_relocate(out, 0x1000).ok());  // a second call replaces the first
      ASSERT_TRUE(dmabuf_relocate(out, address).ok());
    }
    EXPECT_EQ(out, golden.blob);
    auto dump = dmabuf_dump(out, bm1880());
    ASSERT_TRUE(dump.ok()) << dump.error().message();
    auto commands = decode_commands(golden.cmdbuf, bm1880());
    EXPECT_EQ(std::ranges::count(*dump, '\n'), static_cast<ptrdiff_t>(commands->size()) + 3);
    EXPECT_THAT(*dump, testing::Not(HasSubstr("TW-ISA")));
  }
}

TEST(Dmabuf, CpuCommandsEndSegments) {
  auto operations = golden_cases("cpu_op");
  for (const GoldenCase& golden : operations) {
    SCOPED_TRACE(golden.args);
    bool around = golden.args.ends_with("around=1");
    std::vector<uint8_t> out(*dmabuf_size(golden.cmdbuf));
    ASSERT_TRUE(dmabuf_convert(golden.cmdbuf, out).ok());
    EXPECT_EQ(out[8], around ? 2 : 1);  // the operator, and the commands after it
    EXPECT_EQ(out[kDmabufHeaderBytes], kCpuOperator);
    auto dump = dmabuf_dump(out, bm1880());
    ASSERT_TRUE(dump.ok());
    EXPECT_THAT(*dump, HasSubstr("operator"));
  }
}

TEST(Dmabuf, EmptyBufferIsAHeader) {
  std::vector<uint8_t> out(*dmabuf_size({}));
  ASSERT_TRUE(dmabuf_convert({}, out).ok());
  EXPECT_TRUE(dmabuf_dump(out, bm1880()).ok());
}

TEST(Dmabuf, HostileImagesAreErrors) {
  GoldenCase golden = golden_cases("dmabuf_convert").front();
  for (size_t byte = 0; byte < 320; ++byte) {
    std::vector<uint8_t> image = golden.blob;
    image[byte] ^= 0x81;
    (void)dmabuf_relocate(image, 0);
    (void)dmabuf_dump(image, bm1880());
  }
  for (size_t size = 0; size < golden.blob.size(); ++size)
    EXPECT_FALSE(dmabuf_dump(std::span(golden.blob).first(size), bm1880()).ok());
}

}  // namespace
}  // namespace tputwin::isa
