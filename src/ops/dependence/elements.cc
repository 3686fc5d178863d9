// Marks of element-wise operations, and of sums of channels.
#include "numerics/float_mode.h"
#include "ops/contract/kernel_steps.h"
#include "ops/dependence/dependence.h"

namespace tputwin {
namespace {

// Returns the marks of a vector along n, which is stored as a matrix row, as a tensor (N,1,1,1).
ElementMarks along_n(const TensorView& view, uint32_t count, const MarkFlow& flow) {
  const ElementMarks stored = flow.load(view);
  ElementMarks marks({count, 1, 1, 1});
  for (uint32_t n = 0; n < count; ++n)
    marks.raise(n, 0, 0, 0, stored.at(0, n / view.shape.w, 0, n % view.shape.w));
  return marks;
}

template <class Op>
bool is_along_n(const Op& op, const TensorView* view) {
  if constexpr (requires {
                  op.a.along_n;
                  op.b.along_n;
                })
    return (view == &op.a.view && op.a.along_n) || (view == &op.b.view && op.b.along_n);
  else
    return false;
}

template <class Op>
bool is_lane_table(const Op&, const TensorView*) {
  return false;
}
bool is_lane_table(const FloatFunction& op, const TensorView* view) {
  const auto is = [&](const std::optional<TensorView>& table) { return table && view == &*table; };
  return is(op.exp_coeff) || is(op.exp_table) || is(op.coeff);
}

// Returns the marks of tables of which every lane has a copy, as a tensor (1,C,1,1): channel c of
// the result is in the lane of channel (c + the first lane of the result) of the table.
ElementMarks of_lanes(const TensorView& table, const TensorView& out, const MarkFlow& flow) {
  const ElementMarks stored = flow.load(table);
  const Chip& chip = flow.chip();
  const auto first = static_cast<uint32_t>(out.address / chip.lane_bytes),
             table_first = static_cast<uint32_t>(table.address / chip.lane_bytes);
  ElementMarks marks({1, out.shape.c, 1, 1});
  for (uint32_t c = 0; c < out.shape.c; ++c) {
    const uint32_t channel = (first + c + chip.lanes - table_first % chip.lanes) % chip.lanes;
    if (channel >= table.shape.c) continue;
    for (uint32_t n = 0; n < table.shape.n; ++n)
      for (uint32_t h = 0; h < table.shape.h; ++h)
        for (uint32_t w = 0; w < table.shape.w; ++w)
          marks.raise(0, c, 0, 0, stored.at(n, channel, h, w));
  }
  return marks;
}

// Returns the view of byte `number` of each element.
TensorView byte_of(TensorView view, uint32_t number) {
  view.address += is_16bit(view.dtype) ? uint64_t{number} * view.plane_stride : number;
  view.dtype = DType::u8;
  view.plane_stride = 0;
  return view;
}

// Each result depends on the elements of all sources at its own index.
template <class Op>
void pass_same_index(const Op& op, MarkFlow& flow, std::optional<uint32_t> byte = {}) {
  const auto part = [&](const TensorView& view) { return byte ? byte_of(view, *byte) : view; };
  const OperandList list = operands(op);
  for (const Operand& result : list) {
    if (result.access == Access::read) continue;
    ElementMarks marks(result.view->shape);
    for (const Operand& operand : list) {
      const TensorView& view = *operand.view;
      // Work tensors are written before they are read.
      if (operand.access == Access::write || operand.name.starts_with("work")) continue;
      if (is_along_n(op, &view))
        marks.raise(along_n(view, marks.shape().n, flow));
      else if (is_lane_table(op, &view))
        marks.raise(of_lanes(view, *result.view, flow));
      else
        marks.raise(flow.load(operand.access == Access::read ? part(view) : old_value(view)));
    }
    flow.store(part(*result.view), marks);
  }
}

template <class Op>
void pass(const Op& op, MarkFlow& flow) {
  pass_same_index(op, flow);
}

// Passes bytes of elements that a shift by whole bytes moves to other bytes.
void pass_shifted(const Bitwise& op, MarkFlow& flow, int32_t by) {
  const auto bytes = static_cast<int32_t>(element_bytes(op.out.dtype));
  for (int32_t i = std::max(0, by); i < std::min(bytes, bytes + by); ++i)
    flow.store(byte_of(op.out, static_cast<uint32_t>(i)),
               flow.load(byte_of(op.a.view, static_cast<uint32_t>(i - by))));
}

// Returns the marks of an operand at the indices of a result. A constant has none.
ElementMarks of_source(const Source& source, const Shape& shape, const MarkFlow& flow) {
  ElementMarks marks(shape);
  if (source.is_constant) return marks;
  marks.raise(source.along_n ? along_n(source.view, shape.n, flow) : flow.load(source.view));
  return marks;
}

// Passes one byte of each element of `and` and `or`. A byte 0 of `and`, or 0xff of `or`, makes the
// result whatever the other operand's byte is.
void pass_logic_byte(const Bitwise& op, MarkFlow& flow, uint32_t byte) {
  const auto marks_of = [&](Source source) {
    source.view = byte_of(source.view, byte);
    return of_source(source, op.out.shape, flow);
  };
  const uint32_t deciding = op.kind == Bitwise::Kind::bit_and ? 0 : 0xff;
  const ElementMarks a = marks_of(op.a), b = marks_of(op.b);
  ElementMarks marks(op.out.shape);
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const auto decides = [&](const Source& source, Mark mark) {
      const auto value = static_cast<uint32_t>(source.read(flow.values(), n, c, h, w));
      return mark == 0 && (value >> 8 * byte & 0xff) == deciding;
    };
    const Mark of_a = a.at(n, c, h, w), of_b = b.at(n, c, h, w);
    if (of_a == of_b && of_a == 0) return;
    if (!decides(op.a, of_a) && !decides(op.b, of_b)) marks.raise(n, c, h, w, std::max(of_a, of_b));
  });
  flow.store(byte_of(op.out, byte), marks);
}

// Logic passes bytes of packed elements separately. Bytes that decide clear the others, and
// constants move them.
void pass(const Bitwise& op, MarkFlow& flow) {
  using Kind = Bitwise::Kind;
  if (op.out.pack != 1) return pass_same_index(op, flow);
  const auto by = static_cast<int32_t>(op.b.constant);
  const bool moves_bytes = op.kind == Kind::logical_shift && op.b.is_constant && by % 8 == 0 &&
                           by > -32 && by < 32 && !op.a.along_n;
  if (moves_bytes) return pass_shifted(op, flow, by / 8);
  if (op.kind > Kind::bit_xor) return pass_same_index(op, flow);
  for (uint32_t i = 0; i < element_bytes(op.out.dtype); ++i) {
    if (op.kind == Kind::bit_xor)
      pass_same_index(op, flow, i);
    else
      pass_logic_byte(op, flow, i);
  }
}

// A result depends on the two elements that are compared, and on the one that they choose. If the
// comparison is undefined it depends on both.
[[gnu::noinline]] void pass_selected(const Select& op, MarkFlow& flow) {
  const Shape& shape = op.out.shape;
  ElementMarks compared = of_source(op.a, shape, flow);
  compared.raise(of_source(op.b, shape, flow));
  const ElementMarks first = of_source(op.if_true, shape, flow),
                     second = of_source(op.if_false, shape, flow);
  ElementMarks chosen = compared;
  for_each_index(shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const bool is_known = compared.at(n, c, h, w) == 0;
    const bool is_first = is_known && chooses_first(op, op.a.read(flow.values(), n, c, h, w),
                                                    op.b.read(flow.values(), n, c, h, w));
    if (!is_known || is_first) chosen.raise(n, c, h, w, first.at(n, c, h, w));
    if (!is_known || !is_first) chosen.raise(n, c, h, w, second.at(n, c, h, w));
  });
  flow.store(op.out, chosen);
  if (op.extreme) flow.store(*op.extreme, compared);
}
void pass(const Select& op, MarkFlow& flow) {
  const ScopedFloatMode mode;  // subnormals compare as zero
  pass_selected(op, flow);
}

// The copy of the words is made byte by byte. The padding bytes of the words reach no result.
void pass(const Int8ToF32& op, MarkFlow& flow) {
  flow.store(op.out, flow.load(op.in));
  for (uint32_t i = 0; i < 4; ++i) flow.store(byte_of(op.work, i), flow.load(byte_of(op.words, i)));
}

// ---- sums of channels ----

void pass_sums(const Mdsum& op, MarkFlow& flow) {
  const ElementMarks from = flow.load(op.a);
  ElementMarks marks(op.out.shape);
  for_each_index(op.a.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    marks.raise(0, c, 0, 0, from.at(n, c, h, w));
  });
  flow.store(op.out, marks);
}

// The 16 transformed weights depend on the nine weights of their channels.
void pass_sums(const DmaWinogradKernel& op, MarkFlow& flow) {
  const ElementMarks from = flow.load(op.src);
  ElementMarks marks(op.dst.shape);
  for_each_index(op.dst.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    for (uint32_t tap = 0; tap < op.src.shape.w; ++tap)
      marks.raise(n, c, h, w, from.at(n, c, h, tap));
  });
  flow.store(op.dst, marks);
}

}  // namespace

void pass_elements(const Operation& operation, MarkFlow& flow) {
  std::visit(
      [&](const auto& op) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(op)>, CpuCall>) pass(op, flow);
      },
      static_cast<const AnyOperation&>(operation));
}

void pass_channel_sum(const Operation& operation, MarkFlow& flow) {
  if (const auto* sum = std::get_if<Mdsum>(&operation)) return pass_sums(*sum, flow);
  if (const auto* kernel = std::get_if<DmaWinogradKernel>(&operation)) pass_sums(*kernel, flow);
}

}  // namespace tputwin
