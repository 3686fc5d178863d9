// The description of a net for programs, and the choice of a stage.
#include "sdk/bmrt/net.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/errors/bmrt.h"
#include "sdk/bmrt/storage.h"

namespace tputwin::bmrt {

using bmodel::bm168x::ElementType;

namespace {

bm_device_mem_t memory(const StageTensor& tensor) {
  return bm_mem_from_device(tensor.address, static_cast<unsigned>(tensor_bytes(*tensor.file)));
}

}  // namespace

uint64_t count(const bm_shape_t& shape) {
  uint64_t product = 1;
  for (int i = 0; i < shape.num_dims; ++i) product *= static_cast<uint64_t>(shape.dims[i]);
  return product;
}

bool same(const bm_shape_t& a, const bm_shape_t& b) {
  return a.num_dims == b.num_dims &&
         std::equal(a.dims, a.dims + std::clamp(a.num_dims, 0, BM_MAX_DIMS_NUM), b.dims);
}

Status check_shape(const bm_shape_t& shape, std::string_view argument) {
  const bool fits = 0 <= shape.num_dims && shape.num_dims <= BM_MAX_DIMS_NUM;
  if (!fits)
    return Error(errors::brt_shape).argument(argument, fmt::format("{} extents", shape.num_dims));
  if (std::all_of(shape.dims, shape.dims + shape.num_dims, [](int extent) { return extent > 0; }))
    return {};
  return Error(errors::brt_shape).argument(argument, describe(shape));
}

std::string describe(const bm_shape_t& shape) {
  return fmt::format("({})", fmt::join(shape.dims, shape.dims + shape.num_dims, ","));
}

uint64_t user_bytes(const Chip& chip, bm_data_type_t dtype, const bm_shape_t& shape) {
  const uint64_t bits = element_bits(static_cast<ElementType>(dtype));
  const uint64_t images = shape.num_dims > 0 ? static_cast<uint64_t>(shape.dims[0]) : 1;
  const bool in_fours = bits == 8 && chip.family == ChipFamily::bm1684;
  return stored_bytes(images, count(shape) / images, bits, in_fours ? BM_STORE_4N : BM_STORE_1N);
}

NetInfo::Side NetInfo::describe(const std::vector<std::unique_ptr<Stage>>& stages,
                                const std::vector<StageTensor>& (Stage::*tensors)() const,
                                const Chip& chip) {
  Side side;
  const auto& first = (stages.front().get()->*tensors)();
  for (size_t i = 0; i < first.size(); ++i) {
    const auto& tensor = *first[i].file;
    side.names.push_back(tensor.name.c_str());
    side.types.push_back(static_cast<bm_data_type_t>(tensor.data_type));
    side.scales.push_back(tensor.scale);
    side.zero_points.push_back(tensor.zero_point);
    side.devices.push_back(0);
    size_t largest = 0;
    for (const auto& stage : stages) {
      const auto& list = (stage.get()->*tensors)();
      if (i < list.size())
        largest = std::max<size_t>(largest, user_bytes(chip, side.types.back(), list[i].shape));
    }
    side.max_bytes.push_back(largest);
  }
  return side;
}

NetInfo::StageSide NetInfo::describe(const std::vector<StageTensor>& tensors) {
  StageSide side;
  for (const StageTensor& tensor : tensors) {
    side.shapes.push_back(tensor.shape);
    side.memories.push_back(memory(tensor));
  }
  return side;
}

NetInfo::NetInfo(const bmodel::bm168x::NetT& net, const std::vector<std::unique_ptr<Stage>>& stages,
                 const Chip& chip)
    : inputs_(describe(stages, &Stage::inputs, chip)),
      outputs_(describe(stages, &Stage::outputs, chip)) {
  for (const auto& stage : stages) {
    input_stages_.push_back(describe(stage->inputs()));
    output_stages_.push_back(describe(stage->outputs()));
  }
  for (size_t i = 0; i < stages.size(); ++i)
    stages_.push_back({input_stages_[i].shapes.data(), output_stages_[i].shapes.data(),
                       input_stages_[i].memories.data(), output_stages_[i].memories.data()});
  info_ = {.name = net.name.c_str(),
           .is_dynamic = is_dynamic(*net.parameter.front()),
           .input_num = static_cast<int>(inputs_.names.size()),
           .input_names = inputs_.names.data(),
           .input_dtypes = inputs_.types.data(),
           .input_scales = inputs_.scales.data(),
           .output_num = static_cast<int>(outputs_.names.size()),
           .output_names = outputs_.names.data(),
           .output_dtypes = outputs_.types.data(),
           .output_scales = outputs_.scales.data(),
           .stage_num = static_cast<int>(stages_.size()),
           .stages = stages_.data(),
           .max_input_bytes = inputs_.max_bytes.data(),
           .max_output_bytes = outputs_.max_bytes.data(),
           .input_zero_point = inputs_.zero_points.data(),
           .output_zero_point = outputs_.zero_points.data(),
           .input_loc_devices = inputs_.devices.data(),
           .output_loc_devices = outputs_.devices.data(),
           .core_num = static_cast<int>(std::max(1u, net.parameter.front()->core_num)),
           .addr_mode = net.addr_mode};
}

Result<Stage*> Net::stage_of(const std::vector<bm_shape_t>& shapes) const {
  auto matches = [&](const Stage& stage, auto equal) {
    return std::equal(shapes.begin(), shapes.end(), stage.inputs().begin(), stage.inputs().end(),
                      [&](const bm_shape_t& given, const StageTensor& input) {
                        return equal(given, input.shape);
                      });
  };
  for (const auto& stage : stages_)
    if (matches(*stage, same)) return stage.get();
  auto same_count = [](const bm_shape_t& a, const bm_shape_t& b) { return count(a) == count(b); };
  if (stages_.size() == 1 && matches(*stages_.front(), same_count)) return stages_.front().get();
  std::vector<std::string> given, compiled;
  for (const bm_shape_t& shape : shapes) given.push_back(describe(shape));
  for (const auto& stage : stages_) {
    std::vector<std::string> list;
    for (const StageTensor& input : stage->inputs()) list.push_back(describe(input.shape));
    compiled.push_back(fmt::format("{}", fmt::join(list, " ")));
  }
  return Error(errors::brt_shapes)
      .argument("input shapes", fmt::format("{}", fmt::join(given, " ")))
      .detail(fmt::format("{} has {}", name(), fmt::join(compiled, "; ")));
}

}  // namespace tputwin::bmrt
