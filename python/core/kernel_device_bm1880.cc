// A context of BMRuntime on its own device. Kernels are functions of a BMKernel context.
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmkernel.h>

#include "base/last_error.h"
#include "core/kernel_device.h"
#include "sdk/bmruntime/state.h"

namespace tputwin::python {
namespace {

// Returns the last error of this thread, for calls that return no status.
Status status_of_thread() {
  auto error = thread_diagnostics().first_error();
  return error ? Status(*error) : Status();
}

class ContextDevice final : public KernelDevice {
 public:
  Status open(const KernelDeviceOptions& options) {
    thread_diagnostics().clear();
    if (bm_init(0, &context_) != BM_SUCCESS) return status_of_thread();
    TW_ASSIGN_OR_RETURN(bound, rt::bound_device(context_));
    bound_ = bound;
    Device& device = *bound_->chip;
    TW_ASSIGN_OR_RETURN(checker, check(device, options.checks));
    checker_ = std::move(checker);
    if (checker_) device.observers().add(checker_.get());
    if (options.reference) device.set_kernel_choice(KernelChoice::reference);
    device.set_schedule(options.schedule, options.seed);
    return {};
  }

  ~ContextDevice() override {
    if (bound_ == nullptr) return;
    watch(nullptr);
    if (checker_) {
      bound_->chip->observers().notify({.kind = DeviceEvent::Kind::closed});
      bound_->chip->observers().remove(checker_.get());
    }
    bm_exit(context_);
  }

  const Device& device() const override { return *bound_->chip; }

  Status launch(const std::string& name, AnyKernel kernel,
                std::span<const uint8_t> arguments) override {
    thread_diagnostics().clear();
    void* commands = nullptr;
    if (bmruntime_bmkernel_create(context_, &commands) != BM_SUCCESS) return status_of_thread();
    notify({.kind = DeviceEvent::Kind::launch_begin, .number = ++launches_, .name = name});
    reinterpret_cast<void (*)(void*, const void*)>(kernel)(commands, arguments.data());
    bmruntime_bmkernel_submit(context_);
    notify({.kind = DeviceEvent::Kind::launch_end});
    Status status = status_of_thread();
    bmruntime_bmkernel_destroy(context_);
    return status;
  }

  void watch(Observer* observer) override {
    std::lock_guard lock(bound_->mutex);
    if (observer_ != nullptr) bound_->chip->observers().remove(observer_);
    if (observer != nullptr) bound_->chip->observers().add(observer);
    observer_ = observer;
  }

 protected:
  Result<uint64_t> allocate_block(uint64_t bytes) override {
    TW_ASSIGN_OR_RETURN(memory, rt::allocate(context_, bytes));
    TW_ASSIGN_OR_RETURN(block, rt::find_memory(context_, memory, "memory"));
    memories_[block->address] = memory;
    return block->address;
  }
  Status free_block(uint64_t address) override {
    return rt::release(context_, memories_.extract(address).mapped());
  }
  Status write_block(uint64_t block, uint64_t offset, std::span<const uint8_t> bytes) override {
    return rt::copy_in(context_, memories_.at(block), bytes.data(), offset, bytes.size());
  }
  Status read_block(uint64_t block, uint64_t offset, std::span<uint8_t> bytes) override {
    return rt::copy_out(context_, memories_.at(block), bytes.data(), offset, bytes.size());
  }

 private:
  // Notifies the observer only: the checks know no launches of this chip.
  void notify(const DeviceEvent& event) {
    if (observer_ != nullptr) observer_->on_event(event);
  }

  bmctx_t context_ = nullptr;
  std::shared_ptr<rt::OpenDevice> bound_;
  std::map<uint64_t, bmmem_t> memories_;
  std::unique_ptr<Observer> checker_;
  uint64_t launches_ = 0;
};

}  // namespace

Result<std::unique_ptr<KernelDevice>> open_bm1880(const Chip&, const KernelDeviceOptions& options) {
  auto device = std::make_unique<ContextDevice>();
  TW_RETURN_IF_ERROR(device->open(options));
  return std::unique_ptr<KernelDevice>(std::move(device));
}

}  // namespace tputwin::python
