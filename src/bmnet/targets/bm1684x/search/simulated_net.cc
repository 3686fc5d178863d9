// Runs of compiled nets.
#include "bmnet/targets/bm1684x/search/simulated_net.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bmnet/targets/bm1684x/target.h"
#include "host/operators.h"
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

// Runs the parts of a net with operators of the host. The host keeps the shapes that tensors have
// at run time.
class SubnetRun {
 public:
  SubnetRun(Device& device, const CompiledStream& net) : device_(device), net_(net) {}

  Status run() {
    for (const StreamSubnet& subnet : net_.subnets) {
      if (subnet.host.empty()) {
        TW_RETURN_IF_ERROR(run_command_group(device_, subnet.program));
      } else {
        TW_RETURN_IF_ERROR(run_host(subnet));
      }
    }
    return {};
  }
  uint64_t elements(const StreamTensor& t) const {
    return static_cast<uint64_t>(host::count(shape(t)));
  }

 private:
  host::Shape shape(const StreamTensor& t) const {
    const auto known = shapes_.find(t.name);
    return known == shapes_.end() ? t.shape : known->second;
  }

  // All its tensors are fp32.
  Status run_host(const StreamSubnet& subnet) {
    DeviceMemories& memory = device_.memories();
    std::vector<host::Array> in, out(subnet.outputs.size());
    std::vector<int64_t> capacity;
    for (const StreamTensor& t : subnet.inputs) {
      std::vector<float> values(elements(t));
      const size_t bytes = values.size() * sizeof(float);
      if (bytes != 0) std::memcpy(values.data(), memory.prepare_read(t.address, bytes), bytes);
      in.push_back({shape(t), std::move(values)});
    }
    for (const StreamTensor& t : subnet.outputs) capacity.push_back(host::count(t.shape));
    TW_ASSIGN_OR_RETURN(op, host::make_operator(subnet.host, in.size(), out.size()));
    TW_RETURN_IF_ERROR(host::run(op, in, out, capacity));
    for (size_t i = 0; i < out.size(); ++i) {
      const size_t bytes = out[i].size() * sizeof(float);
      if (bytes != 0)
        std::memcpy(memory.prepare_write(subnet.outputs[i].address, bytes), out[i].f32().data(),
                    bytes);
      shapes_[subnet.outputs[i].name] = out[i].shape;
    }
    return {};
  }

  Device& device_;
  const CompiledStream& net_;
  std::map<std::string, host::Shape> shapes_;
};

}  // namespace

SimulatedNet::SimulatedNet(const CompiledStream& net, std::unique_ptr<Device> device)
    : net_(net), device_(std::move(device)) {}
SimulatedNet::~SimulatedNet() = default;

Result<std::unique_ptr<SimulatedNet>> SimulatedNet::load(const CompiledStream& net) {
  TW_ASSIGN_OR_RETURN(device, Device::create({.chip = &net.target->chip}));
  if (!net.weights.empty())
    std::memcpy(device->memories().prepare_write(net.target->first_weight(), net.weights.size()),
                net.weights.data(), net.weights.size());
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
  SubnetRun subnets(*device_, net_);
  if (net_.subnets.empty()) {
    TW_RETURN_IF_ERROR(run_command_group(*device_, net_.program));
  } else {
    TW_RETURN_IF_ERROR(subnets.run());
  }
  Values outputs;
  for (const StreamTensor& t : net_.outputs) {
    std::vector<float>& values = outputs.emplace_back(subnets.elements(t));
    if (values.empty()) continue;
    const uint8_t* from = memory.prepare_read(t.address, values.size() * element_bytes(t.type));
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
