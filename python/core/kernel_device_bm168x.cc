// A card of bmlib that no device id refers to.
#include <bmlib_runtime.h>

#include <algorithm>

#include "core/kernel_device.h"
#include "sdk/bmlib/api.h"

namespace tputwin::python {
namespace {

class CardDevice final : public KernelDevice {
 public:
  Status open(const Chip& chip, const KernelDeviceOptions& options) {
    TW_ASSIGN_OR_RETURN(card, bmlib::Card::create(chip));
    card_ = card;
    handle_ = bmlib::open_handle(card);
    TW_ASSIGN_OR_RETURN(checker, check(card->device(), options.checks));
    checker_ = std::move(checker);
    if (checker_) card->watch(nullptr, checker_.get());
    if (options.reference) card->set_kernel_choice(KernelChoice::reference);
    card->set_schedule(options.schedule, options.seed);
    return {};
  }

  ~CardDevice() override {
    if (card_ == nullptr) return;
    watch(nullptr);
    if (checker_) {
      card_->exclusively([&] { card_->notify({.kind = DeviceEvent::Kind::closed}); });
      card_->watch(checker_.get(), nullptr);
    }
    static_cast<void>(bmlib::close_handle(handle_));
  }

  const Device& device() const override { return card_->device(); }

  Status launch(const std::string& name, AnyKernel kernel,
                std::span<const uint8_t> arguments) override {
    const auto function = reinterpret_cast<okk::KernelFunction>(kernel);
    return bmlib::launch_sync(
        handle_, bmlib::make_launch(name, function, arguments.data(), arguments.size()));
  }

  void watch(Observer* observer) override {
    card_->watch(observer_, observer);
    observer_ = observer;
  }

 protected:
  Result<uint64_t> allocate_block(uint64_t bytes) override {
    return card_->exclusively([&] { return card_->allocate(bytes, 0); });
  }
  Status free_block(uint64_t address) override {
    return card_->exclusively([&] { return card_->free(address); });
  }
  Status write_block(uint64_t block, uint64_t offset, std::span<const uint8_t> bytes) override {
    card_->exclusively(
        [&] { std::ranges::copy(bytes, card_->mark_written(at(block, offset), bytes.size())); });
    return {};
  }
  Status read_block(uint64_t block, uint64_t offset, std::span<uint8_t> bytes) override {
    card_->exclusively([&] {
      card_->notify({.kind = DeviceEvent::Kind::host_read,
                     .address = at(block, offset),
                     .bytes = bytes.size()});
      std::copy_n(card_->memory() + at(block, offset), bytes.size(), bytes.data());
    });
    return {};
  }

 private:
  uint64_t at(uint64_t block, uint64_t offset) const { return block - chip().global_base + offset; }

  std::shared_ptr<bmlib::Card> card_;
  bm_handle_t handle_ = nullptr;
  std::unique_ptr<Observer> checker_;
};

}  // namespace

Result<std::unique_ptr<KernelDevice>> open_bm168x(const Chip& chip,
                                                  const KernelDeviceOptions& options) {
  auto device = std::make_unique<CardDevice>();
  TW_RETURN_IF_ERROR(device->open(chip, options));
  return std::unique_ptr<KernelDevice>(std::move(device));
}

}  // namespace tputwin::python
