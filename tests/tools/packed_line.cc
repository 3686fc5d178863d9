// Bytes as lines of text, and invalid lines.
#include "tools/campaign/packed_line.h"

#include <gtest/gtest.h>

#include <random>

#include "base/errors/tools.h"

namespace tputwin::tools {
namespace {

std::string base64_of(const std::string& text) {
  return base64({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

TEST(PackedLine, Base64IsThatOfItsDescription) {  // RFC 4648, 10
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foo"), "Zm9v");
  EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
}

TEST(PackedLine, GivesBackItsBytes) {
  std::mt19937_64 random(1);
  for (const size_t size : {0, 1, 2, 3, 100, 65536, 1000000}) {
    std::string any(size, '\0'), same(size, 'a');
    for (char& byte : any) byte = static_cast<char>(random());
    for (const std::string& bytes : {any, same}) {
      const std::string line = packed_line(bytes);
      EXPECT_EQ(line.find_first_of("\n\r"), std::string::npos);
      const auto back = unpacked_line(line);
      ASSERT_TRUE(back.ok()) << size;
      EXPECT_TRUE(*back == bytes) << size;
    }
  }
}

TEST(PackedLine, RefusesWhatIsNone) {
  const std::string line = packed_line(std::string(1000, 'b') + "end");
  const auto refused = [](const std::string& text) {
    const auto back = unpacked_line(text);
    ASSERT_FALSE(back.ok()) << text;
    EXPECT_EQ(back.error().id(), errors::cli_checkpoint) << text;
  };
  for (size_t length = 0; length < line.size(); ++length) refused(line.substr(0, length));
  for (const char* text : {"", " ", "5", "5 ", "-1 AAAA", "x AAAA", "3 AAAA", "3 A", "3 ****",
                           "18446744073709551615 AAAA", "99999999999999999999 AAAA"})
    refused(text);
  refused("1002" + line.substr(line.find(' ')));  // there are 1003
  refused("1004" + line.substr(line.find(' ')));
}

}  // namespace
}  // namespace tputwin::tools
