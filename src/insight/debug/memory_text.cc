// Formats tensors and bytes as text.
#include "insight/debug/memory_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ops/contract/kernel_steps.h"

namespace tputwin::debug {
namespace {

constexpr uint32_t kPlanes = 2, kRows = 8, kColumns = 12;
constexpr uint64_t kHexRows = 16, kHexColumns = 16;

uint32_t shown(uint32_t extent, uint32_t most, bool all) {
  return all ? extent : std::min(extent, most);
}

std::string row_text(const TensorView& v, const Memory& memory, const Shape& at, bool all) {
  std::string text = " ";
  const uint32_t columns = shown(v.shape.w, kColumns, all);
  for (uint32_t w = 0; w < columns; ++w)
    text += fmt::format(" {:>7}", element_text(memory.read(v, at.n, at.c, at.h, w), v.dtype));
  return text + (columns < v.shape.w ? " ...\n" : "\n");
}

std::string plane_text(const TensorView& v, const Memory& memory, uint32_t n, uint32_t c,
                       bool all) {
  std::string text = fmt::format(" n {} c {}", n, c);
  if (v.space == Space::local)
    text += fmt::format(", lane {}",
                        (v.address / memory.local.lane_bytes() + c) % memory.local.lanes());
  text += "\n";
  const uint32_t rows = shown(v.shape.h, kRows, all);
  for (uint32_t h = 0; h < rows; ++h) text += row_text(v, memory, {n, c, h, 0}, all);
  return text + (rows < v.shape.h ? "  ...\n" : "");
}

// Returns true for integers at a limit of their type.
bool is_at_limit(int32_t bits, DType dtype) {
  if (is_float(dtype) || dtype == DType::b32) return false;
  return saturate(INT64_MAX, dtype) == bits || saturate(INT64_MIN, dtype) == bits;
}

}  // namespace

double element_value(int32_t bits, DType dtype) {
  if (is_float(dtype)) return float_value(static_cast<uint32_t>(bits), dtype);
  return static_cast<double>(integer_value(bits, dtype));
}

std::string element_text(int32_t bits, DType dtype) {
  if (dtype == DType::b32) return fmt::format("{:#x}", static_cast<uint32_t>(bits));
  if (!is_float(dtype)) return fmt::format("{}", integer_value(bits, dtype));
  return fmt::format("{:.6g}", float_value(static_cast<uint32_t>(bits), dtype));
}

std::string tensor_text(const NamedView& tensor, const Memory& memory, bool all) {
  const TensorView& v = tensor.view;
  std::string text = fmt::format("{} {}\n", tensor.name, tputwin::describe(v));
  uint32_t planes = 0;
  for (uint32_t n = 0; n < v.shape.n; ++n)
    for (uint32_t c = 0; c < v.shape.c; ++c) {
      if (planes++ == kPlanes && !all)
        return text + fmt::format(" ... {} planes\n", uint64_t{v.shape.n} * v.shape.c);
      text += plane_text(v, memory, n, c, all);
    }
  return text;
}

std::string hex_text(const std::vector<ByteRange>& ranges, const Memory& memory, bool all) {
  std::string text;
  uint64_t rows = 0;
  for (const ByteRange& range : ranges)
    for (uint64_t at = range.begin; at < range.end; at += kHexColumns) {
      if (rows++ == kHexRows && !all) return text + fmt::format("... {} bytes\n", bytes_in(ranges));
      const uint64_t count = std::min(kHexColumns, range.end - at);
      std::string place = describe({range.space, range.lane, at, at + count});
      text += fmt::format("{:<16}", place.substr(0, place.find(':')));
      const uint8_t* bytes = bytes_at(memory, {range.space, range.lane, at, at + count});
      for (uint64_t i = 0; i < count; ++i) text += fmt::format(" {:02x}", bytes[i]);
      text += "\n";
    }
  return text;
}

std::string statistics_text(const NamedView& tensor, const Memory& memory) {
  const TensorView& v = tensor.view;
  double smallest = INFINITY, largest = -INFINITY, sum = 0;
  uint64_t zeros = 0, limits = 0, nans = 0;
  for_each_index(v.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const int32_t bits = memory.read(v, n, c, h, w);
    const double value = element_value(bits, v.dtype);
    limits += is_at_limit(bits, v.dtype);
    if (std::isnan(value)) {
      ++nans;
      return;
    }
    zeros += value == 0;
    smallest = std::min(smallest, value), largest = std::max(largest, value), sum += value;
  });
  const uint64_t count = v.shape.count(), numbers = count - nans;
  std::string text = fmt::format("{} {}\n", tensor.name, tputwin::describe(v));
  text += fmt::format(" {} elements", count);
  if (numbers != 0)
    text += fmt::format(", {:.6g} to {:.6g}, mean {:.6g}", smallest, largest,
                        sum / static_cast<double>(numbers));
  text += fmt::format(", {} zero", zeros);
  if (!is_float(v.dtype))
    text += fmt::format(", {} at the limits of {}", limits, to_string(v.dtype));
  if (is_float(v.dtype)) text += fmt::format(", {} NaN", nans);
  return text + "\n";
}

std::string lanes_text(const NamedView& tensor, const Memory& memory, const Chip& chip) {
  std::vector<ByteRange> ranges;
  add_ranges(tensor.view, chip, ranges);
  sort_and_merge(ranges);
  std::string text = fmt::format("{} {}\n", tensor.name, tputwin::describe(tensor.view));
  if (tensor.view.space != Space::local)
    return text + fmt::format(" {} bytes in {}\n", bytes_in(ranges), to_string(tensor.view.space));
  for (uint32_t lane = 0; lane < memory.local.lanes(); ++lane) {
    uint64_t begin = UINT64_MAX, end = 0, bytes = 0;
    for (const ByteRange& range : ranges) {
      if (range.lane != lane) continue;
      begin = std::min(begin, range.begin), end = std::max(end, range.end);
      bytes += range.end - range.begin;
    }
    if (bytes == 0) continue;
    text +=
        fmt::format(" lane {:2}: {} bytes in [{:#x}, {:#x}), banks {} to {}, channels", lane, bytes,
                    begin, end, begin / chip.bank_bytes(), (end - 1) / chip.bank_bytes());
    const uint64_t start = tensor.view.address / chip.lane_bytes;
    for (uint32_t c = 0; c < tensor.view.shape.c; ++c)
      if ((start + c) % chip.lanes == lane) text += fmt::format(" {}", c);
    text += "\n";
  }
  return text;
}

}  // namespace tputwin::debug
