// Launches of nets, as the card's thread carries them out.
#include "sdk/bmrt/launch.h"

#include <utility>

#include "base/last_error.h"
#include "sdk/bmrt/storage.h"

namespace tputwin::bmrt {
namespace {

uint8_t* place(Device& device, const StageTensor& tensor) {
  return device.global().data() + (tensor.address - device.chip().global_base);
}

// The tensors lie in the memories of the stage, which Stage::groups() has checked.
Status run(Device& device, Stage& stage, const std::vector<UserTensor>& inputs,
           const std::vector<UserTensor>& outputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const StageTensor& tensor = stage.inputs()[i];
    copy_stored(place(device, tensor), tensor.storage(), inputs[i].memory, inputs[i].storage,
                tensor.images(), tensor.elements(), tensor.bits());
  }
  TW_RETURN_IF_ERROR(stage.run(device));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const StageTensor& tensor = stage.outputs()[i];
    copy_stored(outputs[i].memory, outputs[i].storage, place(device, tensor), tensor.storage(),
                tensor.images(), tensor.elements(), tensor.bits());
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<bmlib::Launch>> make_launch(const Net& net, Stage& stage,
                                                   std::vector<UserTensor> inputs,
                                                   std::vector<UserTensor> outputs) {
  TW_RETURN_IF_ERROR(stage.groups().status());
  auto launch = std::make_shared<bmlib::Launch>();
  launch->name = net.name();
  launch->run = [&stage, inputs = std::move(inputs), outputs = std::move(outputs)](Device& device) {
    Diagnostics& record = thread_diagnostics();
    record.clear();
    Status status = run(device, stage, inputs, outputs);
    okk::Outcome outcome;
    if (!status.ok()) outcome.error = status.error();
    outcome.warnings = record.warnings();
    device.clear_error();
    device.diagnostics().clear();
    record.clear();
    return outcome;
  };
  return launch;
}

}  // namespace tputwin::bmrt
