// Container 2.1: ff aa 55 ff | protobuf message with its weights, or
// dd aa 55 ff | u32 size | protobuf message | weights, at the positions in weight_info.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/errors/bmodel.h"
#include "bmodel/containers.h"
#include "bmodel/little_endian.h"
#include "bmodel/message.h"

namespace tputwin::bmodel {
namespace {

using Bytes = std::span<const uint8_t>;
using Magic = std::array<uint8_t, 4>;

constexpr Magic kWeightsInside{0xff, 0xaa, 0x55, 0xff},
    kWeightsAfterMessage{0xdd, 0xaa, 0x55, 0xff};
constexpr size_t kSizeBytes = 4;

bool starts_with(Bytes file, const Magic& magic) {
  return file.size() >= magic.size() && std::ranges::equal(file.first(magic.size()), magic);
}

Result<::bmodel::Model> parse(Bytes bytes) {
  ::bmodel::Model message;
  // The "partial" form does not log missing required fields.
  if (bytes.size() > kMessageLimit ||
      !message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return Error(errors::mod_message)
        .argument("message", fmt::format("{} bytes", bytes.size()))
        .detail("not a protobuf message");
  if (!message.IsInitialized())
    return Error(errors::mod_message).argument("missing", message.InitializationErrorString());
  return message;
}

Result<Model> read_weights_inside(Bytes bytes) {
  TW_ASSIGN_OR_RETURN(message, parse(bytes));
  if (message.weight_info_size() > 0 && message.weight_size() == 0)
    return Error(errors::mod_external_weight)
        .argument("weight_info", fmt::format("{} entries", message.weight_info_size()))
        .detail("the file has no weights after its message");
  return from_message(std::move(message));
}

// Copies the weights after the message. Together they may have at most the size of `after_message`,
// so that a small file cannot allocate much memory.
Status take_weights(const ::bmodel::Model& message, Bytes after_message, Model& model) {
  uint64_t left = after_message.size(), end = 0;
  for (const auto& info : message.weight_info()) {
    const uint64_t offset = info.weight_offset(), length = info.weight_length();
    auto fail = [&](ErrorId rule, std::string detail) {
      return Error(rule)
          .argument(fmt::format("weight_info[{}]", model.weights.size()),
                    fmt::format("[{}, {}]", offset, length))
          .detail(std::move(detail));
    };
    if (offset > after_message.size() || length > after_message.size() - offset)
      return fail(errors::mod_section_range,
                  fmt::format("{} bytes follow the message", after_message.size()));
    if (length > left)
      return fail(errors::mod_section_overlap,
                  fmt::format("{} of {} bytes are unclaimed", left, after_message.size()));
    left -= length;
    end = std::max(end, offset + length);
    const Bytes weight = after_message.subspan(offset, length);
    model.weights.emplace_back(weight.begin(), weight.end());
  }
  if (end == after_message.size()) return {};
  return Error(errors::mod_trailing)
      .argument("weight_info", fmt::format("{} entries", model.weights.size()))
      .detail(fmt::format("{} bytes follow the last weight", after_message.size() - end));
}

Result<Model> read_weights_after_message(Bytes rest) {
  auto truncated = [&](const char* field, uint64_t size) {
    return Error(errors::mod_truncated)
        .argument(field, fmt::format("{} bytes", size))
        .detail(fmt::format("{} bytes are left", rest.size()));
  };
  if (rest.size() < kSizeBytes) return truncated("message_size", kSizeBytes);
  const uint32_t size = little_endian<uint32_t>(rest);
  rest = rest.subspan(kSizeBytes);
  if (size > rest.size()) return truncated("message", size);
  TW_ASSIGN_OR_RETURN(message, parse(rest.first(size)));
  if (message.weight_size() > 0)
    return Error(errors::mod_external_weight)
        .argument("weight", fmt::format("{} entries", message.weight_size()))
        .detail("the leading magic announces weights after the message");
  Model model = from_message(message);
  model.weights_after_message = true;
  TW_RETURN_IF_ERROR(take_weights(message, rest.subspan(size), model));
  return model;
}

void append(std::vector<uint8_t>& file, const ::bmodel::Model& message) {
  const size_t at = file.size(), bytes = message.ByteSizeLong();
  file.resize(at + bytes);
  message.SerializePartialToArray(file.data() + at, static_cast<int>(bytes));
}

Error too_large(size_t bytes) {
  return Error(errors::mod_too_large).argument("message", fmt::format("{} bytes", bytes));
}

Result<std::vector<uint8_t>> write_weights_after_message(const Model& model, size_t limit) {
  ::bmodel::Model message = to_message(model);
  message.clear_weight();
  uint64_t offset = 0;
  for (const auto& weight : model.weights) {
    auto& info = *message.add_weight_info();
    info.set_weight_offset(offset);
    info.set_weight_length(weight.size());
    offset += weight.size();
  }
  const size_t bytes = message.ByteSizeLong();
  if (bytes > limit) return too_large(bytes);
  std::vector<uint8_t> file;
  file.reserve(kWeightsAfterMessage.size() + kSizeBytes + bytes + offset);
  file.insert(file.end(), kWeightsAfterMessage.begin(), kWeightsAfterMessage.end());
  append_little_endian(file, static_cast<uint32_t>(bytes));
  append(file, message);
  for (const auto& weight : model.weights) file.insert(file.end(), weight.begin(), weight.end());
  return file;
}

}  // namespace

bool has_v21_frame(Bytes file) {
  return starts_with(file, kWeightsInside) || starts_with(file, kWeightsAfterMessage);
}

Result<Model> read_v21(Bytes file) {
  if (starts_with(file, kWeightsAfterMessage))
    return read_weights_after_message(file.subspan(kWeightsAfterMessage.size()));
  const bool bare = !starts_with(file, kWeightsInside);
  return read_weights_inside(bare ? file : file.subspan(kWeightsInside.size()));
}

std::vector<uint8_t> to_file(const ::bmodel::Model& message) {
  std::vector<uint8_t> file;
  file.reserve(kWeightsInside.size() + message.ByteSizeLong());
  file.insert(file.end(), kWeightsInside.begin(), kWeightsInside.end());
  append(file, message);
  return file;
}

Result<std::vector<uint8_t>> write_v21(const Model& model, size_t limit) {
  if (model.weights_after_message) return write_weights_after_message(model, limit);
  const ::bmodel::Model message = to_message(model);
  const size_t bytes = message.ByteSizeLong();
  if (bytes > limit && !model.weights.empty()) return write_weights_after_message(model, limit);
  if (bytes > limit) return too_large(bytes);
  return to_file(message);
}

}  // namespace tputwin::bmodel
