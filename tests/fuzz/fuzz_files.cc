// User files other than models: pictures, descriptions, arrays, data sets, recordings, lines.
#include <filesystem>

#include "base/file.h"
#include "bmnet/data/readers.h"
#include "fuzz/memory_file.h"
#include "fuzz/targets.h"
#include "insight/recording/player.h"
#include "insight/report.h"
#include "insight/timing/command_recording.h"
#include "insight/timing/simulate.h"
#include "tools/bm168x/npy.h"
#include "tools/timing/board.h"
#include "tools/vision/description.h"

namespace tputwin::fuzz {
namespace {

std::string_view text_of(std::span<const uint8_t> input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

// A folder of this process, removed at its end.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "fuzz-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr size_t kMostEntries = 400, kMostMemory = size_t{1} << 30;

}  // namespace

std::string fuzz_picture(std::span<const uint8_t> input) {
  const net::DataOptions to_net{.shape = {1, 3, 16, 20}, .mean = {127}, .letterbox = true};
  for (const int64_t channels : {1, 3}) {
    const auto picture = net::decode_picture(input, channels, true, "input");
    if (!picture.ok()) continue;
    if (picture->extents.c != channels || picture->extents.count() <= 0 ||
        static_cast<int64_t>(picture->values.size()) != picture->extents.count())
      return "a picture of another size than its header gives";
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
  const Chip* chip = find_chip(insight::chip_of_command_recording(text_of(input)));
  auto timeline =
      insight::read_command_recording(text_of(input), chip != nullptr ? *chip : bm1684());
  if (timeline.ok()) insight::simulate(*timeline);
  return "";
}

namespace {

// The first line is board.json, the others are the recorded commands.
Result<std::vector<tools::BoardCase>> read_board_of(std::span<const uint8_t> input) {
  static const Folder folder;
  const auto end = std::ranges::find(input, uint8_t{'\n'});
  const auto split = static_cast<size_t>(end - input.begin());
  const auto recording = input.subspan(std::min(split + 1, input.size()));
  TW_RETURN_IF_ERROR(write_bytes(folder.path() + "/board.json", input.first(split)));
  TW_RETURN_IF_ERROR(write_bytes(folder.path() + "/conv2d-04-a.jsonl", recording));
  return tools::read_board(folder.path(), "BM1684");
}

}  // namespace

std::string fuzz_board(std::span<const uint8_t> input) {
  const auto cases = read_board_of(input);
  if (!cases.ok()) return "";
  static_cast<void>(tools::board_text(*cases));
  static_cast<void>(tools::board_json(*cases));
  return "";
}
bool is_board(std::span<const uint8_t> input) { return read_board_of(input).ok(); }

std::string fuzz_lines(std::span<const uint8_t> input) {
  const MemoryFile file(input);
  if (const auto labels = tools::read_labels(file.path()); labels.ok())
    for (const std::string& label : *labels)
      if (label.find('\n') != std::string::npos) return "a label of two lines";
  const auto lines = insight::read_suppressions(file.path());
  if (!lines.ok()) return "";
  insight::Report report({.print = false, .json = {}, .sarif = {}, .suppressions = *lines});
  report.add({.kind = {},
              .actor = {.does = "reads",
                        .call = "okk_bdc_conv2d",
                        .operation = {},
                        .kernel = "conv2d",
                        .engine = "bdc",
                        .lines = {{.function = "conv2d_kernel", .file = "conv2d.c", .line = 7}}},
              .other = {},
              .place = {},
              .missing = {}});
  return report.findings().size() <= 1 ? "" : "one finding has become two";
}

}  // namespace tputwin::fuzz
