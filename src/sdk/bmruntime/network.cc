// Memory, programs and CPU operators of a registered model, and inference.
#include "sdk/bmruntime/network.h"

#include <algorithm>
#include <cstring>

#include "base/errors/bmruntime.h"
#include "chip/chip.h"
#include "insight/origins.h"
#include "insight/watch.h"
#include "isa/bm1880_codec.h"
#include "sdk/bmruntime/api.h"

namespace tputwin::rt {
namespace {

// Shapes of a file have one to four extents. Those of the API have four; missing leading extents
// are 1.
shape_t to_shape(std::span<const uint32_t> extents) {
  std::array<int, 4> nchw{1, 1, 1, 1};
  for (size_t i = 0; i < extents.size() && i < 4; ++i)
    nchw[4 - extents.size() + i] = static_cast<int>(extents[i]);
  return shape_t4(nchw[0], nchw[1], nchw[2], nchw[3]);
}

bool same_extents(const shape_t& a, const shape_t& b) {
  return a.n == b.n && a.c == b.c && a.h == b.h && a.w == b.w;
}

uint64_t count(const shape_t& s) { return uint64_t{s.n} * s.c * s.h * s.w; }

std::string describe(std::span<const shape_t> shapes) {
  std::string text;
  for (const shape_t& s : shapes)
    text += fmt::format("{}({},{},{},{})", text.empty() ? "" : " ", s.n, s.c, s.h, s.w);
  return text;
}

}  // namespace

VarietyInfo::VarietyInfo(const bmodel::Variety& variety) {
  for (const auto& in : variety.inputs) {
    input_shapes.push_back(to_shape(in.shape));
    input_thresholds.push_back(in.threshold);
    input_sizes.push_back(in.bytes());
    input_fmts.push_back(in.fmt);
  }
  for (const auto& out : variety.outputs) {
    output_shapes.push_back(to_shape(out.shape));
    output_thresholds.push_back(out.threshold);
    output_sizes.push_back(out.bytes());
    output_fmts.push_back(out.fmt);
    names.push_back(out.name);
  }
  for (auto& name : names) name_pointers.push_back(name.data());
  input = {.input_size = variety.input_bytes(),
           .input_num = input_shapes.size(),
           .shape_array = input_shapes.data(),
           .threshold_array = input_thresholds.data(),
           .size_array = input_sizes.data(),
           .fmt_array = input_fmts.data()};
  output = {.output_size = variety.output_bytes(),
            .output_num = output_shapes.size(),
            .name_array = name_pointers.data(),
            .shape_array = output_shapes.data(),
            .threshold_array = output_thresholds.data(),
            .size_array = output_sizes.data(),
            .fmt_array = output_fmts.data()};
}

Network::Network(bmctx_t ctx, bmodel::Model model, bool has_shape)
    : context_(ctx),
      model_(std::move(model)),
      has_shape_(has_shape),
      libraries_(model_.libraries),
      weights_(std::max<size_t>(1, model_.weights.size())),
      prepared_(model_.varieties.size()) {
  for (const auto& variety : model_.varieties) {
    infos_.push_back(std::make_unique<VarietyInfo>(variety));
    input_infos_.push_back(infos_.back()->input);
    output_infos_.push_back(infos_.back()->output);
  }
  model_info_ = {.net_name = model_.name.data(),
                 .chip = model_.chip,
                 .command_num = static_cast<uint32_t>(model_.varieties.size()),
                 .input_info_array = input_infos_.data(),
                 .output_info_array = output_infos_.data()};
  if (model_.varieties.size() == 1) selected_ = 0;
}

Result<bmnet_t> Network::add(bmctx_t ctx, bmodel::Model model, Memories memories, bool has_shape) {
  TW_ASSIGN_OR_RETURN(device, bound_device(ctx));
  if (model.chip != device->chip->chip().version)
    return Error(errors::bmr_net_chip).argument("chip", fmt::format("{}", model.chip));
  std::shared_ptr<Network> network(new Network(ctx, std::move(model), has_shape));
  network->device_ = device;
  if (memories == Memories::own) {
    Status status = network->allocate_memories();
    for (size_t i = 0; status.ok() && i < network->prepared_.size(); ++i)
      status = network->prepare(i);
    if (!status.ok()) {
      network->release();
      return status;
    }
  } else {
    network->commands_stale_ = true;
  }
  bmnet_t handle = tables().networks.add(network);
  if (auto context = tables().contexts.find(ctx)) {
    std::lock_guard lock(context->mutex);
    context->networks.insert(handle);
  }
  return handle;
}

// The varieties share the weights; neuron memory has the size of the largest variety.
Status Network::allocate_memories() {
  for (size_t i = 0; i < model_.weights.size(); ++i) {
    // stored on the chip from now on
    const std::vector<uint8_t> blob = std::move(model_.weights[i]);
    if (blob.empty()) continue;
    TW_ASSIGN_OR_RETURN(memory, allocate(context_, blob.size()));
    weights_[i] = {memory, true};
    TW_RETURN_IF_ERROR(copy_in(context_, memory, blob.data(), 0, blob.size()));
  }
  uint64_t bytes = 0;
  for (const auto& variety : model_.varieties) bytes = std::max(bytes, variety.neuron_size);
  if (bytes == 0) return {};
  TW_ASSIGN_OR_RETURN(memory, allocate(context_, bytes));
  neuron_ = {memory, true};
  return {};
}

void Network::release() {
  auto end = [](bmmem_t handle) {
    if (auto memory = tables().memories.find(handle)) end_memory(memory);
  };
  for (auto& variety : prepared_) end(variety.input), end(variety.output);
  for (Block& block : weights_)
    if (block.own) end(block.memory);
  if (neuron_.own) end(neuron_.memory);
}

// ---- Shapes ----

bool Network::matches(const bmodel::Variety& variety, std::span<const shape_t> shapes) const {
  if (variety.inputs.size() != shapes.size()) return false;
  for (size_t i = 0; i < shapes.size(); ++i) {
    bool equal = has_shape_ ? same_extents(to_shape(variety.inputs[i].shape), shapes[i])
                            : count(shapes[i]) == variety.inputs[i].bytes();
    if (!equal) return false;
  }
  return true;
}

Error Network::unknown_shape(std::span<const shape_t> shapes) const {
  std::string known;
  for (const auto& info : infos_)
    known += (known.empty() ? "" : ", ") + describe(info->input_shapes);
  return Error(errors::bmr_net_shape)
      .argument("input_shape", describe(shapes))
      .detail("the network was compiled for " + known);
}

Status Network::select(std::span<const shape_t> shapes) {
  for (size_t i = 0; i < model_.varieties.size(); ++i) {
    if (!matches(model_.varieties[i], shapes)) continue;
    selected_ = i;
    if (!has_shape_) std::ranges::copy(shapes, infos_[i]->input_shapes.begin());
    return {};
  }
  return unknown_shape(shapes);
}

Result<size_t> Network::selected() const {
  if (selected_) return *selected_;
  return Error(errors::bmr_net_unselected);
}

// ---- Memory ----

uint64_t Network::weight_bytes(size_t variety) const {
  return model_.weight_of(model_.varieties[variety]).size();
}

Status Network::replace(Block& block, bmmem_t memory, uint64_t bytes) {
  TW_ASSIGN_OR_RETURN(imported, find_memory(context_, memory, "memory"));
  if (imported->size < bytes)
    return Error(errors::bmr_net_memory)
        .argument("size", fmt::format("{:#x}", imported->size))
        .detail(fmt::format("the network needs {:#x}", bytes));
  if (block.own)
    if (auto old = tables().memories.find(block.memory)) end_memory(old);
  block = {memory, false};
  commands_stale_ = true;
  return {};
}

Status Network::import_weight(bmmem_t memory) {
  size_t variety = selected_or_first();
  return replace(weight_block(variety), memory, weight_bytes(variety));
}

Status Network::import_neuron(bmmem_t memory) {
  uint64_t bytes = 0;
  for (const auto& variety : model_.varieties) bytes = std::max(bytes, variety.neuron_size);
  for (auto& variety : prepared_) {
    for (bmmem_t* view : {&variety.input, &variety.output}) {
      if (auto old = tables().memories.find(*view)) end_memory(old);
      *view = nullptr;
    }
  }
  return replace(neuron_, memory, bytes);
}

Status Network::load_commands(std::span<const uint8_t> commands) {
  TW_ASSIGN_OR_RETURN(index, selected());
  model_.varieties[index].cmdbuf.assign(commands.begin(), commands.end());
  model_.varieties[index].layers = {};  // they described other commands
  for (auto& variety : prepared_) variety.program.reset();
  TW_RETURN_IF_ERROR(prepare(index));
  commands_stale_ = false;
  return {};
}

// Relocates a copy of the commands to the current memory and decodes it.
Status Network::prepare(size_t index) {
  const auto& variety = model_.varieties[index];
  uint64_t neuron = 0, weight = 0;
  if (neuron_.memory != nullptr) {
    TW_ASSIGN_OR_RETURN(memory, find_memory(context_, neuron_.memory, "neuron memory"));
    neuron = memory->address;
  }
  if (bmmem_t handle = weight_block(index).memory; handle != nullptr) {
    TW_ASSIGN_OR_RETURN(memory, find_memory(context_, handle, "weight memory"));
    weight = memory->address;
  }
  auto commands = variety.cmdbuf;
  TW_RETURN_IF_ERROR(isa::relocate(commands, neuron, weight));
  TW_ASSIGN_OR_RETURN(program, decode(*device_, commands));
  prepared_[index].program = std::move(program);
  if (!insight::is_watching()) return {};
  insight::Layers::of_process().add(commands, variety.layers);
  prepared_[index].commands = std::move(commands);
  return {};
}

Result<bmmem_t> Network::weight_memory() {
  bmmem_t memory = weight_block(selected_or_first()).memory;
  if (memory != nullptr) return memory;
  return Error(errors::bmr_net_unloaded).detail("there is no weight memory");
}

Result<bmmem_t> Network::neuron_memory() const {
  if (neuron_.memory != nullptr) return neuron_.memory;
  return Error(errors::bmr_net_unloaded).detail("there is no neuron memory");
}

Result<bmmem_t> Network::view(bmmem_t& cached, uint64_t offset, uint64_t bytes) {
  if (tables().memories.find(cached) != nullptr) return cached;
  TW_ASSIGN_OR_RETURN(neuron, neuron_memory());
  TW_ASSIGN_OR_RETURN(view, make_view(context_, neuron, offset, bytes));
  cached = view;
  return view;
}

Result<bmmem_t> Network::input_memory() {
  TW_ASSIGN_OR_RETURN(index, selected());
  uint64_t begin = UINT64_MAX, end = 0;
  for (const auto& in : model_.varieties[index].inputs) {
    begin = std::min(begin, in.offset);
    end = std::max(end, in.offset + in.bytes());
  }
  return view(prepared_[index].input, std::min(begin, end), end - std::min(begin, end));
}

Result<bmmem_t> Network::output_memory() {
  TW_ASSIGN_OR_RETURN(index, selected());
  uint64_t begin = UINT64_MAX, end = 0;
  for (const auto& out : model_.varieties[index].outputs) {
    begin = std::min(begin, out.offset);
    end = std::max(end, out.offset + out.bytes());
  }
  return view(prepared_[index].output, std::min(begin, end), end - std::min(begin, end));
}

// ---- Running ----

Status Network::load_input(const uint8_t* data, std::optional<uint64_t> bytes) {
  TW_RETURN_IF_ERROR(check_pointer(data, "input"));
  TW_ASSIGN_OR_RETURN(index, selected());
  TW_ASSIGN_OR_RETURN(neuron, neuron_memory());
  const auto& variety = model_.varieties[index];
  uint64_t left = bytes.value_or(variety.input_bytes());
  if (left > variety.input_bytes())
    return Error(errors::bmr_net_range)
        .argument("size", fmt::format("{}", left))
        .detail(fmt::format("the inputs have {} bytes", variety.input_bytes()));
  for (const auto& in : variety.inputs) {
    uint64_t piece = std::min(left, in.bytes());
    TW_RETURN_IF_ERROR(copy_in(context_, neuron, data, in.offset, piece));
    data += piece;
    left -= piece;
  }
  return {};
}

// Notifies observers which bytes hold which tensor of the model.
void Network::name_tensors(const bmodel::Variety& variety, const CpuEnvironment& memories) {
  std::lock_guard lock(device_->mutex);
  const auto notify_tensor = [&](uint64_t address, uint64_t bytes, const std::string& name) {
    if (bytes == 0) return;
    device_->chip->observers().notify(
        {.kind = DeviceEvent::Kind::tensor, .address = address, .bytes = bytes, .name = name});
  };
  notify_tensor(memories.weight_address, memories.weight_bytes, "weights");
  notify_tensor(memories.neuron_address, memories.neuron_bytes, "neuron memory");
  for (size_t i = 0; i < variety.inputs.size(); ++i)
    notify_tensor(memories.neuron_address + variety.inputs[i].offset, variety.inputs[i].bytes(),
                  fmt::format("input {}", i));
  for (const bmodel::Output& output : variety.outputs)
    notify_tensor(memories.neuron_address + output.offset, output.bytes(), "output " + output.name);
}

Status Network::run() {
  TW_ASSIGN_OR_RETURN(index, selected());
  Prepared& variety = prepared_[index];
  bool memories = (neuron_.memory != nullptr || model_.varieties[index].neuron_size == 0) &&
                  (weight_block(index).memory != nullptr || weight_bytes(index) == 0);
  if (!memories || commands_stale_)
    return Error(errors::bmr_net_unloaded)
        .detail(memories ? "commands must be loaded after an import" : "memory is missing");
  if (variety.program == nullptr) TW_RETURN_IF_ERROR(prepare(index));

  CpuEnvironment cpu{.context = context_, .libraries = &libraries_};
  auto locate = [&](bmmem_t handle, uint64_t& address, uint64_t& bytes) -> Status {
    bytes = 0;
    if (handle == nullptr) return {};
    TW_ASSIGN_OR_RETURN(memory, find_memory(context_, handle, "memory"));
    address = memory->address;
    bytes = memory->size;
    return {};
  };
  TW_RETURN_IF_ERROR(locate(neuron_.memory, cpu.neuron_address, cpu.neuron_bytes));
  TW_RETURN_IF_ERROR(locate(weight_block(index).memory, cpu.weight_address, cpu.weight_bytes));
  if (insight::is_watching()) name_tensors(model_.varieties[index], cpu);
  return launch(*device_, *variety.program, cpu, nullptr, variety.commands, model_.name);
}

Status Network::store_output(uint8_t* data) {
  TW_RETURN_IF_ERROR(check_pointer(data, "output"));
  TW_ASSIGN_OR_RETURN(index, selected());
  TW_ASSIGN_OR_RETURN(neuron, neuron_memory());
  for (const auto& out : model_.varieties[index].outputs) {
    TW_RETURN_IF_ERROR(copy_out(context_, neuron, data, out.offset, out.bytes()));
    data += out.bytes();
  }
  return {};
}

Status Network::load_neuron(uint64_t offset, uint64_t bytes, const uint8_t* data) {
  TW_ASSIGN_OR_RETURN(neuron, neuron_memory());
  return copy_in(context_, neuron, data, offset, bytes);
}

Status Network::store_neuron(uint64_t offset, uint64_t bytes, uint8_t* data) {
  TW_ASSIGN_OR_RETURN(neuron, neuron_memory());
  return copy_out(context_, neuron, data, offset, bytes);
}

Status cleanup_network(bmnet_t net) {
  TW_ASSIGN_OR_RETURN(network, find_network(net));
  std::lock_guard lock(network->run_mutex());
  tables().networks.remove(net);
  if (auto context = tables().contexts.find(network->context())) {
    std::lock_guard lock(context->mutex);
    context->networks.erase(net);
  }
  network->release();
  return {};
}

}  // namespace tputwin::rt
