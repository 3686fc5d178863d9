// The TPUKernel functions that become the BM1684X's commands.
#include <fmt/format.h>

#include "isa/bm1684x/format.h"
#include "isa/bm1684x/operations.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

// Chooses from "fp_add|int_add" by the type.
std::string_view by_type(std::string_view names, DType dtype) {
  const size_t bar = names.find('|');
  if (bar == std::string_view::npos) return names;
  return is_float(dtype) ? names.substr(0, bar) : names.substr(bar + 1);
}

// Returns the memories of a transfer, "_S2L", or of a fill, "_local" or "_system".
std::string sides(const Instruction& in) {
  const TensorView *to = nullptr, *from = nullptr;
  for (const Operand& operand : operands(in.op)) {
    const bool writes = operand.access != Access::read;
    if (writes && to == nullptr) to = operand.view;
    if (!writes && from == nullptr) from = operand.view;
  }
  const bool to_local = to != nullptr && to->space == Space::local;
  if (from == nullptr) return to_local ? "_local" : "_system";
  return fmt::format("_{}2{}", from->space == Space::local ? 'L' : 'S', to_local ? 'L' : 'S');
}

// Returns the name in the row of a command; empty: none.
std::string_view row_name(Engine engine, std::span<const uint8_t> command) {
  if (engine == Engine::dma) {
    const CommandHead head = gdma_head(command);
    const GdmaRow* row = find_row(gdma_rows(), head.type, head.code);
    return row != nullptr ? row->name : "";
  }
  const CommandHead head = tiu_head(command);
  const TiuRow* row = find_row(tiu_rows(), head.type, head.code);
  return row != nullptr ? row->name : "";
}

}  // namespace

std::string function_name(const Instruction& in, const Chip& chip) {
  const auto bytes = encode_command(in, chip);
  const std::string_view row = bytes.ok() ? row_name(in.engine, *bytes) : "";
  if (row.empty()) return std::string(name(in.op));
  if (row.find(' ') != std::string_view::npos) return std::string(row);
  const auto* copy = std::get_if<Copy>(&in.op);
  const std::string_view function = copy != nullptr && copy->src.is_constant ? "set_C" : row;
  // Both sides of "system_" functions are in system memory, so no suffix names the sides.
  if (function.starts_with("system_")) return fmt::format("tpu_gdma_{}", function);
  if (in.engine == Engine::dma) return fmt::format("tpu_gdma_{}{}", function, sides(in));
  const OperandList list = operands(in.op);
  const DType first_source = list[list.size() > 1 ? 1 : 0].view->dtype;
  return fmt::format("tpu_bdc_{}", by_type(function, first_source));
}

}  // namespace tputwin::isa::bm1684x_streams
