// Random operations under a recorder.
#include "insight/recording/random_run.h"

#include <gtest/gtest.h>

#include "chip/family.h"
#include "common/temporary_directory.h"
#include "insight/recording/recorder.h"

namespace tputwin::insight::recording::testing {
namespace {

using tputwin::testing::OperationKind;
using tputwin::testing::Rng;

std::vector<OperationKind> kinds_of(ChipFamily family) {
  std::vector<OperationKind> kinds;
  for (const OperationKind kind : tputwin::testing::all_operation_kinds())
    if (tputwin::testing::family_of(kind) == family && kind != OperationKind::matrix_mac2)
      kinds.push_back(kind);
  return kinds;
}

void fill(Rng& rng, const Memory& memory, const Operation& op, const Chip& chip) {
  for (const ByteRange& range : footprint(op, chip).reads)
    for (uint64_t i = 0; i < range.end - range.begin; ++i)
      data_of(memory, range)[i] = static_cast<uint8_t>(rng.next());
}

}  // namespace

Recording record_random_run(ChipFamily family, uint64_t seed, size_t operations) {
  const tputwin::testing::TemporaryDirectory folder;
  const std::string path = folder / "run.tprec";
  const Chip& chip = first_of(family);
  auto device = Device::create({.chip = &chip, .global_bytes = tputwin::testing::kTestGlobalBytes});
  auto recorder = Recorder::create(**device, path);
  EXPECT_TRUE(recorder.ok());
  (*device)->observers().add(recorder->get());
  const std::vector<OperationKind> kinds = kinds_of(family);
  Rng rng(seed);
  (*device)->observers().notify(
      {.kind = DeviceEvent::Kind::launch_begin, .number = 1, .name = "random"});
  for (size_t i = 0; i < operations; ++i) {
    const Operation op = random_operation(rng, kinds[rng.below(kinds.size())], chip);
    if (rng.chance(3, 4)) fill(rng, (*device)->memories().take_all(), op, chip);
    const auto number = static_cast<uint32_t>(i + 1);
    const Instruction instruction{.op = op, .engine = engine(op), .id = number, .wait = 0};
    EXPECT_TRUE((*device)->issue(instruction, {.call = "call", .number = number}).ok());
  }
  (*device)->observers().notify({.kind = DeviceEvent::Kind::launch_end});
  recorder->reset();
  auto recording = open(path);
  EXPECT_TRUE(recording.ok()) << recording.status().message();
  return std::move(recording.value());
}

}  // namespace tputwin::insight::recording::testing
