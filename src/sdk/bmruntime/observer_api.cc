// <tputwin/device.h>: observers of the chip of a context.
#include <tputwin/device.h>

#include <algorithm>

#include "isa/text.h"
#include "sdk/bmruntime/api.h"
#include "sdk/bmruntime/state.h"

namespace tputwin::rt {
namespace {

uint64_t append_ranges(const std::vector<ByteRange>& ranges, bool written,
                       std::vector<api::Range>& list) {
  uint64_t bytes = 0;
  for (const ByteRange& r : ranges) {
    list.push_back({r.space == Space::local, written, r.lane, r.begin, r.end});
    bytes += r.end - r.begin;
  }
  return bytes;
}

api::Event make_event(const Instruction& instruction, const Footprint& footprint,
                      const Cost& cost) {
  api::Event event;
  event.name = name(instruction.op);
  event.text = isa::to_text(instruction);
  event.engine = static_cast<api::Engine>(instruction.engine);
  event.id = instruction.id;
  event.wait = instruction.wait;
  event.cycles = cost.cycles();
  event.operations = cost.macs;
  event.bytes_read = append_ranges(footprint.reads, false, event.ranges);
  event.bytes_written = append_ranges(footprint.writes, true, event.ranges);
  return event;
}

// Passes events of the machine to an observer of the public API.
class ObserverAdapter : public Observer {
 public:
  explicit ObserverAdapter(api::Observer* target) : target_(target) {}
  void on_instruction(const Instruction& instruction, const Footprint& footprint,
                      const Cost& cost) override {
    target_->on_instruction(make_event(instruction, footprint, cost));
  }

 private:
  api::Observer* target_;
};

// Calls function(OpenDevice&) under the lock of the device.
template <class Function>
bool on_device(std::string_view call, bmctx_t ctx, Function function) {
  return with_code(call, [&]() -> Status {
           TW_ASSIGN_OR_RETURN(device, bound_device(ctx));
           std::lock_guard lock(device->mutex);
           return function(*device);
         }) == BM_SUCCESS;
}

}  // namespace
}  // namespace tputwin::rt

namespace tputwin::api {

bool Device::add_observer(Observer* observer) {
  return rt::on_device("Device::add_observer", ctx_, [&](rt::OpenDevice& device) -> Status {
    TW_RETURN_IF_ERROR(rt::check_pointer(observer, "observer"));
    device.observers.push_back({observer, std::make_unique<rt::ObserverAdapter>(observer)});
    device.chip->observers().add(device.observers.back().adapter.get());
    return {};
  });
}

bool Device::remove_observer(Observer* observer) {
  return rt::on_device("Device::remove_observer", ctx_, [&](rt::OpenDevice& device) -> Status {
    std::erase_if(device.observers, [&](const auto& attached) {
      if (attached.target != observer) return false;
      device.chip->observers().remove(attached.adapter.get());
      return true;
    });
    return {};
  });
}

bool Device::set_schedule(Schedule schedule, uint64_t seed) {
  return rt::on_device("Device::set_schedule", ctx_, [&](rt::OpenDevice& device) -> Status {
    device.chip->set_schedule(static_cast<tputwin::Schedule>(schedule), seed);
    return {};
  });
}

bool Device::set_strict(bool strict) {
  return rt::on_device("Device::set_strict", ctx_, [&](rt::OpenDevice& device) -> Status {
    device.chip->errors().diagnostics().set_strict(strict);
    return {};
  });
}

}  // namespace tputwin::api
