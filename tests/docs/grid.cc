// Draws elements at their addresses.
#include "docs/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "memory/memory.h"

namespace tputwin::docs {
namespace {

constexpr double kLeft = 84, kWidth = 27, kGap = 58, kBox = 20, kRow = 40;
constexpr uint64_t kShortGap = 2;      // number of empty elements that are drawn
constexpr uint64_t kRowOfSystem = 24;  // bytes

}  // namespace

Grid::Grid(std::string title, const Chip& chip, const TensorView& view, const Labels& labels)
    : title_(std::move(title)),
      row_name_(view.space == Space::local ? "lane {}" : "byte {}"),
      unit_(is_run(view) ? element_bytes(view.dtype) : 1),
      pack_(view.pack) {
  LocalMemory local(chip);
  const auto global = std::move(GlobalMemory::reserve(1 << 20).value());
  const Memory memory{local, *global};
  const bool in_lanes = view.space == Space::local;
  const uint64_t row_bytes = in_lanes ? chip.lane_bytes : kRowOfSystem;
  const auto put = [&](const uint8_t* byte, Label label) {
    const uint64_t at =
        in_lanes ? local.address_of(byte) : static_cast<uint64_t>(byte - global->data());
    rows_[static_cast<uint32_t>(at / row_bytes)][at % row_bytes] = std::move(label);
  };
  const Shape& s = view.shape;
  for (uint32_t n = 0; n < s.n; n++)
    for (uint32_t c = 0; c < s.c; c++)
      for (uint32_t h = 0; h < s.h; h++)
        for (uint32_t w = 0; w < s.w; w++) {
          const uint8_t* byte = memory.byte(view, n, c, h, w);
          Label label = labels({n, c, h, w});
          if (label.text.empty()) continue;
          if (!is_run(view)) {
            Label high = label;
            high.group += " high";
            high.colour += 1;
            label.group += " low";
            put(byte + view.plane_stride, high);
          }
          put(byte, std::move(label));
        }
}

std::vector<Grid::Column> Grid::columns(const std::vector<uint32_t>& shown) const {
  std::set<uint64_t> used;
  for (uint32_t row : shown)
    for (const auto& [byte, label] : rows_.at(row)) used.insert(byte);
  std::vector<Column> columns;
  double x = kLeft;
  uint64_t next = *used.begin();
  for (uint64_t byte : used) {
    const uint64_t gap = byte - next;
    if (gap > kShortGap * unit_) {
      columns.push_back({next, gap, x, kGap});
      x += kGap;
    } else {
      for (; next < byte; next += unit_, x += kWidth) columns.push_back({next, 0, x, kWidth});
    }
    columns.push_back({byte, 0, x, kWidth});
    x += kWidth;
    next = byte + unit_;
  }
  return columns;
}

void Grid::draw_offsets(Svg& svg, double y, const std::vector<Column>& columns,
                        const Row& row) const {
  std::string before;
  for (size_t i = 0; i < columns.size(); i++) {
    const Column& column = columns[i];
    const auto found = row.find(column.byte);
    const bool starts = i == 0 || columns[i - 1].gap != 0;
    const bool changes = found != row.end() && found->second.group != before;
    if (found != row.end()) before = found->second.group;
    if (column.gap == 0 && (starts || changes))
      svg.text(column.x, y, fmt::format("+{}", column.byte), "soft");
  }
}

void Grid::draw_row(Svg& svg, double y, const std::vector<Column>& columns, const Row& row) const {
  std::string before;
  for (const Column& column : columns) {
    if (column.gap != 0) {
      svg.text(column.x + column.width / 2, y + 14, fmt::format("{} bytes", column.gap),
               "soft mid");
      before.clear();
      continue;
    }
    const auto found = row.find(column.byte);
    if (found == row.end()) {
      svg.box(column.x, y, column.width, kBox, "none");
      before.clear();
      continue;
    }
    const Label& label = found->second;
    if (label.group != before) svg.text(column.x, y - 4, label.group, "soft");
    before = label.group;
    svg.box(column.x, y, column.width, kBox, fmt::format("f{}", label.colour % 6));
    svg.text(column.x + column.width / 2, y + 14, label.text, "tiny");
  }
}

void Grid::draw_cells(Svg& svg, double y, const std::vector<Column>& columns,
                      const Row& row) const {
  if (pack_ == 1) return;
  for (const Column& column : columns)
    if (column.gap == 0 && column.byte % (uint64_t{pack_} * unit_) == 0 &&
        row.contains(column.byte))
      svg.box(column.x, y, column.width * pack_, kBox, "cell");
}

double Grid::draw(Svg& svg, double y, const std::vector<uint32_t>& shown) const {
  std::vector<uint32_t> rows = shown;
  if (rows.empty())
    for (const auto& [index, row] : rows_) rows.push_back(index);
  const std::vector<Column> columns = this->columns(rows);
  svg.text(8, y + 18, title_, "head");
  y += 40;
  draw_offsets(svg, y, columns, rows_.at(rows.front()));
  y += 20;
  for (size_t i = 0; i < rows.size(); i++) {
    if (i > 0 && rows[i] != rows[i - 1] + 1) {
      svg.text(kLeft - 12, y - 6, "...", "end");
      y += 16;
    }
    const uint64_t name = row_name_ == "lane {}" ? rows[i] : rows[i] * kRowOfSystem;
    svg.text(kLeft - 12, y + 14, fmt::format(fmt::runtime(row_name_), name), "end");
    draw_row(svg, y, columns, rows_.at(rows[i]));
    draw_cells(svg, y, columns, rows_.at(rows[i]));
    y += kRow;
  }
  return y;
}

}  // namespace tputwin::docs
