// Loads nets: their weights once, their neurons in one place.
#include "sdk/bmrt/runtime.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/errors/bmrt.h"
#include "bmodel/file_kind.h"

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

Runtime::~Runtime() {
  for (const auto& card : cards_) card->wait_all();
}

Status Runtime::load(std::string_view call, std::shared_ptr<const MappedFile> file) {
  using bmodel::about_file, bmodel::Expected;
  if (!has_frame(file->bytes()))
    return about_file(Error(errors::brt_container), file->bytes(), "", Expected::nothing);
  auto read_file = read(file->bytes());
  if (!read_file.ok()) return about_file(read_file.error(), file->bytes());
  const auto model = std::make_shared<const File>(std::move(*read_file));
  const Chip& chip = card().chip();
  if (chip_of(model->model) != &chip)
    return Error(errors::brt_chip)
        .argument("chip", model->model.chip)
        .detail(fmt::format("the device is a {}", chip.name));
  std::lock_guard lock(mutex_);
  files_.push_back(file);  // nets look into it
  for (const auto& net : model->model.net) {
    if (std::ranges::find(nets_, net->name, [](const auto& n) { return n->name(); }) !=
        nets_.end()) {
      TW_RETURN_IF_ERROR(report(Error(errors::brt_net_twice).in(call).argument("net", net->name)));
      continue;
    }
    TW_ASSIGN_OR_RETURN(loaded, load_net(model, file, *net));
    nets_.push_back(std::move(loaded));
  }
  return {};
}

Result<std::shared_ptr<Net>> Runtime::load_net(const std::shared_ptr<const File>& model,
                                               const std::shared_ptr<const MappedFile>& file,
                                               const NetT& net) {
  std::vector<std::unique_ptr<Stage>> stages;
  for (size_t i = 0; i < net.parameter.size(); ++i) {
    const NetParameterT& stage = *net.parameter[i];
    TW_ASSIGN_OR_RETURN(weights, load_weights(*model, file, stage));
    TW_ASSIGN_OR_RETURN(block, neurons(neuron_bytes(stage), stage.sub_net.size() > 1));
    TW_ASSIGN_OR_RETURN(loaded, Stage::load(*model, net, i, std::move(weights), std::move(block)));
    stages.push_back(std::move(loaded));
  }
  return std::make_shared<Net>(model, net, std::move(stages), card().chip());
}

Result<std::shared_ptr<const Coefficients>> Runtime::load_weights(
    const File& model, const std::shared_ptr<const MappedFile>& file, const NetParameterT& stage) {
  if (stage.coeff_mem == nullptr) return std::shared_ptr<const Coefficients>();
  const auto bytes = model.bytes(stage.coeff_mem->binary_coeff);
  if (bytes.empty()) return std::shared_ptr<const Coefficients>();
  const auto& code = stage.coeff_mem->check_code;
  for (const auto& there : weights_)
    if (there->same_as(bytes, code)) return there;
  TW_ASSIGN_OR_RETURN(loaded, Coefficients::load(cards_.front(), file, bytes, code));
  weights_.push_back(loaded);
  return loaded;
}

// Launches run one after the other, so nets may share; those loaded before keep the smaller block.
Result<std::shared_ptr<Block>> Runtime::neurons(uint64_t bytes, bool own) {
  bytes = neuron_block_bytes(bytes);
  if (own) return Block::allocate(cards_.front(), bytes);
  if (neurons_ == nullptr || neurons_->bytes() < bytes) {
    TW_ASSIGN_OR_RETURN(block, Block::allocate(cards_.front(), bytes));
    neurons_ = std::move(block);
  }
  return neurons_;
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
