// Conversion of addresses, strides and operands to roles.
#include "tools/lift/fill.h"

#include "base/bits.h"
#include "memory/layout.h"
#include "memory/normal_stride.h"

namespace tputwin::lift {
namespace {

uint64_t base_of(const TensorView& view, const Chip& chip) {
  switch (view.space) {
    case Space::l2:
      return chip.l2.base;
    case Space::dtcm:
      return chip.dtcm.base;
    case Space::global:
      return chip.global_base;
    default:
      return 0;
  }
}

// In elements, or cells of packed tensors.
Stride default_stride(const TensorView& view, const Chip& chip, bool is_aligned) {
  const uint32_t bytes = run_bytes(view);
  const bool local = view.space == Space::local;
  const uint64_t start = view.address / chip.lane_bytes;
  const Shape shape{cells(view), view.shape.c, view.shape.h, view.shape.w};
  Stride stride =
      local ? lane_stride(chip, shape, start, bytes, is_aligned) : system_stride(shape, bytes);
  drop_meaningless(stride, shape,
                   local ? ceil_div(start + shape.c, uint64_t{chip.lanes}) : shape.c);
  return stride;
}

Steps steps_of(const TensorView& view) {
  const uint32_t bytes = run_bytes(view);
  const Stride& s = view.stride;
  return {{{s.n / bytes, s.c / bytes, s.h / bytes, s.w / bytes}}};
}

}  // namespace

Address Filler::address(const TensorView& view) const {
  return {view.address + base_of(view, chip_),
          view.space == Space::local ? Place::local : Place::system, /*is_used=*/true};
}

Steps Filler::steps(const TensorView& view) const {
  const bool is_default = view.stride == default_stride(view, chip_, /*is_aligned=*/true);
  return style_ == StrideStyle::natural && is_default ? Steps{} : steps_of(view);
}

Steps Filler::compact_steps(const TensorView& view) const {
  const bool is_default = view.stride == default_stride(view, chip_, /*is_aligned=*/false);
  return style_ == StrideStyle::natural && is_default ? Steps{} : steps_of(view);
}

Variable Filler::variable(const Source& source) const {
  using Kind = Variable::Kind;
  if (source.is_constant) return {.kind = Kind::scalar, .constant = constant(source)};
  const Stride& s = source.view.stride;
  const bool one_in_a_lane = s.n == 0 && s.c == 0 && s.h == 0 && s.w == 0;
  const bool is_vector = one_in_a_lane && source.view.shape.count() > 1;
  return {.kind = is_vector ? Kind::vector : Kind::tensor, .address = address(source.view)};
}

void Filler::out(const TensorView& view) {
  roles.dst_addr = roles.output_addr = address(view);
  roles.shape = roles.dst_shape = extents(view.shape);
  roles.dst_stride = roles.output_stride = steps(view);
  roles.dtype = roles.dst_dtype = roles.output_dtype = view.dtype;
}

void Filler::sources(const TensorView& out, const Source& a, const Source& b) {
  this->out(out);
  const Source& tensor = a.is_constant ? b : a;
  const Source& other = a.is_constant ? a : b;
  roles.src_addr = address(tensor.view);
  roles.src_stride = steps(tensor.view);
  roles.src_dtype = tensor.view.dtype;
  roles.C = constant(other);
  roles.C_dtype = other.view.dtype;
  roles.src0_dtype = a.view.dtype;
  roles.src1_dtype = b.view.dtype;
  if (!a.is_constant) roles.src0_addr = address(a.view), roles.src0_stride = steps(a.view);
  if (!b.is_constant) roles.src1_addr = address(b.view), roles.src1_stride = steps(b.view);
  if (!a.along_n) return;
  roles.src0_len = number(out.shape.n);
  roles.src0_len_per_channel = number(a.view.shape.w);
  roles.src1_len = number(uint64_t{out.shape.c} * out.shape.w);
  roles.src1_len_per_channel = number(out.shape.w);
}

bool fill_any(const Operation& op, Filler& filler) {
  return std::visit(
      [&](const auto& alternative) {
        if constexpr (requires { fill(alternative, filler); }) {
          fill(alternative, filler);
          return true;
        } else {
          return false;
        }
      },
      static_cast<const AnyOperation&>(op));
}

}  // namespace tputwin::lift
