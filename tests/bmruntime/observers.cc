#include <tputwin/device.h>

#include "bmruntime/support.h"

namespace tputwin::test {
namespace {

struct Recorder : api::Observer {
  std::vector<api::Event> events;
  void on_instruction(const api::Event& event) override { events.push_back(event); }
};

struct Program {
  explicit Program(bmctx_t ctx) {
    bmmem_device_t mem = bmmem_device_alloc_raw(ctx, 2 * kBytes);
    CommandWriter writer;
    emit_max(writer.context(), bmmem_device_addr(ctx, mem), bmmem_device_addr(ctx, mem) + kBytes,
             shape_t4(1, 32, 4, 4), 3);
    commands = writer.finish();
  }
  static constexpr size_t kBytes = 32 * 4 * 4;
  Bytes commands;
};

TEST(Observer, SeesEachInstructionOnceWithItsFootprint) {
  Runtime runtime;
  Program program(runtime.ctx);
  Recorder recorder;
  api::Device device(runtime.ctx);
  ASSERT_TRUE(device.add_observer(&recorder));
  bm_run_cmdbuf_pio(runtime.ctx, program.commands.data(), program.commands.size());
  ASSERT_EQ(recorder.events.size(), 3u);
  const api::Event &load = recorder.events[0], &max = recorder.events[1];
  EXPECT_EQ(load.engine, api::Engine::dma);
  EXPECT_EQ(load.id, 1u);
  EXPECT_EQ(load.bytes_read, Program::kBytes);
  EXPECT_EQ(load.bytes_written, Program::kBytes);
  EXPECT_GT(load.cycles, 0u);
  EXPECT_EQ(max.engine, api::Engine::compute);
  EXPECT_EQ(max.wait, 1u);
  EXPECT_FALSE(max.text.empty());
  EXPECT_FALSE(max.name.empty());
  for (const api::Range& range : max.ranges) EXPECT_TRUE(range.local && range.end <= 65536);
  ASSERT_TRUE(device.remove_observer(&recorder));
  bm_run_cmdbuf_pio(runtime.ctx, program.commands.data(), program.commands.size());
  EXPECT_EQ(recorder.events.size(), 3u);
}

TEST(Observer, SchedulesAndStrictness) {
  Runtime runtime;
  Program program(runtime.ctx);
  api::Device device(runtime.ctx);
  EXPECT_TRUE(device.set_strict(true));
  for (api::Schedule schedule : {api::Schedule::program, api::Schedule::compute_first,
                                 api::Schedule::dma_first, api::Schedule::shuffled}) {
    EXPECT_TRUE(device.set_schedule(schedule, 5));
    EXPECT_EQ(bm_run_cmdbuf_pio(runtime.ctx, program.commands.data(), program.commands.size()),
              BM_SUCCESS);
  }
}

TEST(Observer, NeedsABoundContext) {
  Recorder recorder;
  EXPECT_FALSE(api::Device(nullptr).add_observer(&recorder));
  EXPECT_EQ(take_error(), kNull);
  Runtime runtime;
  EXPECT_FALSE(api::Device(runtime.ctx).add_observer(nullptr));
  EXPECT_EQ(take_error(), kNull);
}

}  // namespace
}  // namespace tputwin::test
