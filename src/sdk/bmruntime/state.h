// The objects of bmdev_t, bmctx_t, bmmem_t and bmnet_t, and the tables that own them.
#pragma once

#include <bmkernel/bm1880/bmkernel_1880.h>
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmnet.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_set>
#include <vector>

#include "insight/watch.h"
#include "machine/device.h"
#include "machine/planned_program.h"
#include "memory/allocator.h"
#include "sdk/bmkernel/context.h"
#include "sdk/bmruntime/cpu_operator.h"
#include "sdk/common/registry.h"

namespace tputwin::api {
class Observer;
}

namespace tputwin::rt {

using sdk::Registry;

class Network;

// The newest command buffers that were sent, decoded. A program that sends the same commands again
// runs the same plan. Not thread-safe.
class SentCommands {
 public:
  Result<std::shared_ptr<PlannedProgram>> plan(std::span<const uint8_t> buffer, const Chip& chip);

 private:
  static constexpr size_t kMost = 8;
  struct Sent {
    std::vector<uint8_t> bytes;
    std::shared_ptr<PlannedProgram> plan;
  };
  std::vector<Sent> sent_;  // the newest last
};

// An open device. `mutex` is held during a launch, a copy or an allocation.
struct OpenDevice {
  OpenDevice(int device_index, std::unique_ptr<Device> simulated);

  int index;
  bmdev_t handle = nullptr;
  std::mutex mutex;
  // Held during a call of a network, so that the inputs, the run and the outputs of an inference
  // belong to one thread. Taken before `mutex`. Recursive, because CPU operators may call their
  // network.
  std::recursive_mutex networks;
  std::unique_ptr<Device> chip;
  insight::Watchers watchers;
  Allocator allocator;
  std::atomic<bool> closed = false;
  // The low 16 bits are the newest sequence number.
  uint64_t launches = 0;
  std::set<uint16_t> failed;    // sequence numbers of launches that failed
  OperatorLibraries libraries;  // for launches without a network
  // Memory that CPU operators of the current launch see.
  CpuEnvironment cpu;
  SentCommands sent;
  std::array<u64, 8> base_registers{};
  struct Attached {
    api::Observer* target;
    std::unique_ptr<Observer> adapter;
  };
  std::vector<Attached> observers;  // of the public API
};

// A block of device memory, or a view of one.
struct DeviceMemory {
  std::shared_ptr<OpenDevice> device;
  bmctx_t owner;
  uint64_t address, size;
  bmmem_t handle = nullptr;
  bmmem_t block = nullptr;                  // of a view: its block
  std::vector<bmmem_t> views;               // of a block
  std::shared_ptr<PlannedProgram> program;  // of a loaded command buffer
};

// A BMKernel context that belongs to one thread.
struct Kernel {
  explicit Kernel(const Chip& chip) : context(bmkernel::create_context(chip), bmk1880_cleanup) {}
  std::thread::id thread = std::this_thread::get_id();
  std::unique_ptr<bmk1880_context_t, void (*)(bmk1880_context_t*)> context;
};

struct Context {
  bmctx_t handle = nullptr;
  std::mutex mutex;
  std::shared_ptr<OpenDevice> device;  // null: unbound
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::unordered_set<bmmem_t> memories;
  std::unordered_set<bmnet_t> networks;
  u8* cmdbuf = nullptr;  // of bm_set_cmdbuf
};

struct Tables {
  Registry<bmdev_t, OpenDevice> devices{1};
  Registry<bmctx_t, Context> contexts{2};
  Registry<bmmem_t, DeviceMemory> memories{3};
  Registry<bmnet_t, Network> networks{4};
};
// Never destroyed: programs may close handles from their own static destructors.
Tables& tables();

// ---- Lookup: the object, or an error that names the argument ----
Result<std::shared_ptr<OpenDevice>> find_device(bmdev_t dev);
Result<std::shared_ptr<Context>> find_context(bmctx_t ctx);
// Returns the open device that a context is bound to.
Result<std::shared_ptr<OpenDevice>> bound_device(bmctx_t ctx);
Result<std::shared_ptr<Network>> find_network(bmnet_t net);
// Returns memory on the device of ctx.
Result<std::shared_ptr<DeviceMemory>> find_memory(bmctx_t ctx, bmmem_t mem,
                                                  std::string_view argument);

// ---- Memory ----
Result<bmmem_t> allocate(bmctx_t ctx, uint64_t bytes);
Result<bmmem_t> make_view(bmctx_t ctx, bmmem_t mem, uint64_t offset, uint64_t bytes);
Status release(bmctx_t ctx, bmmem_t mem);
// Ends a block with its views, or a view, for every owner.
void end_memory(const std::shared_ptr<DeviceMemory>& memory);
// Copies [offset, offset + bytes) of device memory.
Status copy_in(bmctx_t ctx, bmmem_t mem, const uint8_t* source, uint64_t offset, uint64_t bytes);
Status copy_out(bmctx_t ctx, bmmem_t mem, uint8_t* target, uint64_t offset, uint64_t bytes);

// ---- Launch ----
Result<std::shared_ptr<PlannedProgram>> decode(const OpenDevice& device,
                                               std::span<const uint8_t> buffer);
// As decode(), if the buffer was not sent before.
Result<std::shared_ptr<PlannedProgram>> decode_sent(OpenDevice& device,
                                                    std::span<const uint8_t> buffer);
// Runs a program and gives it the next sequence number. An error does not stick to the device.
// `commands` is its command buffer, for observers of the calls that issued its commands; `name` is
// the name of a network.
Status launch(OpenDevice& device, PlannedProgram& program, CpuEnvironment cpu = {},
              uint16_t* sequence = nullptr, std::span<const uint8_t> commands = {},
              std::string_view name = {});

// ---- Lifetime ----
Result<bmdev_t> open_device(int index);
Status destroy_context(bmctx_t ctx);
Status close_device(bmdev_t dev);

}  // namespace tputwin::rt
