// Names and sizes of the parts of a model.
#include "bmodel/bm168x/model.h"

#include <array>

namespace tputwin::bmodel::bm168x {
namespace {

struct Element {
  std::string_view name;
  uint8_t bits;
};
constexpr std::array<Element, kElementTypes> kElements{{{"fp32", 32},
                                                        {"fp16", 16},
                                                        {"int8", 8},
                                                        {"uint8", 8},
                                                        {"int16", 16},
                                                        {"uint16", 16},
                                                        {"int32", 32},
                                                        {"uint32", 32},
                                                        {"bf16", 16},
                                                        {"int4", 4},
                                                        {"uint4", 4}}};

}  // namespace

std::string_view to_string(ElementType type) { return kElements[static_cast<size_t>(type)].name; }

uint64_t element_bits(ElementType type) { return kElements[static_cast<size_t>(type)].bits; }

std::string_view to_string(SubnetMode mode) {
  static constexpr std::string_view kNames[] = {"TPU", "CPU", "merge", "switch"};
  return kNames[static_cast<size_t>(mode)];
}

std::string_view to_string(AddressMode mode) {
  static constexpr std::string_view kNames[] = {"basic", "io alone", "io tag", "io tag fuse",
                                                "io reloc"};
  return kNames[static_cast<size_t>(mode)];
}

ElementType element_type(const TensorT& tensor) {
  return static_cast<ElementType>(tensor.data_type);
}

std::span<const uint64_t> shape(const TensorT& tensor) { return tensor.shape.front()->dim; }

uint64_t element_count(const TensorT& tensor) {
  uint64_t count = 1;
  for (uint64_t extent : shape(tensor)) count *= extent;
  return count;
}

uint64_t tensor_bytes(const TensorT& tensor) {
  return (element_count(tensor) * element_bits(element_type(tensor)) + 7) / 8;
}

std::span<const uint8_t> File::bytes(const std::unique_ptr<Binary>& part) const {
  if (part == nullptr) return {};
  return binary.subspan(part->start(), part->size());
}

const Chip* chip_of(const ModelT& model) { return chip_named(model.chip); }

const Chip* chip_named(std::string_view name) {
  const Chip* chip = find_chip(name == "BM1686" ? "BM1684X" : name);
  return chip != nullptr && chip->family != ChipFamily::bm1880 ? chip : nullptr;
}

bool runs(AddressMode mode, const Chip& chip) {
  if (mode == AddressMode::io_reloc) return chip.family == ChipFamily::bm1684x;
  return mode == AddressMode::basic || mode == AddressMode::io_alone;
}

uint64_t compiled_base(const Chip& chip) {
  return chip.family == ChipFamily::bm1684 ? 0x1'0510'0000 : 0x1'0000'0000;
}

uint64_t neuron_bytes(const NetParameterT& stage) {
  if (stage.ctx_sizes.empty()) return stage.ctx_size;
  uint64_t bytes = 0;
  for (uint64_t size : stage.ctx_sizes) bytes += size;
  return bytes;
}

bool is_dynamic(const NetParameterT& stage) {
  if (stage.sub_net.empty()) return stage.is_dynamic != 0;
  for (const auto& subnet : stage.sub_net)
    if (subnet->is_dynamic != 0) return true;
  return false;
}

}  // namespace tputwin::bmodel::bm168x
