#include <opencv2/imgcodecs.hpp>

#include "bmnet/data/readers.h"
#include "fuzz/archives.h"
#include "fuzz/memory_file.h"
#include "fuzz/packed.h"
#include "fuzz/targets.h"
#include "insight/recording/random_run.h"
#include "insight/report.h"
#include "insight/timing/command_recording.h"
#include "tools/bm168x/npy.h"
#include "tools/vision/description.h"

namespace tputwin::fuzz {
namespace {

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

bool is_archive(std::span<const uint8_t> input) {
  return input.size() > 1 && input[0] == 'P' && input[1] == 'K';
}

}  // namespace

std::vector<Bytes> picture_seeds() {
  cv::Mat colours(9, 12, CV_8UC3), greys(7, 5, CV_8UC1);
  for (int i = 0; i < 9 * 12 * 3; ++i) colours.data[i] = static_cast<uint8_t>(i * 37);
  for (int i = 0; i < 7 * 5; ++i) greys.data[i] = static_cast<uint8_t>(i * 29);
  std::vector<Bytes> seeds;
  for (const char* kind : {".png", ".jpg", ".bmp", ".ppm", ".tiff", ".webp"})
    cv::imencode(kind, colours, seeds.emplace_back());
  for (const char* kind : {".png", ".jpg", ".bmp", ".pgm"})
    cv::imencode(kind, greys, seeds.emplace_back());
  cv::imencode(".jpg", colours, seeds.emplace_back(), {cv::IMWRITE_JPEG_PROGRESSIVE, 1});
  cv::imencode(".png", greys, seeds.emplace_back(), {cv::IMWRITE_PNG_BILEVEL, 1});
  return seeds;
}

std::vector<Bytes> description_seeds() {
  return {bytes_of(R"({"mean": 127, "scale": [0.01, 0.02, 0.03], "rgb": true, "resize": [8, 9], )"
                   R"("letterbox": true, "border": 3, "labels": ["a", "b"], "detections": )"
                   R"({"kind": "priors", "background": 0, "threshold": 0.7, "overlap": 0.3, )"
                   R"("sizes": [[10, 16], [32]], "strides": [8, 16], "variances": [0.1, 0.2]}})"),
          bytes_of(R"({"input_threshold": 2, "crop": true, "detections": {"kind": "yolo", )"
                   R"("anchors": [[1, 2, 3, 4]], "activated": true, "scores": "s"}})"),
          bytes_of(R"({"detections": {"kind": "mtcnn", "window": 12, "stride": 2}})")};
}

std::vector<Bytes> array_seeds() {
  const tools::Array floats{
      .kind = 'f', .element_bytes = 4, .shape = {2, 3}, .bytes = Bytes(24, 1)};
  const tools::Array bytes{.kind = 'u', .element_bytes = 1, .shape = {5}, .bytes = Bytes(5, 2)};
  std::vector<Bytes> seeds{tools::write_npy(floats), tools::write_npy(bytes)};
  // of numpy.savez(file, x=numpy.uint8(1))
  const Bytes scalar =
      tools::write_npy({.kind = 'u', .element_bytes = 1, .shape = {}, .bytes = {1}});
  seeds.push_back(scalar);
  seeds.push_back(zip({{"x.npy", tools::write_npy(floats)}, {"y.npy", scalar}}));
  return seeds;
}

std::vector<Bytes> idx_seeds() {
  Bytes idx{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 5};
  idx.resize(idx.size() + 2 * 4 * 5, 7);
  return {idx, packed(idx)};
}

std::vector<Bytes> recording_seeds() {
  namespace rec = insight::recording;
  std::vector<Bytes> seeds;
  for (const ChipFamily family : {ChipFamily::bm1880, ChipFamily::bm1684, ChipFamily::bm1684x}) {
    auto recording = rec::testing::record_random_run(family, 3, 6);
    // mostly commands, so that most changes affect them
    std::erase_if(recording.entries,
                  [](const auto& e) { return std::holds_alternative<rec::Poke>(e); });
    seeds.push_back(rec::to_file(recording));
  }
  return seeds;
}

std::vector<Bytes> timeline_seeds() {
  insight::Timeline timeline = insight::timeline_of(bm1684());
  insight::TimelineCommand load{.engine = Engine::dma, .id = 1, .operation = "copy", .number = 1};
  load.cost.global_bytes = 4096;
  insight::TimelineCommand add{
      .engine = Engine::compute, .id = 1, .wait = 1, .operation = "add", .number = 2};
  add.cost.compute_cycles = 100;
  timeline.commands = {load, add};
  timeline.launches = {{.name = "kernel", .number = 1, .first = 0, .count = 2}};
  return {bytes_of(insight::command_recording_of(timeline, false)),
          bytes_of(R"({"call": "okk_bdc_add", "engine": "bdc", "id": 1, "wait": 0, "compute": 3, )"
                   R"("conflict": 0, "macs": 0, "global_bytes": 0, "operands": )"
                   R"json([["dst", "w", "f32(1,3,6,7)@L+0x10000 stride(0,768,52,4)"]]})json"
                   "\n")};
}

std::vector<Bytes> board_seeds() {
  std::vector<Bytes> seeds;
  for (const Bytes& recording : timeline_seeds()) {
    Bytes& seed = seeds.emplace_back(bytes_of(R"({"times": {"conv2d": {"04": 12.5, "05": 3}}})"));
    seed.push_back('\n');
    seed.insert(seed.end(), recording.begin(), recording.end());
  }
  return seeds;
}

std::vector<Bytes> line_seeds() {
  return {bytes_of("cat\r\ndog\n\nsneaker"),
          bytes_of("# known\nTW-CHK-0101:okk_bdc_*  # a comment\n*:conv2d_[a-k]?rnel\n*\n")};
}

bool is_picture(std::span<const uint8_t> input) {
  return net::decode_picture(input, 3, false, "input").ok();
}
bool is_description(std::span<const uint8_t> input) {
  tools::Description description;
  return tools::parse_description({reinterpret_cast<const char*>(input.data()), input.size()},
                                  description)
      .ok();
}
bool is_array(std::span<const uint8_t> input) {
  if (is_archive(input)) return tools::read_npz(MemoryFile(input).path()).ok();
  return tools::read_npy(Bytes(input.begin(), input.end())).ok();
}
bool is_idx_file(std::span<const uint8_t> input) { return net::is_idx(MemoryFile(input).path()); }
bool is_recording(std::span<const uint8_t> input) { return insight::recording::parse(input).ok(); }
bool are_lines(std::span<const uint8_t> input) {
  return insight::read_suppressions(MemoryFile(input).path()).ok();
}
bool is_timeline(std::span<const uint8_t> input) {
  return insight::read_command_recording(
             {reinterpret_cast<const char*>(input.data()), input.size()}, bm1684())
      .ok();
}

}  // namespace tputwin::fuzz
