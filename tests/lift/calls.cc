// Finds the calls that make operations: recorded commands of every TPUKernel function that is a
// single command, and random operations.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "common/recorded_commands.h"
#include "common/rng.h"
#include "isa/streams/encode.h"
#include "isa/streams/stream.h"
#include "selftest/random_operation.h"
#include "tools/lift/calls.h"

namespace tputwin::lift {
namespace {

const std::filesystem::path kCommands = TPUTWIN_SOURCE_DIR "/tests/conformance/tpu/commands";

class Calls : public ::testing::Test {
 protected:
  Calls() : recorder_(std::move(Recorder::create(bm1684x()).value())) {}

  // Returns the call that makes a command; `function` is "" if there is none.
  Lifted lifted(Engine engine, std::span<const uint8_t> bytes) {
    const auto one = engine == Engine::dma ? isa::decode_gdma_command(bytes, bm1684x())
                                           : isa::decode_tiu_command(bytes, bm1684x());
    EXPECT_TRUE(one.ok()) << one.status().message();
    return one.ok() ? call_of(one->instruction, *recorder_) : Lifted{};
  }

  std::unique_ptr<Recorder> recorder_;
};

// For every recorded command of a function in the table, a call is found.
TEST_F(Calls, AreFoundForTheCommandsOfCalls) {
  const auto known = tpu_functions();
  EXPECT_GE(known.size(), 225u);
  size_t functions = 0;
  for (const std::string set : {"public", "public2"})
    for (const auto& file : std::filesystem::directory_iterator(kCommands / set)) {
      const std::string function = file.path().stem().string();
      if (std::ranges::find(known, function) == known.end()) continue;
      SCOPED_TRACE(set + " " + function);
      ++functions;
      for (const auto& command : testing::commands_of_calls(file.path())) {
        const Lifted found = lifted(command.engine, command.bytes);
        EXPECT_TRUE(found.call) << (found.refused ? found.refused->message() : "no call");
      }
    }
  EXPECT_GE(functions, 240u);
}

// A random operation's call must make the same command: attempt() compares them. This test counts
// the operations that have a call.
TEST_F(Calls, AreFoundForMostRandomOperations) {
  testing::RandomCases cases(10);
  size_t found = 0, all = 0;
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    for (auto kind : testing::all_operation_kinds()) {
      if (family_of(kind) != ChipFamily::bm1684x) continue;
      testing::Rng rng = cases.rng(index);
      const Operation op = random_operation(rng, kind);
      const auto bytes = isa::encode_command({.op = op, .engine = engine(op), .id = 1}, bm1684x());
      if (!bytes.ok()) continue;
      ++all;
      found += lifted(engine(op), *bytes).call.has_value();
    }
  }
  EXPECT_GT(2 * found, all) << found << " of " << all;
}

// A function that is named after its command, and an operation that no call makes.
TEST_F(Calls, ReportWhyThereIsNone) {
  const Operation op = [] {
    Unary abs{.kind = Unary::Kind::abs};
    abs.out = abs.in = {
        .dtype = DType::f32, .address = 0x20, .shape = {1, 1, 1, 2}, .stride = {0, 0, 0, 4}};
    return abs;
  }();
  Lifted found = call_of({.op = op, .engine = Engine::compute}, *recorder_);
  ASSERT_TRUE(found.call);
  EXPECT_EQ(found.call->function, "tpu_bdc_abs");
  Unary inverse_root = std::get<Unary>(op);
  inverse_root.kind = Unary::Kind::inverse_root;
  found = call_of({.op = inverse_root, .engine = Engine::compute}, *recorder_);
  EXPECT_FALSE(found.call);
  EXPECT_FALSE(found.refused);
}

}  // namespace
}  // namespace tputwin::lift
