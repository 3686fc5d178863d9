// Launches of nets, executed on the card's thread.
#include "sdk/bmrt/launch.h"

#include <fmt/format.h>
#include <optional>

#include <algorithm>
#include <utility>

#include "base/last_error.h"
#include "insight/watch.h"
#include "sdk/bmrt/storage.h"

namespace tputwin::bmrt {
namespace {

uint64_t offset(const Device& device, const StageTensor& tensor) {
  return tensor.address - device.chip().global_base;
}

// Returns the address of the user's memory in the device; nullopt: it is memory of the host.
std::optional<uint64_t> device_address(Device& device, const UserTensor& user, uint64_t bytes) {
  const GlobalMemory& memory = device.memories().read_global();
  const uint64_t at =
      reinterpret_cast<uintptr_t>(user.memory) - reinterpret_cast<uintptr_t>(memory.data());
  return memory.contains(at, bytes) ? std::optional(at) : std::nullopt;
}

// Returns true if a tensor of `bytes` bytes in memory has no padding. Nothing reads padding, so
// that reads of a tensor with padding are not announced: its bytes may be undefined.
bool is_dense(const StageTensor& tensor, uint64_t bytes) {
  return bytes == stored_bytes(tensor.images(), tensor.elements(), tensor.bits(), BM_STORE_1N);
}

// Returns the bytes of a tensor for reading.
const uint8_t* for_reading(Device& device, const StageTensor& tensor) {
  const uint64_t at = offset(device, tensor), bytes = tensor.device_bytes();
  return is_dense(tensor, bytes) ? device.memories().prepare_read(at, bytes)
                                 : device.memories().read_global().data() + at;
}

// Notifies the device of a read or a write of the user's memory, for checks and for data derived
// from its bytes.
void prepare_read(Device& device, const UserTensor& user, uint64_t bytes) {
  if (const auto at = device_address(device, user, bytes))
    device.memories().prepare_read(*at, bytes);
}
uint8_t* for_writing(Device& device, const UserTensor& user, uint64_t bytes) {
  const auto at = device_address(device, user, bytes);
  return at ? device.memories().prepare_write(*at, bytes) : user.memory;
}

// Copies between the user's memory and the device's, whose layouts may differ.
void bring(uint8_t* to, const StageTensor& tensor, const UserTensor& user) {
  copy_stored(to, stored_as(*tensor.file), user.memory, user.storage, tensor.images(),
              tensor.elements(), tensor.bits());
}
void fetch(const UserTensor& user, const StageTensor& tensor, const uint8_t* from) {
  copy_stored(user.memory, user.storage, from, stored_as(*tensor.file), tensor.images(),
              tensor.elements(), tensor.bits());
}

// The tensors are in the memories of the stage; Stage::groups() has checked that.
Status run(Device& device, Stage& stage, const std::vector<UserTensor>& inputs,
           const std::vector<UserTensor>& outputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const StageTensor& tensor = stage.inputs()[i];
    if (const uint64_t bytes = tensor.bytes(inputs[i].storage); is_dense(tensor, bytes))
      prepare_read(device, inputs[i], bytes);
    bring(device.memories().prepare_write(offset(device, tensor), tensor.device_bytes()), tensor,
          inputs[i]);
  }
  TW_RETURN_IF_ERROR(stage.run(device));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const StageTensor& tensor = stage.outputs()[i];
    UserTensor to = outputs[i];
    to.memory = for_writing(device, to, tensor.bytes(to.storage));
    fetch(to, tensor, for_reading(device, tensor));
  }
  return {};
}

// The device of a stage, for a run of its subnets.
class StageDevice : public SubnetDevice {
 public:
  StageDevice(Device& device, Stage& stage) : device_(device), stage_(stage) {}

  uint8_t* place(const bmodel::bm168x::TensorT& tensor, bool to_write) override {
    const uint64_t address = stage_.place_of(tensor, to_write);
    return address == 0 ? nullptr : base() + (address - device_.chip().global_base);
  }
  void before_read(const uint8_t* bytes, uint64_t count, bool is_dense) override {
    const auto at = address_of(bytes, count);
    if (!at) return;
    if (is_dense)
      device_.memories().prepare_read(*at, count);
    else
      static_cast<void>(device_.memories().read_global());
  }
  void before_write(const uint8_t* bytes, uint64_t count) override {
    if (const auto at = address_of(bytes, count)) device_.memories().prepare_write(*at, count);
  }
  Status run_commands(size_t node) override { return stage_.run_subnet(device_, node); }

 private:
  uint8_t* base() { return device_.memories().prepare_write(0, 0); }
  // Returns the address of bytes in the device; nullopt: they are memory of the host.
  std::optional<uint64_t> address_of(const uint8_t* bytes, uint64_t count) {
    const uint64_t at = reinterpret_cast<uintptr_t>(bytes) - reinterpret_cast<uintptr_t>(base());
    const uint64_t all = device_.memories().global_bytes();
    return at < all && count <= all - at ? std::optional(at) : std::nullopt;
  }

  Device& device_;
  Stage& stage_;
};

// Notifies observers which bytes hold which tensor of the model.
void name_tensors(Device& device, Stage& stage) {
  const auto notify_tensor = [&](uint64_t address, uint64_t bytes, const std::string& name) {
    if (bytes == 0) return;
    device.observers().notify({.kind = DeviceEvent::Kind::tensor,
                               .address = address - device.chip().global_base,
                               .bytes = bytes,
                               .name = name});
  };
  const Region neurons = stage.memory().neurons();
  notify_tensor(neurons.address, neurons.bytes, "neuron memory");
  for (const auto& [name, address, bytes] : stage.memory().weights())
    notify_tensor(address, bytes, name);
  for (const StageTensor& tensor : stage.inputs())
    notify_tensor(tensor.address, tensor.device_bytes(), "input " + tensor.file->name);
  for (const StageTensor& tensor : stage.outputs())
    notify_tensor(tensor.address, tensor.device_bytes(), "output " + tensor.file->name);
}

Status run_launch(Device& device, Stage& stage, const std::vector<UserTensor>& inputs,
                  const std::vector<UserTensor>& outputs, std::vector<bm_shape_t>* shapes) {
  if (insight::is_watching()) name_tensors(device, stage);
  if (stage.subnets() == nullptr) return run(device, stage, inputs, outputs);
  StageDevice of_stage(device, stage);
  TW_ASSIGN_OR_RETURN(written, run_subnets(*stage.subnets(), of_stage, inputs, outputs));
  if (shapes != nullptr) *shapes = std::move(written);
  return {};
}

}  // namespace

Result<std::shared_ptr<bmlib::Launch>> make_launch(const Net& net, Stage& stage,
                                                   std::vector<UserTensor> inputs,
                                                   std::vector<UserTensor> outputs,
                                                   std::vector<bm_shape_t>* shapes) {
  TW_RETURN_IF_ERROR(stage.groups().status());
  auto launch = std::make_shared<bmlib::Launch>();
  launch->kind = "net";
  launch->name = net.name();
  launch->run = [&stage, shapes, inputs = std::move(inputs),
                 outputs = std::move(outputs)](Device& device) {
    Diagnostics& record = thread_diagnostics();
    record.clear();
    Status status = run_launch(device, stage, inputs, outputs, shapes);
    okk::Outcome outcome;
    if (!status.ok()) outcome.error = status.error();
    outcome.warnings = record.warnings();
    device.errors().clear();
    device.errors().diagnostics().clear();
    record.clear();
    return outcome;
  };
  return launch;
}

}  // namespace tputwin::bmrt
