// Nets of the BM1880: varieties, thresholds, all inputs and outputs as one block.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/errors/tools.h"
#include "isa/bm1880_codec.h"
#include "tools/bm168x/tensor_values.h"
#include "tools/info.h"
#include "tools/model_chip.h"
#include "tools/net.h"
#include "tools/run.h"
#include "tools/session.h"

namespace tputwin::tools {
namespace {

constexpr uint32_t kFormatFp32 = 0;  // FMT_F32, of CPU operators
constexpr double kSteps = 128;       // number of integers from 0 to the threshold

// Returns the type code of numpy.
char kind_of(uint32_t fmt) {
  const std::string name = format_name(fmt);
  return name.starts_with("fp") ? 'f' : name.starts_with("uint") ? 'u' : 'i';
}

template <class Described>
NetTensor tensor(std::string name, const Described& described) {
  const bool is_float = described.fmt == kFormatFp32;
  return {.name = std::move(name),
          .type = format_name(described.fmt),
          .shape = {described.shape.begin(), described.shape.end()},
          .step = is_float ? 0 : static_cast<double>(described.threshold) / kSteps};
}

// Returns the array of an output in its own type.
Array own_array(std::span<const uint8_t> bytes, const bmodel::Output& output) {
  return {kind_of(output.fmt),
          static_cast<uint32_t>(bmodel::element_bytes(output.fmt)),
          {output.shape.begin(), output.shape.end()},
          {bytes.begin(), bytes.end()}};
}

// Adds the bytes of an array: those of its elements, or of the input's numbers for floats.
Status append(const Array& given, const bmodel::Input& input, const std::string& name,
              std::vector<uint8_t>& bytes) {
  const uint64_t element = bmodel::element_bytes(input.fmt);
  const bool is_real = given.kind == 'f' || given.kind == 'b';
  const auto value = [&](uint64_t i) {
    return static_cast<float>(number_at(given.bytes, given.kind, given.element_bytes, i));
  };
  if (is_real && input.fmt != kFormatFp32 && input.threshold > 0) {
    for (uint64_t i = 0; i < given.count(); ++i)
      bytes.push_back(static_cast<uint8_t>(quantized(value(i), input.threshold)));
    return {};
  }
  if (is_real && input.fmt == kFormatFp32) {
    for (uint64_t i = 0; i < given.count(); ++i) {
      const auto bits = std::bit_cast<std::array<uint8_t, sizeof(float)>>(value(i));
      bytes.insert(bytes.end(), bits.begin(), bits.end());
    }
    return {};
  }
  if (given.element_bytes != element || given.kind != kind_of(input.fmt))
    return Error(errors::cli_inputs)
        .argument(name, fmt::format("elements {}{}", given.kind, 8 * given.element_bytes))
        .detail(fmt::format("the net takes {}{}", format_name(input.fmt),
                            input.threshold > 0 ? " or fp32" : ""));
  bytes.insert(bytes.end(), given.bytes.begin(), given.bytes.end());
  return {};
}

class Net1880 final : public Net {
 public:
  Net1880(std::shared_ptr<const bmodel::OpenFile> file, const bmodel::Variety& variety)
      : file_(std::move(file)), variety_(variety) {}

  Status open(const NetChoice& choice) {
    name_ = file_->bm1880()->name;
    TW_ASSIGN_OR_RETURN(chip, chip_of(*file_->bm1880()));
    chip_ = chip;
    ShapeList shapes;
    for (const bmodel::Input& input : variety_.inputs) {
      inputs_.push_back(tensor(fmt::format("input{}", inputs_.size()), input));
      shapes.push_back(input.shape);
    }
    for (const bmodel::Output& output : variety_.outputs)
      outputs_.push_back(tensor(output.name, output));
    if (!choice.plugin_directory.empty()) prepend_plugin_path(choice.plugin_directory);
    TW_RETURN_IF_ERROR(session_.open(file_->file->bytes()));
    TW_RETURN_IF_ERROR(session_.select(shapes));
    if (choice.reference) session_.device()->set_kernel_choice(KernelChoice::reference);
    return {};
  }

  Result<std::vector<Array>> run(std::span<const Array> inputs, bool as_float) override {
    TW_RETURN_IF_ERROR(check_inputs(inputs));
    std::vector<uint8_t> in, out(variety_.output_bytes());
    for (size_t i = 0; i < inputs.size(); ++i)
      TW_RETURN_IF_ERROR(append(inputs[i], variety_.inputs[i], inputs_[i].name, in));
    TW_RETURN_IF_ERROR(session_.infer(in, out));
    std::vector<Array> arrays;
    std::span<const uint8_t> rest(out);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const bmodel::Output& output = variety_.outputs[i];
      arrays.push_back(array(rest.first(output.bytes()), output, outputs_[i], as_float));
      rest = rest.subspan(output.bytes());
    }
    return arrays;
  }

  Result<std::vector<Instruction>> program() override {
    return isa::decode_program(variety_.cmdbuf, *chip_);
  }
  Status watch(Observer* observer) override {
    session_.watch(observer_, observer);
    observer_ = observer;
    return {};
  }
  const Device& device() const override { return *session_.device(); }

 private:
  static Array array(std::span<const uint8_t> bytes, const bmodel::Output& output,
                     const NetTensor& tensor, bool as_float) {
    if (output.fmt == kFormatFp32 || !as_float || tensor.step == 0) return own_array(bytes, output);
    Array values{'f', 4, tensor.shape, std::vector<uint8_t>(bytes.size() * sizeof(float))};
    for (size_t i = 0; i < bytes.size(); ++i) {
      const auto value = static_cast<float>(static_cast<int8_t>(bytes[i]) * tensor.step);
      std::memcpy(&values.bytes[i * sizeof value], &value, sizeof value);
    }
    return values;
  }

  const std::shared_ptr<const bmodel::OpenFile> file_;
  const bmodel::Variety& variety_;
  mutable Session session_;
  Observer* observer_ = nullptr;
};

}  // namespace

Result<std::vector<uint8_t>> input_bytes(const bmodel::Variety& variety,
                                         std::span<const Array> arrays,
                                         std::span<const std::string> names) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const NetTensor input = tensor(names[i], variety.inputs[i]);
    if (arrays[i].count() != input.count())
      return Error(errors::cli_input_size)
          .argument(input.name, fmt::format("{} elements", arrays[i].count()))
          .detail(fmt::format("the net takes ({})", fmt::join(input.shape, ",")));
    TW_RETURN_IF_ERROR(append(arrays[i], variety.inputs[i], input.name, bytes));
  }
  return bytes;
}

NamedArrays output_arrays(const bmodel::Variety& variety, std::span<const uint8_t> bytes) {
  NamedArrays arrays;
  for (const bmodel::Output& output : variety.outputs) {
    arrays.emplace_back(output.name, own_array(bytes.first(output.bytes()), output));
    bytes = bytes.subspan(output.bytes());
  }
  return arrays;
}

Result<std::unique_ptr<Net>> open_net1880(std::shared_ptr<const bmodel::OpenFile> file,
                                          const NetChoice& choice) {
  TW_RETURN_IF_ERROR(refuse_options(
      {{"net", !choice.net.empty()}, {"stage", choice.stage.has_value()}}, "BM1880"));
  const bmodel::Model& model = *file->bm1880();
  TW_ASSIGN_OR_RETURN(index, find_variety(model, choice.shapes));
  auto net = std::make_unique<Net1880>(std::move(file), model.varieties[index]);
  TW_RETURN_IF_ERROR(net->open(choice));
  return std::unique_ptr<Net>(std::move(net));
}

}  // namespace tputwin::tools
