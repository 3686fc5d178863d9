// A memory as a drawing: a row for each lane, or for each range of addresses, and a column for each
// element's bytes. The addresses are those of Memory::byte, which all kernels of operations use.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "chip/chip.h"
#include "docs/svg.h"
#include "memory/tensor_view.h"

namespace tputwin::docs {

struct Element {
  uint32_t n, c, h, w;
};

// The text in an element's box, the text over boxes with the same `group`, and the colour (0 to 5).
struct Label {
  std::string text, group;
  unsigned colour = 0;
};
using Labels = std::function<Label(const Element&)>;

class Grid {
 public:
  Grid(std::string title, const Chip& chip, const TensorView& view, const Labels& labels);

  // Draws the rows in `shown`, or all if it is empty, below `y`; returns the lower end.
  double draw(Svg& svg, double y, const std::vector<uint32_t>& shown = {}) const;

 private:
  using Row = std::map<uint64_t, Label>;  // by byte
  struct Column {
    uint64_t byte, gap;  // gap: bytes outside the tensor
    double x, width;
  };
  std::vector<Column> columns(const std::vector<uint32_t>& shown) const;
  void draw_offsets(Svg& svg, double y, const std::vector<Column>& columns, const Row& row) const;
  void draw_row(Svg& svg, double y, const std::vector<Column>& columns, const Row& row) const;
  void draw_cells(Svg& svg, double y, const std::vector<Column>& columns, const Row& row) const;

  std::string title_, row_name_;
  uint32_t unit_;  // bytes of an element
  uint32_t pack_;
  std::map<uint32_t, Row> rows_;
};

}  // namespace tputwin::docs
