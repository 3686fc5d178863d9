// Runs of compiled nets.
#include "bmnet/targets/bm1684x/search/simulated_net.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/errors/bmnet.h"
#include "bmnet/targets/bm1684x/target.h"
#include "machine/command_group.h"
#include "numerics/float16.h"
#include "numerics/float_mode.h"

namespace tputwin::net::bm1684x {
namespace {

uint32_t bits_of(float value, const StreamTensor& t) {
  if (element_bytes(t.type) > 1) return float_bits(value, t.type);
  const float least = t.type == DType::i8 ? -128.0f : 0.0f;
  const float most = t.type == DType::i8 ? 127.0f : 255.0f;
  const float rounded = std::clamp(std::round(value / t.scale), least, most);
  return static_cast<uint32_t>(static_cast<int>(rounded));
}

float value_of(uint32_t bits, const StreamTensor& t) {
  if (t.type == DType::i8) return t.scale * static_cast<float>(static_cast<int8_t>(bits));
  if (t.type == DType::u8) return t.scale * static_cast<float>(bits);
  return float_value(bits, t.type);
}

}  // namespace

SimulatedNet::SimulatedNet(const CompiledStream& net, std::unique_ptr<Device> device)
    : net_(net), device_(std::move(device)) {}
SimulatedNet::~SimulatedNet() = default;

Result<std::unique_ptr<SimulatedNet>> SimulatedNet::load(const CompiledStream& net) {
  const auto host =
      std::ranges::find_if(net.subnets, [](const auto& s) { return !s.host.empty(); });
  if (host != net.subnets.end())
    return Error(errors::net_target)
        .argument("operator", host->host)
        .detail(
            "nets with operators of the host are not run during calibration: calibrate without "
            "--chip, with --no-equalize and --no-bias-correction");
  TW_ASSIGN_OR_RETURN(device, Device::create({.chip = &chip()}));
  if (!net.weights.empty())
    std::memcpy(device->memories().prepare_write(0, net.weights.size()), net.weights.data(),
                net.weights.size());
  return std::unique_ptr<SimulatedNet>(new SimulatedNet(net, std::move(device)));
}

Result<Values> SimulatedNet::run(const std::vector<std::span<const float>>& inputs) {
  const ScopedFloatMode mode;
  DeviceMemories& memory = device_->memories();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const StreamTensor& t = net_.inputs[i];
    uint8_t* to = memory.prepare_write(t.address, t.bytes);
    for (const float value : inputs[i]) {
      const uint32_t bits = bits_of(value, t);
      std::memcpy(to, &bits, element_bytes(t.type));
      to += element_bytes(t.type);
    }
  }
  TW_RETURN_IF_ERROR(run_command_group(*device_, net_.program));
  Values outputs;
  for (const StreamTensor& t : net_.outputs) {
    std::vector<float>& values = outputs.emplace_back(t.bytes / element_bytes(t.type));
    const uint8_t* from = memory.prepare_read(t.address, t.bytes);
    for (float& value : values) {
      uint32_t bits = 0;
      std::memcpy(&bits, from, element_bytes(t.type));
      value = value_of(bits, t);
      from += element_bytes(t.type);
    }
  }
  return outputs;
}

}  // namespace tputwin::net::bm1684x
