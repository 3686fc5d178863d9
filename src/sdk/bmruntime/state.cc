// The tables of handles, and the rules of ranges in device memory.
#include "sdk/bmruntime/state.h"

#include <algorithm>

#include "base/copy_run.h"
#include "base/errors/bmruntime.h"
#include "chip/family.h"
#include "isa/bm1880_codec.h"
#include "sdk/bmruntime/api.h"
#include "sdk/bmruntime/network.h"

namespace tputwin::rt {

Tables& tables() {
  static auto& instance = *new Tables;
  return instance;
}

OpenDevice::OpenDevice(int device_index, std::unique_ptr<Device> simulated)
    : index(device_index),
      chip(std::move(simulated)),
      allocator(chip->chip().global_alloc_base, chip->memories().global_bytes(),
                chip->chip().global_alloc_quantum) {
  watchers = insight::watch(*chip);
  chip->set_cpu_host(
      [this](const CpuCall& call, Device& device) { return run_cpu_operator(call, device, cpu); });
}

namespace {

template <class Handle, class T>
Result<std::shared_ptr<T>> find(const Registry<Handle, T>& registry, Handle handle,
                                std::string_view argument) {
  if (handle == nullptr) return Error(errors::bmr_null).argument(argument, "NULL");
  if (auto object = registry.find(handle)) return object;
  auto id = registry.issued(handle) ? errors::bmr_handle_ended : errors::bmr_handle_unknown;
  return Error(id).argument(argument, fmt::format("{}", static_cast<const void*>(handle)));
}

}  // namespace

Result<std::shared_ptr<OpenDevice>> find_device(bmdev_t dev) {
  return find(tables().devices, dev, "dev");
}

Result<std::shared_ptr<Context>> find_context(bmctx_t ctx) {
  return find(tables().contexts, ctx, "ctx");
}

Result<std::shared_ptr<Network>> find_network(bmnet_t net) {
  return find(tables().networks, net, "net");
}

Result<std::shared_ptr<OpenDevice>> bound_device(bmctx_t ctx) {
  TW_ASSIGN_OR_RETURN(context, find_context(ctx));
  std::lock_guard lock(context->mutex);
  if (context->device == nullptr || context->device->closed) return Error(errors::bmr_not_bound);
  return context->device;
}

Result<std::shared_ptr<DeviceMemory>> find_memory(bmctx_t ctx, bmmem_t mem,
                                                  std::string_view argument) {
  TW_ASSIGN_OR_RETURN(device, bound_device(ctx));
  TW_ASSIGN_OR_RETURN(memory, find(tables().memories, mem, argument));
  if (memory->device != device)
    return Error(errors::bmr_memory_foreign)
        .argument(argument, fmt::format("{}", static_cast<const void*>(mem)));
  return memory;
}

// ---- Memory ----

namespace {

Result<bmmem_t> add_memory(DeviceMemory fields) {
  TW_ASSIGN_OR_RETURN(context, find_context(fields.owner));
  auto memory = std::make_shared<DeviceMemory>(std::move(fields));
  memory->handle = tables().memories.add(memory);
  std::lock_guard lock(context->mutex);
  context->memories.insert(memory->handle);
  return memory->handle;
}

// Removes a handle from the tables and from its owner.
void forget(bmmem_t handle) {
  auto memory = tables().memories.remove(handle);
  if (memory == nullptr) return;
  auto owner = tables().contexts.find(memory->owner);
  if (owner == nullptr) return;
  std::lock_guard lock(owner->mutex);
  owner->memories.erase(handle);
}

std::string describe_range(uint64_t offset, uint64_t bytes, const DeviceMemory& memory) {
  return fmt::format("[{:#x}, +{:#x}) of {:#x} bytes", offset, bytes, memory.size);
}

Status check_range(const DeviceMemory& memory, uint64_t offset, uint64_t bytes) {
  if (offset <= memory.size && bytes <= memory.size - offset) return {};
  return Error(errors::bmr_memory_range).argument("range", describe_range(offset, bytes, memory));
}

}  // namespace

Result<bmmem_t> allocate(bmctx_t ctx, uint64_t bytes) {
  TW_ASSIGN_OR_RETURN(device, bound_device(ctx));
  if (bytes == 0) return Error(errors::bmr_memory_size).argument("size", "0");
  std::optional<uint64_t> address;
  {
    std::lock_guard lock(device->mutex);
    address = device->allocator.allocate(bytes);
    if (address)
      device->chip->observers().notify(
          {.kind = DeviceEvent::Kind::allocated, .address = *address, .bytes = bytes});
  }
  if (!address) return Error(errors::bmr_memory_full).argument("size", fmt::format("{:#x}", bytes));
  return add_memory({.device = device, .owner = ctx, .address = *address, .size = bytes});
}

Result<bmmem_t> make_view(bmctx_t ctx, bmmem_t mem, uint64_t offset, uint64_t bytes) {
  TW_ASSIGN_OR_RETURN(whole, find_memory(ctx, mem, "mem"));
  if (bytes == 0) return Error(errors::bmr_memory_size).argument("size", "0");
  TW_RETURN_IF_ERROR(check_range(*whole, offset, bytes));
  bmmem_t block = whole->block != nullptr ? whole->block : mem;
  TW_ASSIGN_OR_RETURN(view, add_memory({.device = whole->device,
                                        .owner = ctx,
                                        .address = whole->address + offset,
                                        .size = bytes,
                                        .block = block}));
  if (auto owner = tables().memories.find(block)) {
    std::lock_guard lock(owner->device->mutex);
    owner->views.push_back(view);
  }
  return view;
}

void end_memory(const std::shared_ptr<DeviceMemory>& memory) {
  forget(memory->handle);
  auto block = memory->block != nullptr ? tables().memories.find(memory->block) : nullptr;
  std::vector<bmmem_t> views;
  {
    std::lock_guard lock(memory->device->mutex);
    if (memory->block == nullptr) {
      memory->device->chip->observers().notify(
          {.kind = DeviceEvent::Kind::freed, .address = memory->address});
      memory->device->allocator.release(memory->address, memory->size);
      memory->device->chip->memories().cover_global(memory->address, memory->size);
    } else if (block != nullptr)
      std::erase(block->views, memory->handle);
    views.swap(memory->views);
  }
  for (bmmem_t view : views) forget(view);
}

Status release(bmctx_t ctx, bmmem_t mem) {
  TW_ASSIGN_OR_RETURN(memory, find_memory(ctx, mem, "mem"));
  end_memory(memory);
  return {};
}

Status copy_in(bmctx_t ctx, bmmem_t mem, const uint8_t* source, uint64_t offset, uint64_t bytes) {
  TW_ASSIGN_OR_RETURN(memory, find_memory(ctx, mem, "dst"));
  TW_RETURN_IF_ERROR(check_pointer(source, "src"));
  TW_RETURN_IF_ERROR(check_range(*memory, offset, bytes));
  std::lock_guard lock(memory->device->mutex);
  Device& chip = *memory->device->chip;
  copy_run(chip.memories().prepare_write(memory->address + offset, bytes), source, bytes);
  memory->program.reset();  // the copy overwrites a loaded program
  return {};
}

Status copy_out(bmctx_t ctx, bmmem_t mem, uint8_t* target, uint64_t offset, uint64_t bytes) {
  TW_ASSIGN_OR_RETURN(memory, find_memory(ctx, mem, "src"));
  TW_RETURN_IF_ERROR(check_pointer(target, "dst"));
  TW_RETURN_IF_ERROR(check_range(*memory, offset, bytes));
  std::lock_guard lock(memory->device->mutex);
  copy_run(target, memory->device->chip->memories().prepare_read(memory->address + offset, bytes),
           bytes);
  return {};
}

// ---- Launch ----

Result<std::shared_ptr<PlannedProgram>> decode(const OpenDevice& device,
                                               std::span<const uint8_t> buffer) {
  TW_ASSIGN_OR_RETURN(program, isa::decode_program(buffer, device.chip->chip()));
  return std::make_shared<PlannedProgram>(std::move(program));
}

Result<std::shared_ptr<PlannedProgram>> SentCommands::plan(std::span<const uint8_t> buffer,
                                                           const Chip& chip) {
  for (auto sent = sent_.begin(); sent != sent_.end(); ++sent) {
    if (!std::ranges::equal(sent->bytes, buffer)) continue;
    std::rotate(sent, sent + 1, sent_.end());
    return sent_.back().plan;
  }
  TW_ASSIGN_OR_RETURN(program, isa::decode_program(buffer, chip));
  if (sent_.size() == kMost) sent_.erase(sent_.begin());
  sent_.push_back(
      {{buffer.begin(), buffer.end()}, std::make_shared<PlannedProgram>(std::move(program))});
  return sent_.back().plan;
}

Result<std::shared_ptr<PlannedProgram>> decode_sent(OpenDevice& device,
                                                    std::span<const uint8_t> buffer) {
  std::lock_guard lock(device.mutex);
  return device.sent.plan(buffer, device.chip->chip());
}

Status launch(OpenDevice& device, PlannedProgram& program, CpuEnvironment cpu, uint16_t* sequence,
              std::span<const uint8_t> commands, std::string_view name) {
  std::lock_guard lock(device.mutex);
  if (cpu.libraries == nullptr) cpu.libraries = &device.libraries;
  device.cpu = cpu;
  device.chip->observers().notify({.kind = DeviceEvent::Kind::launch_begin, .name = name});
  device.chip->observers().notify({.kind = DeviceEvent::Kind::commands, .commands = commands});
  Status status = device.chip->run(program);
  device.chip->observers().notify({.kind = DeviceEvent::Kind::launch_end});
  device.chip->errors().clear();
  auto number = static_cast<uint16_t>(++device.launches);
  if (status.ok())
    device.failed.erase(number);
  else
    device.failed.insert(number);
  if (sequence != nullptr) *sequence = number;
  return status;
}

// ---- Lifetime ----

namespace {

// Frees the objects of a context on its device: networks, memory, kernels.
void release_holdings(Context& context) {
  std::unordered_set<bmmem_t> memories;
  std::unordered_set<bmnet_t> networks;
  std::vector<std::unique_ptr<Kernel>> kernels;
  {
    std::lock_guard lock(context.mutex);
    networks.swap(context.networks);
    kernels.swap(context.kernels);
  }
  for (bmnet_t net : networks) (void)cleanup_network(net);
  {
    std::lock_guard lock(context.mutex);
    memories.swap(context.memories);
  }
  for (bmmem_t mem : memories)
    if (auto memory = tables().memories.find(mem)) end_memory(memory);
}

}  // namespace

Result<bmdev_t> open_device(int index) {
  TW_ASSIGN_OR_RETURN(chip, Device::create({.chip = &chip_of_process(ChipFamily::bm1880)}));
  auto device = std::make_shared<OpenDevice>(index, std::move(chip));
  device->handle = tables().devices.add(device);
  return device->handle;
}

Status destroy_context(bmctx_t ctx) {
  TW_ASSIGN_OR_RETURN(context, find_context(ctx));
  release_holdings(*context);
  tables().contexts.remove(ctx);
  return {};
}

Status close_device(bmdev_t dev) {
  TW_ASSIGN_OR_RETURN(device, find_device(dev));
  for (const auto& context : tables().contexts.all()) {
    {
      std::lock_guard lock(context->mutex);
      if (context->device != device) continue;
    }
    release_holdings(*context);
    std::lock_guard lock(context->mutex);
    context->device.reset();
  }
  device->closed = true;
  tables().devices.remove(dev);
  return {};
}

}  // namespace tputwin::rt
