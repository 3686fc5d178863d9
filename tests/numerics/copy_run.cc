// Copies of long runs: for every position of the target in its page relative to the source's, the
// whole run is copied and no other byte changes.
#include "base/copy_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tputwin {
namespace {

TEST(CopyRun, CopiesAllOfTheRunAndNothingElse) {
  constexpr size_t kPage = 4096, kMost = 3 * 2048 + 100;
  std::vector<uint8_t> source(kPage + kMost);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint8_t>(i * 7 + i / 251);
  std::vector<uint8_t> buffer(3 * kPage + kMost);
  const uintptr_t distance =
      reinterpret_cast<uintptr_t>(source.data()) - reinterpret_cast<uintptr_t>(buffer.data());
  for (const size_t ahead : {0u, 1u, 16u, 31u, 32u, 100u, 4095u})
    for (const size_t bytes : {0u, 1u, 2047u, 2048u, 2049u, 2112u, 4097u, unsigned{kMost}}) {
      SCOPED_TRACE(testing::Message() << bytes << " bytes, " << ahead << " ahead");
      uint8_t* const to = buffer.data() + kPage + (distance + ahead) % kPage;
      std::fill(buffer.begin(), buffer.end(), uint8_t{0x5a});
      copy_run(to, source.data(), bytes);
      EXPECT_TRUE(std::equal(to, to + bytes, source.data()));
      EXPECT_EQ(to[-1], 0x5a);
      EXPECT_EQ(to[bytes], 0x5a);
    }
}

}  // namespace
}  // namespace tputwin
