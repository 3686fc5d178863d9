// Files of inputs: raw bytes have a size, arrays have a shape.
#include "tools/bm168x/input_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/errors/tools.h"
#include "base/file.h"
#include "tools/bm168x/tensor_values.h"
#include "tools/run.h"

namespace tputwin::tools {

using namespace bmodel::bm168x;

namespace {

using Tensors = std::vector<std::unique_ptr<TensorT>>;
using Fit = InputFiles::Fit;

std::string shapes_text(const Tensors& tensors) {
  std::string text;
  for (const auto& tensor : tensors)
    text += fmt::format("{}({})", text.empty() ? "" : " ", fmt::join(shape(*tensor), ","));
  return text;
}

// Returns the size of the largest input of any stage.
uint64_t largest_input(const NetT& net) {
  uint64_t most = 0;
  for (const auto& stage : net.parameter)
    for (const auto& tensor : stage->input_tensor) most = std::max(most, tensor_bytes(*tensor));
  return most;
}

Fit fit_of(const Array& array, const TensorT& tensor) {
  if (std::ranges::equal(array.shape, shape(tensor))) return Fit::shape;
  return array.count() == element_count(tensor) ? Fit::size : Fit::none;
}

}  // namespace

Result<InputFiles> InputFiles::read(const std::vector<std::string>& paths, const NetT& net) {
  InputFiles inputs;
  inputs.is_archive_ = paths.size() == 1 && paths[0].ends_with(".npz");
  for (const std::string& path : paths) {
    File& file = inputs.files_.emplace_back(File{.path = path, .array = {}, .raw = {}});
    if (inputs.is_archive_) {
      TW_ASSIGN_OR_RETURN(arrays, read_npz(path));
      inputs.arrays_ = std::move(arrays);
      continue;
    }
    TW_ASSIGN_OR_RETURN(bytes, read_bytes(path, most_to_read(largest_input(net))));
    if (path.ends_with(".npy")) {
      TW_ASSIGN_OR_RETURN(array, read_npy(std::move(bytes)));
      file.array = std::move(array);
    } else {
      file.raw = std::move(bytes);
    }
  }
  return inputs;
}

const Array* InputFiles::named(const std::string& name) const {
  const auto found = arrays_.find(name);
  return found != arrays_.end() ? &found->second : nullptr;
}

Fit InputFiles::fit(const NetParameterT& stage) const {
  const Tensors& tensors = stage.input_tensor;
  if (!is_archive_ && files_.size() != tensors.size()) return Fit::none;
  Fit worst = Fit::shape;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Fit fit = Fit::none;
    if (is_archive_) {
      if (const Array* array = named(tensors[i]->name)) fit = fit_of(*array, *tensors[i]);
    } else if (files_[i].array) {
      fit = fit_of(*files_[i].array, *tensors[i]);
    } else if (files_[i].raw.size() == tensor_bytes(*tensors[i])) {
      fit = Fit::size;
    }
    worst = std::min(worst, fit);
  }
  return worst;
}

Result<std::vector<std::vector<uint8_t>>> InputFiles::bytes(const NetParameterT& stage) const {
  const Tensors& tensors = stage.input_tensor;
  if (!is_archive_ && files_.size() != tensors.size())
    return Error(errors::cli_inputs)
        .argument("--input", fmt::format("given {} times", files_.size()))
        .detail(fmt::format("the net takes {}", shapes_text(tensors)));
  std::vector<std::vector<uint8_t>> inputs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorT& tensor = *tensors[i];
    const File& file = files_[is_archive_ ? 0 : i];
    const Array* array = is_archive_ ? named(tensor.name) : file.array ? &*file.array : nullptr;
    if (array != nullptr) {
      TW_ASSIGN_OR_RETURN(bytes, tensor_of(*array, tensor));
      inputs.push_back(std::move(bytes));
    } else if (is_archive_) {
      return Error(errors::cli_inputs).argument("--input " + file.path, "no array " + tensor.name);
    } else if (file.raw.size() == tensor_bytes(tensor)) {
      inputs.push_back(file.raw);
    } else {
      return Error(errors::cli_input_size)
          .argument("--input " + file.path, fmt::format("{} bytes", file.raw.size()))
          .detail(fmt::format("{} has {}", tensor.name, tensor_bytes(tensor)));
    }
  }
  return inputs;
}

}  // namespace tputwin::tools
