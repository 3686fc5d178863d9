// Sizes and shapes of a model, and models in files of either container.
#include "bmodel/bmodel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/errors/bmodel.h"
#include "base/file.h"
#include "base/mapped_file.h"
#include "bmodel/containers.h"
#include "bmodel/file_kind.h"

namespace tputwin::bmodel {
namespace {

uint64_t saturating_multiply(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

template <class Tensors>
uint64_t total_bytes(const Tensors& tensors) {
  uint64_t total = 0;
  for (const auto& tensor : tensors)
    if (__builtin_add_overflow(total, tensor.bytes(), &total)) return UINT64_MAX;
  return total;
}

Error of_path(Error error, const std::string& path) {
  error.set_call_if_empty(path);
  return error;
}

}  // namespace

void LayerRuns::append(std::string_view name, uint32_t commands) {
  if (commands == 0) return;
  const auto layer = static_cast<uint32_t>(std::ranges::find(names, name) - names.begin());
  if (layer == names.size()) names.emplace_back(name);
  if (!runs.empty() && runs.back().layer == layer)
    runs.back().commands += commands;
  else
    runs.push_back({layer, commands});
}

std::vector<std::string_view> LayerRuns::by_command() const {
  std::vector<std::string_view> all;
  for (const Run& run : runs) all.insert(all.end(), run.commands, names[run.layer]);
  return all;
}

uint64_t element_count(std::span<const uint32_t> shape) {
  uint64_t count = 1;
  // An extent of 0 makes the count 0, even if the product of the other extents overflows.
  if (std::ranges::find(shape, 0u) != shape.end()) return 0;
  for (uint32_t extent : shape) count = saturating_multiply(count, extent);
  return count;
}

uint64_t element_bytes(uint32_t fmt) {
  // FMT_F32, F16, I32, I16, I8, I4, I2, I1, U16, U8
  static constexpr uint8_t kBytes[] = {4, 2, 4, 2, 1, 0, 0, 0, 2, 1};
  return fmt < std::size(kBytes) ? kBytes[fmt] : 0;
}

std::string to_string(std::span<const uint32_t> shape) {
  return fmt::format("({})", fmt::join(shape, ","));
}

std::string_view to_string(Container container) {
  return container == Container::v0_1_1 ? "0.1.1" : "2.1";
}

uint64_t Input::bytes() const {
  return saturating_multiply(element_count(shape), element_bytes(fmt));
}

uint64_t Output::bytes() const {
  return saturating_multiply(element_count(shape), element_bytes(fmt));
}

uint64_t Variety::input_bytes() const { return total_bytes(inputs); }

uint64_t Variety::output_bytes() const { return total_bytes(outputs); }

uint64_t Variety::output_offset() const {
  if (outputs.empty()) return 0;
  return std::ranges::min_element(outputs, {}, &Output::offset)->offset;
}

std::span<const uint8_t> Model::weight_of(const Variety& variety) const {
  if (variety.weight_index >= weights.size()) return {};
  return weights[variety.weight_index];
}

Result<Model> read(std::span<const uint8_t> file) {
  Result<Model> model = has_v011_frame(file) ? read_v011(file) : read_v21(file);
  if (!model.ok() && model.error().id() == errors::mod_message && !has_v21_frame(file)) {
    // No frame was found. Reports the error of the container that the file resembles.
    if (file.size() > 4 && file[4] == '{') return read_v011(file);
    return about_file(Error(errors::mod_unknown_container).detail(model.error().detail()), file, "",
                      Expected::nothing);
  }
  if (model.ok()) TW_RETURN_IF_ERROR(validate(*model));
  return model;
}

Result<Model> read_file(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file.ok()) return file.error();
  auto model = read((*file)->bytes());
  if (!model.ok()) return of_path(model.error(), path);
  return model;
}

Result<std::vector<uint8_t>> write(const Model& model, Container container) {
  TW_RETURN_IF_ERROR(validate(model));
  return container == Container::v0_1_1 ? write_v011(model) : write_v21(model);
}

Status write_file(const Model& model, Container container, const std::string& path) {
  auto bytes = write(model, container);
  if (!bytes.ok()) return of_path(bytes.error(), path);
  return write_bytes(path, *bytes);
}

}  // namespace tputwin::bmodel
