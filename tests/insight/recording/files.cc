// Files of recordings that are truncated, of other formats or damaged.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/errors/machine.h"
#include "insight/recording/container.h"
#include "insight/recording/random_run.h"

namespace tputwin::insight::recording::testing {
namespace {

using tputwin::testing::Rng;

std::string code_of(std::span<const uint8_t> file) {
  const auto recording = parse(file);
  return recording.ok() ? "ok" : std::string(recording.error().code());
}

std::string code(ErrorId id) { return std::string(error_info(id).code); }

std::vector<uint8_t> some_file() { return to_file(record_random_run(ChipFamily::bm1684, 1, 10)); }

TEST(Files, AreTheSameAgain) {
  const std::vector<uint8_t> file = some_file();
  const auto recording = parse(file);
  ASSERT_TRUE(recording.ok());
  EXPECT_EQ(to_file(*recording), file);
}

TEST(Files, ThatAreTruncatedAreRefused) {
  const std::vector<uint8_t> file = some_file();
  for (size_t bytes = 1; bytes < file.size(); bytes += bytes < 64 ? 1 : file.size() / 50)
    EXPECT_EQ(code_of({file.data(), bytes}), code(errors::mch_recording_truncated)) << bytes;
}

TEST(Files, ThatAreForeignAreRefused) {
  const std::string foreign = code(errors::mch_recording_foreign);
  EXPECT_EQ(code_of({}), foreign);
  EXPECT_EQ(code_of(std::vector<uint8_t>(100, 'x')), foreign);
  std::vector<uint8_t> newer = some_file();
  newer[8] = kVersion + 1;
  EXPECT_EQ(code_of(newer), foreign);
}

TEST(Files, ThatAreDamagedAreRefused) {
  const std::vector<uint8_t> file = some_file();
  for (size_t at = 12; at < file.size(); at += 97) {
    std::vector<uint8_t> damaged = file;
    damaged[at] ^= 0x40;
    EXPECT_NE(code_of(damaged), "ok") << at;
  }
  std::vector<uint8_t> longer = file;
  longer.push_back(0);
  EXPECT_EQ(code_of(longer), code(errors::mch_recording_damaged));
}

// Changes some bytes of the content; the file's blocks stay valid.
std::vector<uint8_t> mutated(std::vector<uint8_t> content, Rng& rng) {
  for (uint64_t changes = 1 + rng.below(4); changes > 0; --changes) {
    const size_t at = rng.below(content.size());
    switch (rng.below(4)) {
      case 0:
        content[at] = static_cast<uint8_t>(rng.next());
        break;
      case 1:
        content[at] = rng.pick<uint8_t>({0, 1, 0x7f, 0x80, 0xff});
        break;
      case 2:
        content.erase(content.begin() + static_cast<ptrdiff_t>(at));
        break;
      default:
        content.insert(content.begin() + static_cast<ptrdiff_t>(at), content[at]);
    }
  }
  return content;
}

// Changed entries are replayed or refused, without a crash.
TEST(Files, WithChangedEntriesDoNoHarm) {
  setenv("TPUTWIN_LOG", "quiet", 1);
  const char* wanted = std::getenv("TPUTWIN_FUZZ_COUNT");  // tries for each chip
  const int tries = wanted != nullptr ? std::atoi(wanted) : 1500;
  size_t read = 0, refused = 0;
  for (const ChipFamily family : {ChipFamily::bm1880, ChipFamily::bm1684, ChipFamily::bm1684x}) {
    Recording recording = record_random_run(family, 3, 6);
    // mostly commands, so that most changes affect them
    std::erase_if(recording.entries,
                  [](const Entry& e) { return std::holds_alternative<Poke>(e); });
    const auto content = unpack(to_file(recording));
    ASSERT_TRUE(content.ok());
    for (int i = 0; i < tries; ++i) {
      SCOPED_TRACE(i);
      Rng rng(static_cast<uint64_t>(family), static_cast<uint64_t>(i));
      const auto changed = parse(pack(mutated(*content, rng)));
      if (!changed.ok() || changed->header.global_bytes != recording.header.global_bytes) {
        ++refused;
        continue;
      }
      ++read;
      auto device = make_device(*changed, {});
      if (device.ok()) static_cast<void>(replay(*changed, **device));
    }
  }
  EXPECT_GT(read, 300u);
  EXPECT_GT(refused, 300u);
}

}  // namespace
}  // namespace tputwin::insight::recording::testing
