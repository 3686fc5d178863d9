// Files of users that are no models: pictures, descriptions, arrays, data sets, recordings.
#include "bmnet/data/readers.h"
#include "fuzz/memory_file.h"
#include "fuzz/targets.h"
#include "insight/recording/player.h"
#include "insight/timing/recording.h"
#include "insight/timing/simulate.h"
#include "tools/bm168x/npy.h"
#include "tools/vision/description.h"

namespace tputwin::fuzz {
namespace {

std::string_view text_of(std::span<const uint8_t> input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

constexpr size_t kMostEntries = 400, kMostMemory = size_t{1} << 30;

}  // namespace

std::string fuzz_picture(std::span<const uint8_t> input) {
  const net::DataOptions to_net{.shape = {1, 3, 16, 20}, .mean = {127}, .letterbox = true};
  for (const int64_t channels : {1, 3}) {
    const auto picture = net::decode_picture(input, channels, true, "input");
    if (!picture.ok()) continue;
    if (picture->extents.c != channels || picture->extents.count() <= 0 ||
        static_cast<int64_t>(picture->values.size()) != picture->extents.count())
      return "a picture of another size than it says";
    std::vector<float> values(3 * 16 * 20);
    if (const Status status = net::prepare(*picture, to_net, "input", values);
        status.ok() != (channels == 3))
      return "a picture does not become a sample: " + status.message();
  }
  return "";
}

std::string fuzz_description(std::span<const uint8_t> input) {
  tools::Description description;
  static_cast<void>(tools::parse_description(text_of(input), description));
  return "";
}

std::string fuzz_arrays(std::span<const uint8_t> input) {
  if (text_of(input).starts_with("PK")) {
    static_cast<void>(tools::read_npz(MemoryFile(input).path()));
    return "";
  }
  const auto array = tools::read_npy(Bytes(input.begin(), input.end()));
  if (!array.ok()) return "";
  const auto again = tools::read_npy(tools::write_npy(*array));
  if (!again.ok()) return "what was written cannot be read: " + again.error().message();
  return again->bytes == array->bytes && again->shape == array->shape ? ""
                                                                      : "it reads back different";
}

std::string fuzz_idx(std::span<const uint8_t> input) {
  const MemoryFile file(input);
  const auto data =
      net::open_data_set(file.path(), {.kind = net::DataKind::idx, .shape = {1, 1, 4, 5}});
  if (!data.ok()) return "";
  std::vector<float> values(20);
  static_cast<void>((*data)->sample((*data)->size() - 1, values));
  return "";
}

std::string fuzz_recording(std::span<const uint8_t> input) {
  namespace rec = insight::recording;
  const auto recording = rec::parse(input);
  if (!recording.ok()) return "";
  const Bytes file = rec::to_file(*recording);
  const auto again = rec::parse(file);
  if (!again.ok()) return "what was written cannot be read: " + again.error().message();
  if (rec::to_file(*again) != file) return "it reads back different";
  if (recording->entries.size() > kMostEntries || recording->header.global_bytes > kMostMemory)
    return "";
  auto device = rec::make_device(*recording, {});
  if (device.ok()) static_cast<void>(rec::replay(*recording, **device));
  return "";
}

std::string fuzz_timeline(std::span<const uint8_t> input) {
  const Chip* chip = find_chip(insight::chip_of_recording(text_of(input)));
  auto timeline = insight::read_recording(text_of(input), chip != nullptr ? *chip : bm1684());
  if (timeline.ok()) insight::simulate(*timeline);
  return "";
}

}  // namespace tputwin::fuzz
