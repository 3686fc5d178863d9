// TW-MCH: programs whose order cannot be satisfied, and CPU operators without a host.
#include <atomic>
#include <cstdlib>
#include <functional>

#include "base/errors/machine.h"
#include "errors/trigger.h"
#include "insight/checks.h"
#include "insight/recording/player.h"
#include "machine/device.h"
#include "machine/stop.h"
#include "ops/fast/dispatch/kernel_switches.h"
#include "selftest/first_use.h"
#include "selftest/random_operation.h"

namespace tputwin::testing {
namespace {

Status run(std::vector<Instruction> program) {
  auto device = Device::create({.chip = &bm1880(), .global_bytes = 4096});
  return device.ok() ? (*device)->run(program) : device.status();
}

TW_TRIGGER(mch_wait_never,
           [] { return run({{.op = DmaTensor{}, .engine = Engine::dma, .id = 1, .wait = 1}}); });

TW_TRIGGER(mch_stopped, [] {
  const std::atomic<bool> wanted = true;
  const ScopedStop stop(wanted);
  return run({{.op = DmaTensor{}, .engine = Engine::dma, .id = 1}});
});

TW_TRIGGER(mch_no_cpu_host, [] {
  return run(
      {{.op = CpuCall{.sync = false, .name = "softmax", .params = {}}, .engine = Engine::cpu}});
});

TW_TRIGGER(mch_isa, [] {
  setenv("TPUTWIN_ISA", "abacus", 1);
  Status status = run({});
  unsetenv("TPUTWIN_ISA");
  return status;
});

TW_TRIGGER(mch_check, [] { return insight::parse_checks("races,abacus").status(); });

// Parses a valid recording after a change of its file.
Status read_command_recording(const std::function<void(std::vector<uint8_t>&)>& change) {
  using namespace insight::recording;
  std::vector<uint8_t> file = to_file({.header = {.chip = "BM1684", .global_bytes = 4096}});
  change(file);
  return parse(file).status();
}

TW_TRIGGER(mch_recording_foreign,
           [] { return read_command_recording([](auto& file) { file[0] = 'x'; }); });
TW_TRIGGER(mch_recording_truncated,
           [] { return read_command_recording([](auto& file) { file.pop_back(); }); });
TW_TRIGGER(mch_recording_damaged,
           [] { return read_command_recording([](auto& file) { file.push_back(0); }); });
TW_TRIGGER(mch_recording_bytes, [] {
  using namespace insight::recording;
  Recording recording{.header = {.chip = "BM1684", .global_bytes = 4096}};
  recording.entries.emplace_back(Poke{.address = 4096, .bytes = {1}});
  auto device = make_device(recording, {});
  return replay(recording, **device).status();
});

TW_TRIGGER(mch_kernel_off, [] {
  fast::spoil_kernel(alternative_of(OperationKind::lut));
  set_tests_kernels(true);
  auto device =
      Device::create({.chip = &bm1880(), .global_bytes = kTestGlobalBytes, .strict = true});
  Status status;
  // Until the operation breaks no other rule.
  for (uint64_t seed = 1; seed < 100; ++seed) {
    Rng rng(seed);
    status = (*device)->issue({.op = random_operation(rng, OperationKind::lut)}, {.call = "lut"});
    if (!status.ok() && status.error().id() == errors::mch_kernel_off) break;
    (*device)->errors().clear();
  }
  fast::spoil_none();
  set_tests_kernels(false);
  return status;
});

}  // namespace
}  // namespace tputwin::testing
