// Placement: which memories a stage has on its card.
#include <algorithm>

#include "base/bits.h"
#include "sdk/bmrt/stage_memory.h"

namespace tputwin::bmrt {

using namespace bmodel::bm168x;

uint64_t StageTensor::bits() const { return element_bits(element_type(*file)); }

uint64_t StageTensor::elements() const { return element_count(*file) / images(); }

uint64_t StageTensor::bytes(bm_store_mode_t mode) const {
  return stored_bytes(images(), elements(), bits(), mode);
}

uint64_t neuron_block_bytes(uint64_t neurons) { return align_up(neurons + 1, kPage); }

IoLayout io_layout(const NetT& net, const NetParameterT& stage) {
  IoLayout io{stage.io_addr, stage.io_size, {}};
  if (static_cast<AddressMode>(net.addr_mode) != AddressMode::io_reloc) return io;
  // after the addresses that commands may reach beyond the neurons
  io.compiled = align_up(
      std::max(stage.ctx_addr + neuron_bytes(stage) + 1, stage.io_addr + stage.io_size), kPage);
  for (const auto* list : {&stage.input_tensor, &stage.output_tensor})
    for (const auto& tensor : *list) {
      io.bytes = align_up(io.bytes, kPage);
      io.tensors.push_back(io.compiled + io.bytes);
      io.bytes += std::max(tensor->size, stored_bytes(*tensor));
    }
  return io;
}

StageMemory::StageMemory(const NetT& net, const NetParameterT& stage,
                         std::shared_ptr<const Coefficients> coefficients,
                         std::shared_ptr<Block> neurons)
    : net_(net),
      stage_(stage),
      coefficients_(std::move(coefficients)),
      neurons_(std::move(neurons)) {}

Status StageMemory::place(BlockSource& io_source) {
  const uint64_t neurons = neuron_bytes(stage_);
  if (neurons != 0) {
    // Commands may reach up to the end of the page, unless other memory starts before it.
    const uint64_t end = stage_.ctx_addr + neurons;
    uint64_t tail = align_up(end + 1, kPage) - end;
    if (stage_.io_size != 0 && stage_.io_addr >= end) tail = std::min(tail, stage_.io_addr - end);
    tail = std::min(tail, neuron_block_bytes(neurons) - neurons);
    regions_.push_back({stage_.ctx_addr, neurons, neurons_->address(), true, tail});
  }
  IoLayout io = io_layout(net_, stage_);
  relocated_io_ = std::move(io.tensors);
  if (io.bytes != 0) {
    TW_ASSIGN_OR_RETURN(block, io_source.take(io.bytes));
    io_ = std::move(block);
    regions_.push_back({io.compiled, io.bytes, io_->address(), true});
  }
  if (coefficients_ != nullptr)
    regions_.push_back({stage_.coeff_mem->address, coefficients_->bytes().size(),
                        coefficients_->address(), false});
  return {};
}

Status StageMemory::add_scratch(uint64_t from, uint64_t to) {
  from = from / kPage * kPage;
  TW_ASSIGN_OR_RETURN(block, Block::allocate(neurons_->card(), to - from));
  scratch_ = std::move(block);
  regions_.push_back({from, 0, scratch_->address(), true, to - from});
  return {};
}

Region StageMemory::neurons() const {
  const uint64_t bytes = neuron_bytes(stage_);
  return {stage_.ctx_addr, bytes, bytes != 0 ? neurons_->address() : 0, true};
}

std::vector<StageWeight> StageMemory::weights() const {
  if (coefficients_ == nullptr) return {};
  const uint64_t begin = coefficients_->address(), bytes = coefficients_->bytes().size();
  std::vector<StageWeight> all{{"weights", begin, bytes}};
  for (const auto& named : stage_.coeff_mem->location)
    if (named->offset < bytes)
      all.push_back({"weights " + named->name, begin + named->offset,
                     std::min(named->size, bytes - named->offset)});
  return all;
}

}  // namespace tputwin::bmrt
