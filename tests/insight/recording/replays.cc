// Recordings of random runs are replayed and compared.
#include <gmock/gmock.h>

#include "base/parallel.h"
#include "insight/recording/compare_runs.h"
#include "insight/recording/random_run.h"
#include "insight/recording/transfer.h"
#include "ops/fast/fast.h"

namespace tputwin::insight::recording::testing {
namespace {

using ::testing::HasSubstr;

constexpr size_t kOperations = 40;

class Replays : public ::testing::TestWithParam<ChipFamily> {};

Replayed replayed(const Recording& recording, const PlayOptions& options = {}) {
  auto device = make_device(recording, options);
  auto result = replay(recording, **device, options.schedule);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *result : Replayed{};
}

void expect_equal(const Recording& recording, const PlayOptions& options, const char* what) {
  const Replayed done = replayed(recording, options);
  EXPECT_TRUE(done.equals) << what;
  if (done.first_difference)
    ADD_FAILURE() << what << ": " << describe_command(recording, *done.first_difference);
  EXPECT_EQ(done.commands, kOperations);
  EXPECT_EQ(done.launches, 1u);
}

TEST_P(Replays, LeaveTheSameBytes) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Recording recording = record_random_run(GetParam(), seed, kOperations);
    expect_equal(recording, {}, "as it was");
    expect_equal(recording, {.kernel_choice = KernelChoice::reference}, "reference");
    set_thread_count(1);
    expect_equal(recording, {}, "one thread");
    set_thread_count(0);
  }
}

// Bytes from outside differ from the recorded ones.
TEST_P(Replays, ReportWhatDiffers) {
  Recording recording = record_random_run(GetParam(), 7, kOperations);
  for (Entry& entry : recording.entries)
    if (auto* poke = std::get_if<Poke>(&entry)) poke->bytes[0] ^= 0xff;
  const Replayed done = replayed(recording);
  EXPECT_FALSE(done.equals);
  EXPECT_TRUE(done.first_difference);
}

TEST_P(Replays, AreComparedCommandByCommand) {
  const Recording good = record_random_run(GetParam(), 8, kOperations);
  Recording bad = good;
  size_t commands = 0;
  // Position of the first command after changed bytes. All later bytes change too, because a single
  // command may give the same results for other bytes.
  std::optional<size_t> changed;
  for (Entry& entry : bad.entries) {
    commands += std::holds_alternative<Command>(entry);
    auto* poke = std::get_if<Poke>(&entry);
    if (poke == nullptr || commands < kOperations / 2) continue;
    for (uint8_t& byte : poke->bytes) byte ^= 0x11;
    if (!changed) changed = commands;
  }
  ASSERT_TRUE(changed);
  const auto same = compare({.recording = &good}, {.recording = &bad});
  ASSERT_TRUE(same.ok());
  EXPECT_FALSE(same->difference) << "what is recorded of them is the same";
  // a thread count requires a run
  const auto result = compare({.recording = &good}, {.recording = &bad, .threads = 1});
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_TRUE(result->difference);
  EXPECT_GE(result->commands, *changed);
  EXPECT_THAT(*result->difference, HasSubstr("call"));
  EXPECT_THAT(*result->difference, HasSubstr("elements differ"));
  const auto isas = compare({.recording = &good}, {.recording = &good, .isa = "reference"});
  ASSERT_TRUE(isas.ok());
  EXPECT_FALSE(isas->difference) << *isas->difference;
}

TEST_P(Replays, AreComparedToTheirEnds) {
  const Recording all = record_random_run(GetParam(), 9, kOperations);
  Recording part = all;
  while (!std::holds_alternative<Command>(part.entries.back())) part.entries.pop_back();
  part.entries.pop_back();
  const auto result = compare({.recording = &part}, {.recording = &all});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->commands, kOperations - 1);
  EXPECT_THAT(result->difference.value_or(""), HasSubstr("B has 1 commands more"));
}

TEST(Comparison, OfOtherChipsReportsThatTheyDoOtherThings) {
  const Recording a = record_random_run(ChipFamily::bm1684, 1, 3),
                  b = record_random_run(ChipFamily::bm1684x, 1, 3);
  const auto result = compare({.recording = &a}, {.recording = &b});
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(result->difference.value_or(""), HasSubstr("A: command"));
}

std::string name_of_parameter(const ::testing::TestParamInfo<ChipFamily>& info) {
  static constexpr const char* kNames[] = {"BM1880", "BM1684", "BM1684X"};
  return kNames[info.index];
}

INSTANTIATE_TEST_SUITE_P(Chips, Replays,
                         ::testing::Values(ChipFamily::bm1880, ChipFamily::bm1684,
                                           ChipFamily::bm1684x),
                         name_of_parameter);

// Writes and reads every type of operation.
TEST(Operations, AreWrittenWithAllTheirMembers) {
  for (const auto kind : tputwin::testing::all_operation_kinds())
    for (uint64_t seed = 0; seed < 20; ++seed) {
      tputwin::testing::Rng rng(seed, static_cast<uint64_t>(kind));
      const Operation op = random_operation(rng, kind);
      Writer once, twice;
      write(once, op);
      Reader from(once.written());
      const Operation back = read_operation(from);
      EXPECT_FALSE(from.failed()) << from.why() << ": " << describe(op);
      EXPECT_TRUE(from.at_end()) << describe(op);
      EXPECT_EQ(describe(back), describe(op));
      write(twice, back);
      EXPECT_EQ(twice.written(), once.written()) << describe(op);
    }
}

}  // namespace
}  // namespace tputwin::insight::recording::testing
