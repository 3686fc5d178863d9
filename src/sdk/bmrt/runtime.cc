// Loading of nets. Stages share equal weights and, where they can, one neuron memory.
#include "sdk/bmrt/runtime.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/bits.h"
#include "base/errors/bmrt.h"
#include "bmodel/file_kind.h"
#include "sdk/bmlib/range.h"

namespace tputwin::bmrt {

using namespace bmodel::bm168x;

Result<std::shared_ptr<Runtime>> Runtime::create(std::vector<bm_handle_t> handles) {
  std::shared_ptr<Runtime> runtime(new Runtime);
  if (handles.empty()) return Error(errors::brt_devices).argument("num_handles", "0");
  for (bm_handle_t handle : handles) {
    TW_ASSIGN_OR_RETURN(card, bmlib::find_card(handle));
    if (!runtime->cards_.empty() && &card->chip() != &runtime->card().chip())
      return Error(errors::brt_devices)
          .argument("bm_handles",
                    fmt::format("a {} and a {}", runtime->card().chip().name, card->chip().name));
    runtime->cards_.push_back(std::move(card));
  }
  runtime->handles_ = std::move(handles);
  return runtime;
}

namespace {

// Nets of several subnets keep values in their neurons between subnets.
bool has_own_neurons(const NetParameterT& stage) { return stage.sub_net.size() > 1; }

uint64_t neuron_block_bytes(const NetParameterT& stage) {
  return bmrt::neuron_block_bytes(neuron_bytes(stage));
}

// Returns the largest neuron memory of stages that share one; 0 if there are none.
uint64_t shared_neuron_bytes(const File& model) {
  uint64_t most = 0;
  for (const auto& net : model.model.net)
    for (const auto& stage : net->parameter)
      if (!has_own_neurons(*stage)) most = std::max(most, neuron_block_bytes(*stage));
  return most;
}

std::span<const uint8_t> coefficients_of(const File& model, const NetParameterT& stage) {
  if (stage.coeff_mem == nullptr) return {};
  return model.bytes(stage.coeff_mem->binary_coeff);
}

// Returns true if a load uses the weights of one stage for the other.
bool are_shared(std::span<const uint8_t> a, const NetParameterT& a_stage,
                std::span<const uint8_t> b, const NetParameterT& b_stage) {
  const auto& code = a_stage.coeff_mem->check_code;
  return !code.empty() && code == b_stage.coeff_mem->check_code && std::ranges::equal(a, b);
}

// Returns the stages of the nets that a load takes: the first net of each name.
std::vector<std::pair<const NetT*, const NetParameterT*>> loaded_stages(const File& model) {
  std::set<std::string_view> names;
  std::vector<std::pair<const NetT*, const NetParameterT*>> stages;
  for (const auto& net : model.model.net) {
    if (!names.insert(net->name).second) continue;
    for (const auto& stage : net->parameter) stages.emplace_back(net.get(), stage.get());
  }
  return stages;
}

// The caller's memory must be large enough for the load.
Status check(std::string_view call, bmlib::Card& card, const LoadMemory& memory,
             const LoadSizes& sizes) {
  struct Part {
    std::string_view name;
    const bm_device_mem_u64_t& memory;
    uint64_t bytes;
  };
  const Part parts[] = {{"neuron_mem", memory.neurons, sizes.neurons},
                        {"coeff_mem", memory.coefficients, sizes.coefficients},
                        {"io_mem", memory.io, sizes.io}};
  const auto refuse = [](const Part& part, std::string why) {
    return Error(errors::brt_load_memory)
        .argument(
            fmt::format("mem_info->{}", part.name),
            fmt::format("[{:#x}, +{:#x})", part.memory.u.device.device_addr, part.memory.size))
        .detail(std::move(why));
  };
  for (const Part& part : parts) {
    if (part.bytes == 0) continue;
    const uint64_t begin = part.memory.u.device.device_addr;
    if (part.memory.size < part.bytes)
      return refuse(part, fmt::format("the load needs {:#x} bytes", part.bytes));
    if (begin % kPage != 0) return refuse(part, "it starts at no multiple of 4096");
    TW_RETURN_IF_ERROR(card.exclusively([&] {
      return bmlib::range(call, card, part.name, part.memory, 0, part.memory.size).status();
    }));
    for (const Part& other : parts) {
      const uint64_t from = other.memory.u.device.device_addr;
      if (&other != &part && other.bytes != 0 && from < begin + part.bytes &&
          begin < from + other.bytes)
        return refuse(part, fmt::format("it shares bytes with {}", other.name));
    }
  }
  return {};
}

}  // namespace

LoadSizes load_sizes(const File& model, const MappedFile& file) {
  LoadSizes sizes{.neurons = shared_neuron_bytes(model)};
  std::vector<std::pair<std::span<const uint8_t>, const NetParameterT*>> weights;
  for (const auto& [net, stage] : loaded_stages(model)) {
    if (has_own_neurons(*stage)) sizes.neurons += neuron_block_bytes(*stage);
    sizes.io += align_up(io_layout(*net, *stage).bytes, kPage);
    const auto bytes = coefficients_of(model, *stage);
    if (bytes.empty()) continue;
    const bool is_there = std::ranges::any_of(weights, [&, stage = stage](const auto& there) {
      return are_shared(there.first, *there.second, bytes, *stage);
    });
    if (is_there) continue;
    weights.emplace_back(bytes, stage);
    sizes.coefficients += Coefficients::block_bytes(file, bytes);
  }
  return sizes;
}

Runtime::~Runtime() {
  for (const auto& card : cards_) card->wait_all();
}

Result<File> read_model(const MappedFile& file) {
  using bmodel::about_file, bmodel::Expected;
  if (!has_frame(file.bytes()))
    return about_file(Error(errors::brt_container), file.bytes(), "", Expected::nothing);
  auto model = read(file.bytes());
  if (!model.ok()) return about_file(model.error(), file.bytes());
  for (const auto& net : model->model.net)
    for (size_t i = 0; i < net->parameter.size(); ++i) {
      const auto& weights = net->parameter[i]->coeff_mem;
      if (weights != nullptr && weights->encrypt_mode != 0)
        return Error(errors::brt_encrypted)
            .argument(fmt::format("net {} stage {}", net->name, i),
                      fmt::format("encrypt_mode {}", weights->encrypt_mode));
    }
  return model;
}

Status Runtime::load(std::string_view call, std::shared_ptr<const MappedFile> file,
                     const LoadMemory* memory) {
  TW_ASSIGN_OR_RETURN(read_file, read_model(*file));
  const auto model = std::make_shared<const File>(std::move(read_file));
  const Chip& chip = card().chip();
  if (chip_of(model->model) != &chip)
    return Error(errors::brt_chip)
        .argument("chip", model->model.chip)
        .detail(fmt::format("the device is a {}", chip.name));
  std::lock_guard lock(mutex_);
  TW_ASSIGN_OR_RETURN(load, begin_load(call, model, file, memory));
  files_.push_back(file);  // nets refer to it
  for (const auto& net : model->model.net) {
    if (std::ranges::find(nets_, net->name, [](const auto& n) { return n->name(); }) !=
        nets_.end()) {
      TW_RETURN_IF_ERROR(report(Error(errors::brt_net_twice).in(call).argument("net", net->name)));
      continue;
    }
    TW_ASSIGN_OR_RETURN(loaded, load_net(load, *net));
    nets_.push_back(std::move(loaded));
  }
  return {};
}

Result<Runtime::Load> Runtime::begin_load(std::string_view call, std::shared_ptr<const File> model,
                                          std::shared_ptr<const MappedFile> file,
                                          const LoadMemory* memory) {
  const auto& card = cards_.front();
  const uint64_t shared = shared_neuron_bytes(*model);
  if (memory != nullptr) {
    const LoadSizes sizes = load_sizes(*model, MappedFile(std::vector<uint8_t>()));
    TW_RETURN_IF_ERROR(check(call, *card, *memory, sizes));
    Load load{std::move(model),
              std::move(file),
              BlockSource(card, memory->neurons.u.device.device_addr),
              BlockSource(card, memory->coefficients.u.device.device_addr),
              BlockSource(card, memory->io.u.device.device_addr),
              nullptr,
              {}};
    if (shared != 0) {
      TW_ASSIGN_OR_RETURN(block, load.neurons.take(shared));
      load.shared_neurons = std::move(block);
    }
    return load;
  }
  // Launches run one after the other, so nets may share neurons. Nets loaded before keep the
  // smaller block.
  if (shared != 0 && (neurons_ == nullptr || neurons_->bytes() < shared)) {
    TW_ASSIGN_OR_RETURN(block, Block::allocate(card, shared));
    neurons_ = std::move(block);
  }
  return Load{std::move(model),  std::move(file), BlockSource(card), BlockSource(card),
              BlockSource(card), neurons_,        weights_};
}

Result<std::shared_ptr<Net>> Runtime::load_net(Load& load, const NetT& net) {
  std::vector<std::unique_ptr<Stage>> stages;
  for (size_t i = 0; i < net.parameter.size(); ++i) {
    const NetParameterT& stage = *net.parameter[i];
    TW_ASSIGN_OR_RETURN(weights, load_weights(load, stage));
    std::shared_ptr<Block> block = load.shared_neurons;
    if (has_own_neurons(stage)) {
      TW_ASSIGN_OR_RETURN(own, load.neurons.take(neuron_block_bytes(stage)));
      block = std::move(own);
    }
    TW_ASSIGN_OR_RETURN(loaded, Stage::load(*load.model, net, i, std::move(weights),
                                            std::move(block), load.io, host_libraries_));
    stages.push_back(std::move(loaded));
  }
  return std::make_shared<Net>(load.model, net, std::move(stages), card().chip());
}

Result<std::shared_ptr<const Coefficients>> Runtime::load_weights(Load& load,
                                                                  const NetParameterT& stage) {
  const auto bytes = coefficients_of(*load.model, stage);
  if (bytes.empty()) return std::shared_ptr<const Coefficients>();
  const auto& code = stage.coeff_mem->check_code;
  for (const auto& there : load.weights)
    if (there->same_as(bytes, code)) return std::shared_ptr<const Coefficients>(there);
  TW_ASSIGN_OR_RETURN(loaded, Coefficients::load(load.coefficients, load.file, bytes, code));
  load.weights.push_back(loaded);
  if (!load.coefficients.is_callers()) weights_.push_back(loaded);
  return std::shared_ptr<const Coefficients>(loaded);
}

void Runtime::keep_coefficients() {
  for (const auto& card : cards_) card->wait_all();
  std::lock_guard lock(mutex_);
  for (const auto& weights : weights_) weights->keep();
}

std::vector<std::shared_ptr<Net>> Runtime::nets() const {
  std::lock_guard lock(mutex_);
  return nets_;
}

Result<std::shared_ptr<Net>> Runtime::find(const char* name) const {
  TW_RETURN_IF_ERROR(bmlib::check_pointer(name, "net_name"));
  std::vector<std::string> names;
  for (auto& net : nets()) {
    if (net->name() == name) return net;
    names.push_back(net->name());
  }
  return Error(errors::brt_net)
      .argument("net_name", fmt::format("\"{}\"", name))
      .detail(fmt::format("loaded: {}", fmt::join(names, ", ")));
}

}  // namespace tputwin::bmrt
