// Dispatch and helpers for choosing and reading the integers of a layer.
#include "bmnet/integers/choice.h"

#include <fmt/format.h>

#include <algorithm>

namespace tputwin::net {
namespace {

struct Row {
  Op op;
  Status (*choose)(const IntegerChoice&);
  void (*read)(EntryReader&, LayerIntegers&);
};
constexpr Row kRows[] = {
#define TW_OP_TPU(name, traits, shapes, tiles, moves, formula, integers, interpreter) \
  {Op::name, choose_##integers, read_##integers},
#include "bmnet/ir/ops.def"
};

const Row* row_of(const TensorOp& op) {
  const auto* row = std::ranges::find(kRows, properties(op.type()).op, &Row::op);
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace

Status choose_integers(const IntegerChoice& layer) {
  const Row* row = row_of(layer.op);
  return row == nullptr ? Status() : row->choose(layer);
}

void read_integers(EntryReader& reader, LayerIntegers& integers) {
  integers.right_shift = reader.shift("right_shift_width", reader.entry.right_shift_width());
  if (const Row* row = row_of(reader.op)) row->read(reader, integers);
}

Error IntegerChoice::range(float ratio) const {
  return Error(errors::net_weight_range)
      .in("layer " + op.name())
      .argument("max|w| * T_x / T_y", fmt::format("{}", ratio))
      .detail(fmt::format("T_x = {}, T_y = {}; give its entry of the table on_host: true",
                          thresholds.x.empty() ? 0 : x(), y()));
}

Status IntegerChoice::check_blobs() const {
  if (blobs != nullptr && !blobs->empty()) return {};
  return Error(errors::net_missing_blob).in("layer " + op.name()).argument("blob", "0");
}

void EntryReader::fail(ErrorId id, std::string_view field, std::string value, std::string detail) {
  if (!status_.ok()) return;
  status_ = Error(id)
                .in("layer " + op.name())
                .argument(field, std::move(value))
                .detail(std::move(detail));
}

int EntryReader::in_range(ErrorId id, std::string_view field, int64_t value, int least, int most) {
  if (value < least || value > most)
    fail(id, field, std::to_string(value), fmt::format("in [{}, {}]", least, most));
  return static_cast<int>(value);
}

std::vector<int> EntryReader::multipliers(int wanted, int least, int most) {
  std::vector<int> result;
  if (entry.threshold_x_quantized_size() < wanted)
    fail(errors::net_multiplier, "threshold_x_quantized",
         fmt::format("{} values", entry.threshold_x_quantized_size()),
         fmt::format("the layer needs {}", wanted));
  else
    for (int i = 0; i < wanted; ++i)
      result.push_back(
          multiplier("threshold_x_quantized", entry.threshold_x_quantized(i), least, most));
  return result;
}

Status choose_none(const IntegerChoice&) { return {}; }
void read_none(EntryReader&, LayerIntegers&) {}

}  // namespace tputwin::net
