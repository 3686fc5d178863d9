// Times of networks that the vendor's demos publish: nothing that is predicted of the units may
// take longer, and no bound may be above them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "chip/family.h"
#include "common/shared_data.h"
#include "insight/timing/work.h"
#include "ops/conv/conv2d_bm1684.h"
#include "ops/conv/conv2d_bm1684_int8.h"
#include "ops/conv/conv2d_bm1684x_float.h"
#include "ops/conv/conv2d_bm1684x_int8.h"
#include "timing/networks.h"

namespace tputwin::insight {
namespace {

using testing::ConvolutionSize;
using testing::NetworkSize;

constexpr const char* kPublished = "published-latencies/latencies.json";

TensorView view_of(DType type, Shape shape, uint8_t pack = 1) {
  return {.dtype = type, .pack = pack, .shape = shape};
}

// Fills the members that all convolutions have.
template <class Op>
Op convolution(const ConvolutionSize& size, DType type, uint32_t batch) {
  Op op{};
  op.window.h.kernel = op.window.w.kernel = size.taps;
  op.out = view_of(type, {batch, size.out_channels, size.out_height, size.out_width});
  op.in = view_of(
      type, {batch, size.in_channels, size.out_height * size.stride, size.out_width * size.stride});
  return op;
}

template <class Op>
uint64_t cycles_of(const Op& op, const Chip& chip) {
  Cost price = cost(op, chip);
  price.conflict_cycles = 0;
  const Work work = work_of(Arithmetic::convolution, Engine::compute, operands(op), price, chip);
  return price_of(work, chip, timing_of(chip)).cycles();
}

// Returns the predicted cycles of the units for a layer, as one command.
uint64_t unit_cycles(const ConvolutionSize& size, DType type, uint32_t batch, const Chip& chip) {
  const Shape filters{size.in_channels, size.out_channels, size.taps, size.taps};
  if (chip.family == ChipFamily::bm1684x) {
    if (type == DType::i8) {
      auto op = convolution<Conv2dBm1684xInt8>(size, type, batch);
      op.weight = Source::value(1u, type);
      return cycles_of(op, chip);
    }
    auto op = convolution<Conv2dBm1684xFloat>(size, type, batch);
    op.weight = Source::value(1u, type);
    return cycles_of(op, chip);
  }
  if (type == DType::i8) {
    auto op = convolution<Conv2dBm1684Int8>(size, type, batch);
    op.weight = view_of(type, filters, 4);
    return cycles_of(op, chip);
  }
  auto op = convolution<Conv2dBm1684>(size, type, batch);
  op.weight = view_of(type, filters, 2);
  return cycles_of(op, chip);
}

struct PublishedRow {
  std::string network, file;
  const Chip* chip;
  DType type;
  uint32_t batch;
  double ms;  // of one sample
};

std::vector<PublishedRow> published_rows() {
  std::ifstream file(testing::shared_data(kPublished));
  std::vector<PublishedRow> rows;
  for (const auto& row : nlohmann::json::parse(file)) {
    const std::string name = row["file"];
    const auto is = [&](const char* word) { return name.find(word) != name.npos; };
    const DType type = is("int8") ? DType::i8 : is("fp16") || is("f16") ? DType::f16 : DType::f32;
    const uint32_t batch = row["batch"].is_number() ? row["batch"].get<uint32_t>() : 1;
    rows.push_back(
        {row["network"], name, find_chip(row["chip"].get<std::string>()), type, batch, row["ms"]});
  }
  return rows;
}

double products_a_second(const Chip& chip, DType type) {
  const double lanes = chip.lanes * chip.clock_hz, words = chip.eu_bytes / 4;
  if (type == DType::i8) return lanes * chip.macs_per_lane_cycle;
  return lanes * (type == DType::f16 ? words * 8 : words);
}

struct KnownNetwork {
  std::string_view network;
  NetworkSize (*build)();  // nullptr: only sizes are known
  // As the authors of the network publish; 0: not known for the size of the demo's input.
  double giga_products, mega_weights;
};
constexpr KnownNetwork kNetworks[] = {
    {"ResNet", testing::resnet50, 0, 0},
    {"YOLOv5", testing::yolov5s, 0, 0},
    {"YOLOv5_fuse", testing::yolov5s, 0, 0},
    {"YOLOv8_det", testing::yolov8s, 0, 0},
    {"YOLOv8_seg", nullptr, 21.3, 11.8},
    {"YOLOX", nullptr, 13.4, 9.0},
    {"YOLOv7", nullptr, 52.3, 36.9},
    {"YOLOv9_det", nullptr, 13.2, 7.1},
    {"YOLOv9_seg", nullptr, 72.3, 27.4},
    {"HRNet_pose", nullptr, 7.1, 28.5},
    {"SCRFD", nullptr, 9.9, 3.8},
    {"OpenPose", nullptr, 0, 52.3},
    {"P2PNet", nullptr, 0, 21.6},
    {"LPRNet", nullptr, 0, 0.45},
    {"ppYOLOv3", nullptr, 0, 61.9},
    {"BERT", nullptr, 0, 85.0},
    {"WeNet", nullptr, 0, 0},
};

const KnownNetwork& known(const std::string& network) {
  return *std::ranges::find(kNetworks, network, &KnownNetwork::network);
}

struct Bounds {
  double products_ms, weights_ms;
  double units_ms;  // predicted; 0: the network is not built
};

Bounds bounds_of(const PublishedRow& row) {
  const KnownNetwork& net = known(row.network);
  const Chip& chip = *row.chip;
  double products = net.giga_products * 1e9, weights = net.mega_weights * 1e6, units = 0;
  if (net.build != nullptr) {
    const NetworkSize size = net.build();
    products = static_cast<double>(size.products());
    weights = static_cast<double>(size.weights());
    for (const ConvolutionSize& layer : size.layers)
      units += static_cast<double>(unit_cycles(layer, row.type, row.batch, chip));
  }
  const double bus = chip.dma_bytes_per_cycle * chip.clock_hz;
  return {products / products_a_second(chip, row.type) * 1e3,
          weights * element_bytes(row.type) / bus / row.batch * 1e3,
          units / chip.clock_hz / row.batch * 1e3};
}

TEST(Published, SizesOfNetworksAreThoseOfTheirAuthors) {
  EXPECT_NEAR(static_cast<double>(testing::resnet50().products()), 4.09e9, 0.01e9);
  EXPECT_NEAR(static_cast<double>(testing::resnet50().weights()), 25.5e6, 0.1e6);
  EXPECT_NEAR(static_cast<double>(testing::yolov5s().products()), 8.25e9, 0.1e9);
  EXPECT_NEAR(static_cast<double>(testing::yolov5s().weights()), 7.2e6, 0.05e6);
  EXPECT_NEAR(static_cast<double>(testing::yolov8s().products()), 14.3e9, 0.15e9);
  EXPECT_NEAR(static_cast<double>(testing::yolov8s().weights()), 11.15e6, 0.1e6);
}

std::string milliseconds(double ms) { return ms == 0 ? "" : fmt::format("{:.2f}", ms); }

std::string row_of(const PublishedRow& row, const Bounds& bounds) {
  const double most = std::max({bounds.products_ms, bounds.weights_ms, bounds.units_ms});
  return fmt::format("| {} | {} | {} | {} | {} | {:.2f} | {} | {} | {} | {} |\n", row.network,
                     row.chip->name, row.file, to_string(row.type), row.batch, row.ms,
                     milliseconds(bounds.products_ms), milliseconds(bounds.weights_ms),
                     milliseconds(bounds.units_ms),
                     most == 0 ? "" : fmt::format("{:.0f} %", 100 * most / row.ms));
}

constexpr std::string_view kHead =
    "# Published times of networks\n\n"
    "Times of a sample that the vendor's demos publish for their networks, and what cannot take\n"
    "longer. [timing.md](../timing.md#published-networks) explains the columns. A test compares\n"
    "this page: `TPUTWIN_REBASE=1 build/bin/test_timing --gtest_filter='Published*'` writes it.\n\n"
    "| network | chip | file | type | batch | published ms | products at the peak | weights over "
    "the bus | units, predicted | largest of the published |\n"
    "|---|---|---|---|---|---|---|---|---|---|\n";

TEST(Published, NoBoundAndNoPredictionOfTheUnitsIsAboveABoard) {
  TW_NEED_SHARED_DATA(kPublished);
  std::string page(kHead);
  for (const PublishedRow& row : published_rows()) {
    const Bounds bounds = bounds_of(row);
    SCOPED_TRACE(row.network + " " + row.file);
    EXPECT_LE(bounds.products_ms, row.ms);
    EXPECT_LE(bounds.weights_ms, row.ms);
    EXPECT_LE(bounds.units_ms, row.ms);
    page += row_of(row, bounds);
  }
  const std::string path = TPUTWIN_SOURCE_DIR "/docs/notes/published-times.md";
  if (getenv("TPUTWIN_REBASE") != nullptr) std::ofstream(path) << page;
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), page);
}

}  // namespace
}  // namespace tputwin::insight
