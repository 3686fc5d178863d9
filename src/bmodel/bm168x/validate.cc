// Rules that a model of the BM1684 or BM1684X must meet before any part of it is used.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/errors/bmodel.h"
#include "bmodel/bm168x/model.h"
#include "bmodel/bm168x/subnets.h"

namespace tputwin::bmodel::bm168x {
namespace {

constexpr uint64_t kAddressEnd = uint64_t{1} << 40, kTensorEnd = uint64_t{1} << 40;

// Path of a field, such as net[2].parameter[0].ctx_addr.
struct Place {
  const Place* outer;
  std::string_view field;
  std::optional<size_t> index = {};

  std::string text() const {
    std::string text = outer != nullptr ? outer->text() + "." : "";
    text += field;
    return index ? text + fmt::format("[{}]", *index) : text;
  }
  Error error(ErrorId id, std::string_view name, std::string value) const {
    return Error(id).argument(Place{this, name}.text(), std::move(value));
  }
};

struct Range {
  uint64_t begin, bytes;
  uint64_t end() const { return begin + bytes; }
  bool holds(const Range& other) const {
    return other.begin >= begin && other.bytes <= bytes &&
           other.begin - begin <= bytes - other.bytes;
  }
};

std::string describe(const Range& range) {
  return fmt::format("[{:#x}, +{:#x})", range.begin, range.bytes);
}

// Returns why a text is not UTF-8; empty if it is.
std::string utf8_fault(const std::string& text) try {
  static_cast<void>(nlohmann::json(text).dump());
  return {};
} catch (const nlohmann::json::type_error& error) {
  return error.what();
}

class Validator {
 public:
  Validator(const ModelT& model, uint64_t binary_bytes)
      : model_(model), binary_bytes_(binary_bytes) {}
  Status run();

 private:
  struct Part {
    Range range;
    std::string place;
  };

  Status binary(const Place& at, std::string_view name, const std::unique_ptr<Binary>& part);
  Status parts_are_disjoint();
  Status value(const Place& at, std::string_view name, int64_t value, int64_t end);
  Status net(const Place& at, const NetT& net);
  Status stage(const Place& at, const NetT& net, const NetParameterT& stage);
  Status regions(const Place& at, const NetParameterT& stage);
  Status subnet(const Place& at, const NetParameterT& stage, const SubNetT& subnet);
  Status links(const Place& at, const NetParameterT& stage);
  Status group(const Place& at, const CmdGroupT& group);
  Status layers(const Place& at, const CmdGroupT& group);
  Status stream(const Place& at, std::string_view name, const std::unique_ptr<Binary>& part,
                uint64_t bytes, uint64_t commands);
  Status coefficients(const Place& at, const CoeffMemT& memory);
  Status cpu_parameters(const Place& at, const CpuParamT& parameters);
  Status tensor(const Place& at, const TensorT& tensor);
  Status tensor_address(const Place& at, const TensorT& tensor);

  template <class T>
  using Check = Status (Validator::*)(const Place&, const T&);
  template <class T>
  Status each(const Place& at, std::string_view name, const std::vector<std::unique_ptr<T>>& list,
              Check<T> check) {
    for (size_t i = 0; i < list.size(); ++i)
      TW_RETURN_IF_ERROR((this->*check)(Place{&at, name, i}, *list[i]));
    return {};
  }

  const ModelT& model_;
  uint64_t binary_bytes_;
  std::vector<Part> parts_;
  std::vector<Range> regions_;  // coefficients, io, neurons of the stage
};

Status Validator::binary(const Place& at, std::string_view name,
                         const std::unique_ptr<Binary>& part) {
  if (part == nullptr || part->size() == 0) return {};
  const Range range{part->start(), part->size()};
  if (!Range{0, binary_bytes_}.holds(range))
    return at.error(errors::mod_binary_range, name,
                    fmt::format("{} of {:#x} bytes", describe(range), binary_bytes_));
  parts_.push_back({range, Place{&at, name}.text()});
  return {};
}

// Checks that binaries are nested or disjoint. They are sorted by start, the larger first. Each
// must end inside the one that it begins in, or begin after it.
Status Validator::parts_are_disjoint() {
  std::ranges::sort(parts_, [](const Part& a, const Part& b) {
    return a.range.begin != b.range.begin ? a.range.begin < b.range.begin
                                          : a.range.bytes > b.range.bytes;
  });
  std::vector<const Part*> around;
  for (const Part& part : parts_) {
    while (!around.empty() && around.back()->range.end() <= part.range.begin) around.pop_back();
    if (!around.empty() && part.range.end() > around.back()->range.end())
      return Error(errors::mod_binary_overlap)
          .argument(part.place, fmt::format("{}, {} = {}", describe(part.range),
                                            around.back()->place, describe(around.back()->range)));
    around.push_back(&part);
  }
  return {};
}

Status Validator::value(const Place& at, std::string_view name, int64_t value, int64_t end) {
  if (0 <= value && value < end) return {};
  return at.error(errors::mod_field_value, name, fmt::format("{}", value));
}

Status Validator::run() {
  if (chip_of(model_) == nullptr)
    return Error(errors::mod_field_value).argument("chip", model_.chip);
  for (size_t i = 0; i < model_.net.size(); ++i)
    TW_RETURN_IF_ERROR(net(Place{nullptr, "net", i}, *model_.net[i]));
  const Place kernels{nullptr, "kernel_module"}, operators{nullptr, "cpuop_module"},
      whole{nullptr, "model"};
  if (model_.kernel_module != nullptr)
    TW_RETURN_IF_ERROR(binary(kernels, "binary", model_.kernel_module->binary));
  if (model_.cpuop_module != nullptr)
    TW_RETURN_IF_ERROR(binary(operators, "binary", model_.cpuop_module->binary));
  TW_RETURN_IF_ERROR(binary(whole, "lib_backend", model_.lib_backend));
  return parts_are_disjoint();
}

Status Validator::net(const Place& at, const NetT& net) {
  if (net.parameter.empty()) return at.error(errors::mod_old_container, "parameter", "no stage");
  TW_RETURN_IF_ERROR(value(at, "addr_mode", net.addr_mode, 5));
  for (size_t i = 0; i < net.parameter.size(); ++i)
    TW_RETURN_IF_ERROR(stage(Place{&at, "parameter", i}, net, *net.parameter[i]));
  return {};
}

Status Validator::stage(const Place& at, const NetT& net, const NetParameterT& stage) {
  TW_RETURN_IF_ERROR(regions(at, stage));
  TW_RETURN_IF_ERROR(each(at, "input_tensor", stage.input_tensor, &Validator::tensor));
  TW_RETURN_IF_ERROR(each(at, "output_tensor", stage.output_tensor, &Validator::tensor));
  if (stage.coeff_mem != nullptr)
    TW_RETURN_IF_ERROR(coefficients(Place{&at, "coeff_mem"}, *stage.coeff_mem));
  TW_RETURN_IF_ERROR(each(at, "cmd_group", stage.cmd_group, &Validator::group));
  for (const auto& [name, part] : {std::pair("net_profile", &stage.net_profile),
                                   {"binary_ir", &stage.binary_ir},
                                   {"net_stat", &stage.net_stat},
                                   {"tensor_loc", &stage.tensor_loc}})
    TW_RETURN_IF_ERROR(binary(at, name, *part));
  for (size_t i = 0; i < stage.sub_net.size(); ++i)
    TW_RETURN_IF_ERROR(subnet(Place{&at, "sub_net", i}, stage, *stage.sub_net[i]));
  TW_RETURN_IF_ERROR(links(at, stage));
  const auto mode = static_cast<AddressMode>(net.addr_mode);
  const bool fixed = mode == AddressMode::basic || mode == AddressMode::io_alone;
  if (!fixed || is_dynamic(stage) || stage.sub_net.size() > 1 || !is_tpu_chain(stage)) return {};
  TW_RETURN_IF_ERROR(each(at, "input_tensor", stage.input_tensor, &Validator::tensor_address));
  return each(at, "output_tensor", stage.output_tensor, &Validator::tensor_address);
}

Status Validator::regions(const Place& at, const NetParameterT& stage) {
  const CoeffMemT* coefficients = stage.coeff_mem.get();
  const uint64_t weights = coefficients != nullptr && coefficients->binary_coeff
                               ? coefficients->binary_coeff->size()
                               : 0;
  uint64_t neurons = 0;
  for (uint64_t size : stage.ctx_sizes)
    if (size >= kAddressEnd || (neurons += size) >= kAddressEnd)
      return at.error(errors::mod_address, "ctx_sizes", fmt::format("{:#x}", size));
  if (stage.ctx_sizes.empty()) neurons = stage.ctx_size;
  const uint64_t base = compiled_base(*chip_of(model_));
  uint64_t from = 0x1'0000'0000;
  regions_.clear();
  const std::pair<std::string_view, Range> list[] = {
      {"coeff_mem.address", {weights != 0 ? coefficients->address : 0, weights}},
      {"io_addr", {stage.io_addr, stage.io_size}},
      {"ctx_addr", {stage.ctx_addr, neurons}}};
  for (const auto& [name, range] : list) {
    if (range.bytes == 0) continue;
    if (range.begin < from || range.begin >= kAddressEnd || range.bytes > kAddressEnd - range.begin)
      return at.error(errors::mod_address, name,
                      fmt::format("{}, from {:#x} on", describe(range), std::max(from, base)));
    from = range.end();
    regions_.push_back(range);
  }
  return {};
}

Status Validator::coefficients(const Place& at, const CoeffMemT& memory) {
  return binary(at, "binary_coeff", memory.binary_coeff);
}

Status Validator::subnet(const Place& at, const NetParameterT& stage, const SubNetT& subnet) {
  TW_RETURN_IF_ERROR(value(at, "subnet_mode", subnet.subnet_mode, 4));
  TW_RETURN_IF_ERROR(each(at, "cmd_group", subnet.cmd_group, &Validator::group));
  TW_RETURN_IF_ERROR(each(at, "cpu_param", subnet.cpu_param, &Validator::cpu_parameters));
  TW_RETURN_IF_ERROR(each(at, "input_tensor", subnet.input_tensor, &Validator::tensor));
  TW_RETURN_IF_ERROR(each(at, "output_tensor", subnet.output_tensor, &Validator::tensor));
  const uint64_t ir = stage.binary_ir != nullptr ? stage.binary_ir->size() : 0;
  const Range range{subnet.ir_offset, subnet.ir_len};
  if (subnet.is_dynamic != 0 && !Range{0, ir}.holds(range))
    return at.error(errors::mod_binary_range, "ir_offset",
                    fmt::format("{} of {:#x} bytes", describe(range), ir));
  return {};
}

Status Validator::links(const Place& at, const NetParameterT& stage) {
  std::set<int32_t> ids;
  for (size_t i = 0; i < stage.sub_net.size(); ++i)
    if (!ids.insert(stage.sub_net[i]->id).second)
      return Place{&at, "sub_net", i}.error(errors::mod_subnet_link, "id",
                                            fmt::format("{}", stage.sub_net[i]->id));
  for (size_t i = 0; i < stage.sub_net.size(); ++i)
    for (int32_t next : stage.sub_net[i]->next_subnet_ids)
      if (next != -1 && !ids.contains(next))
        return Place{&at, "sub_net", i}.error(errors::mod_subnet_link, "next_subnet_ids",
                                              fmt::format("{}", next));
  return {};
}

Status Validator::group(const Place& at, const CmdGroupT& group) {
  TW_RETURN_IF_ERROR(stream(at, "binary_bdc", group.binary_bdc, group.bdc_cmd_byte, group.bdc_num));
  TW_RETURN_IF_ERROR(
      stream(at, "binary_gdma", group.binary_gdma, group.gdma_cmd_byte, group.gdma_num));
  return group.layers != nullptr ? layers(Place{&at, "layers"}, group) : Status();
}

// Checks that names are UTF-8, and that runs name them and have no more commands than the group.
Status Validator::layers(const Place& at, const CmdGroupT& group) {
  const LayersT& layers = *group.layers;
  for (size_t i = 0; i < layers.name.size(); ++i)
    if (const std::string why = utf8_fault(layers.name[i]); !why.empty())
      return Error(errors::mod_name)
          .argument(Place{&at, "name", i}.text(), fmt::format("{} bytes", layers.name[i].size()))
          .detail(why);
  for (const auto& [name, runs, most] : {std::tuple("bdc", &layers.bdc, group.bdc_num),
                                         std::tuple("gdma", &layers.gdma, group.gdma_num)}) {
    uint64_t commands = 0;
    for (const LayerRun& run : *runs) {
      commands += run.commands();
      if (run.layer() < layers.name.size() && run.commands() != 0 && commands <= most) continue;
      return at
          .error(errors::mod_layers, name,
                 fmt::format("{} commands of layer {}", run.commands(), run.layer()))
          .detail(fmt::format("there are {} layers, and {} commands", layers.name.size(), most));
    }
  }
  return {};
}

Status Validator::stream(const Place& at, std::string_view name,
                         const std::unique_ptr<Binary>& part, uint64_t bytes, uint64_t commands) {
  constexpr uint64_t kSmallest = 16;
  TW_RETURN_IF_ERROR(binary(at, name, part));
  const uint64_t there = part != nullptr ? part->size() : 0;
  if (bytes <= there && commands <= (bytes != 0 ? bytes : there) / kSmallest) return {};
  return at.error(
      errors::mod_command_bytes, name,
      fmt::format("{} bytes, the group has {} commands of {} bytes", there, commands, bytes));
}

Status Validator::cpu_parameters(const Place& at, const CpuParamT& parameters) {
  TW_RETURN_IF_ERROR(binary(at, "binary_param", parameters.binary_param));
  for (size_t i = 0; i < parameters.cpu_const.size(); ++i)
    TW_RETURN_IF_ERROR(
        binary(Place{&at, "cpu_const", i}, "const_data", parameters.cpu_const[i]->const_data));
  return {};
}

Status Validator::tensor(const Place& at, const TensorT& tensor) {
  TW_RETURN_IF_ERROR(value(at, "data_type", tensor.data_type, kElementTypes));
  TW_RETURN_IF_ERROR(value(at, "gmem_stmode", tensor.gmem_stmode, 3));
  if (!std::isfinite(tensor.scale))
    return at.error(errors::mod_field_value, "scale", fmt::format("{}", tensor.scale));
  if (tensor.shape.size() != 1)
    return at.error(errors::mod_tensor_shape, "shape", fmt::format("{}", tensor.shape.size()));
  if (shape(tensor).size() > 8)
    return at.error(errors::mod_tensor_shape, "shape", fmt::format("{}", shape(tensor).size()));
  uint64_t count = 1;
  for (uint64_t extent : shape(tensor))
    if (extent < 1 || extent > INT32_MAX || __builtin_mul_overflow(count, extent, &count) ||
        count >= kTensorEnd / 4)
      return at.error(errors::mod_tensor_shape, "shape", fmt::format("{}", extent));
  if (tensor.size != 0 && tensor.size < tensor_bytes(tensor))
    return at.error(errors::mod_tensor_size, "size",
                    fmt::format("{} for {} bytes", tensor.size, tensor_bytes(tensor)));
  return {};
}

Status Validator::tensor_address(const Place& at, const TensorT& tensor) {
  const Range range{tensor.device_addr, tensor_bytes(tensor)};
  for (const Range& region : regions_)
    if (region.holds(range)) return {};
  return at.error(errors::mod_address, "device_addr", describe(range));
}

}  // namespace

Status validate(const ModelT& model, uint64_t binary_bytes) {
  return Validator(model, binary_bytes).run();
}

}  // namespace tputwin::bmodel::bm168x
