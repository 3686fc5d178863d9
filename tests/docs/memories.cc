// docs/layouts/memories-CHIP.svg: the memories of a chip with their sizes and addresses, drawn from
// the chip's numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "chip/chip.h"
#include "docs/svg.h"

namespace tputwin::docs {
namespace {

constexpr double kEdge = 8, kPage = 640;

std::string size_text(uint64_t bytes) {
  for (const auto& [shift, name] : {std::pair{30, "GiB"}, {20, "MiB"}, {10, "KiB"}})
    if (bytes % (uint64_t{1} << shift) == 0 && bytes >> shift != 0)
      return fmt::format("{} {}", bytes >> shift, name);
  return fmt::format("{} bytes", bytes);
}

void draw_system(Svg& svg, double y, std::string_view name, uint64_t base, uint64_t bytes, double x,
                 double width, unsigned colour) {
  svg.box(x, y, width, 48, fmt::format("f{}", colour));
  svg.text(x + 10, y + 20, name, "head");
  svg.text(x + 10, y + 37, fmt::format("{} from {:#x}", size_text(bytes), base), "soft");
}

// Draws arrows in both directions between two rows of memories.
void draw_arrows(Svg& svg, double x, double y0, double y1, std::string_view engine) {
  for (double side : {-9.0, 9.0}) {
    svg.line(x + side, y0, x + side, y1, "wire");
    const double tip = side < 0 ? y1 : y0, back = side < 0 ? -6 : 6;
    svg.line(x + side, tip, x + side - 4, tip + back, "wire");
    svg.line(x + side, tip, x + side + 4, tip + back, "wire");
  }
  svg.text(x + 22, (y0 + y1) / 2 + 4, engine, "");
}

double draw_lane(Svg& svg, double y, const Chip& chip, uint32_t lane) {
  const double left = kEdge + 76, width = (kPage - 88) / chip.banks;
  svg.text(left - 10, y + 16, fmt::format("lane {}", lane), "end");
  for (uint32_t bank = 0; bank < chip.banks; bank++) {
    svg.box(left + bank * width, y, width, 24, "f2");
    if (lane == 0) svg.text(left + (bank + 0.5) * width, y + 16, std::to_string(bank), "tiny");
  }
  return y + 28;
}

double draw_local(Svg& svg, double y, const Chip& chip) {
  const double top = y;
  svg.text(kEdge + 10, y + 20, fmt::format("local memory: {}", size_text(chip.local_bytes())),
           "head");
  svg.text(kEdge + 10, y + 37,
           fmt::format("{} lanes of {}, each in {} banks of {}; lane l begins at l * {:#x}",
                       chip.lanes, size_text(chip.lane_bytes), chip.banks,
                       size_text(chip.bank_bytes()), chip.lane_bytes),
           "soft");
  y += 50;
  y = draw_lane(svg, y, chip, 0);
  y = draw_lane(svg, y, chip, 1);
  svg.text(kEdge + 66, y + 8, "...", "end");
  y = draw_lane(svg, y + 16, chip, chip.lanes - 1);
  svg.box(kEdge, top, kPage, y + 6 - top, "frame");
  return y + 6;
}

TEST(Memories, OfAllChips) {
  for (const Chip* chip : {&bm1880(), &bm1684(), &bm1684x()}) {
    Svg svg;
    double y = 8;
    const bool is_bm1880 = chip->family == ChipFamily::bm1880;
    svg.box(kEdge, y, kPage, 32, "f5");
    svg.text(kEdge + 10, y + 21, "the host's memory", "head");
    draw_arrows(svg, 120, y + 34, y + 66,
                is_bm1880 ? "the runtime: bm_memcpy_s2d, bm_memcpy_d2s"
                          : "bmlib: bm_memcpy_s2d, bm_memcpy_d2s");
    y += 68;
    const bool has_l2 = chip->l2.bytes != 0, has_dtcm = chip->dtcm.bytes != 0;
    const double parts = 1 + has_l2 + has_dtcm, width = (kPage - 12 * (parts - 1)) / parts;
    draw_system(svg, y, "global memory", chip->global_base, chip->global_bytes, kEdge, width, 1);
    if (has_l2)
      draw_system(svg, y, "L2-SRAM", chip->l2.base, chip->l2.bytes, kEdge + width + 12, width, 3);
    if (has_dtcm)
      draw_system(svg, y, "DTCM", chip->dtcm.base, chip->dtcm.bytes, kEdge + 2 * (width + 12),
                  width, 4);
    draw_arrows(svg, 120, y + 50, y + 88,
                "GDMA, an engine of its own: loads, stores, copies, transposes");
    y = draw_local(svg, y + 90, *chip);
    draw_arrows(svg, 120, y + 2, y + 36,
                is_bm1880 ? "TIU, an engine of its own" : "BDC, an engine of its own");
    svg.box(kEdge, y + 38, kPage, 48, "f5");
    svg.text(kEdge + 10, y + 58, "execution units", "head");
    svg.text(kEdge + 10, y + 75,
             fmt::format("in every lane, {} bytes of a row at once; they see their own lane only",
                         chip->eu_bytes),
             "soft");
    std::string name(chip->name);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    expect_drawing("memories-" + name,
                   svg.finish(fmt::format("The memories of the {}", chip->name)));
  }
}

}  // namespace
}  // namespace tputwin::docs
