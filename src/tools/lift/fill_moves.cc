// The roles of operations that move elements.
#include "tools/lift/fill.h"

namespace tputwin::lift {

void fill(const Copy& op, Filler& f) {
  Roles& r = f.roles;
  f.sources(op.dst, op.src, Source::value(0u));
  r.C = {op.src.constant, op.dst.dtype};
  if (!op.src.is_constant) r.src_addr = f.address(op.src.view), r.src_stride = f.steps(op.src.view);
  r.count = f.number(op.dst.shape.count());
}

void fill(const Rearrange& op, Filler& f) {
  Roles& r = f.roles;
  f.sources(op.out, Source::tensor(op.in), Source::value(0u));
  r.src_shape = f.extents(op.in.shape);
}

void fill(const LoadTable& op, Filler& f) {
  Roles& r = f.roles;
  f.out(op.out);
  r.coeff_addr = r.table_addr = r.dst_addr;
  r.src_addr = {op.address, Place::tables, /*is_used=*/true};
  r.npu_num = f.number(op.out.shape.c);
  r.len = f.number(op.distributed ? op.out.shape.c : op.out.shape.w);
}

void fill(const TableLookup& op, Filler& f) {
  f.sources(op.out, Source::tensor(op.in), Source::value(0u));
  f.roles.table_addr = f.address(op.table);
  f.roles.len = f.number(op.table.shape.w);
}

namespace {

template <class Op>
void indexed(const Op& op, Filler& f) {
  Roles& r = f.roles;
  f.out(op.out);
  r.param_addr = f.address(op.param);
  r.param_stride = f.steps(op.param);
  r.param_h = f.number(op.param.shape.h);
  r.param_w = f.number(op.param.shape.w);
  r.is_param_repeated.value = op.param.stride.c == 0;
  r.index_addr = f.either(op.index);
  r.local_index_addr = f.address(op.index);
  r.index_is_local.value = op.index.space == Space::local;
  r.index_stride = f.steps(op.index);
  r.index_dtype = op.index.dtype;
}

}  // namespace

void fill(const Gather& op, Filler& f) {
  indexed(op, f);
  f.roles.fill_const.value = op.outside == Gather::Outside::fill;
  f.roles.C = {op.fill, op.out.dtype};
}

void fill(const Scatter& op, Filler& f) { indexed(op, f); }

void fill(const MaskSelect& op, Filler& f) {
  Roles& r = f.roles;
  f.out(op.out);
  r.src_addr = r.param_addr = f.address(op.in);
  r.data_dtype = op.in.dtype;
  r.is_param_repeated.value = op.in.stride.c == 0;
  r.base_idx = f.number(op.base);
  if (op.kind == MaskSelect::Kind::elements || op.kind == MaskSelect::Kind::positions)
    r.shape = f.extents(op.in.shape);  // the result has its greatest possible length
  if (op.count) r.count_addr = f.address(*op.count);
  if (op.kind == MaskSelect::Kind::positions) return;
  r.mask_addr = f.either(op.mask);
  r.local_mask_addr = f.address(op.mask);
  r.mask_in_lmem.value = op.mask.space == Space::local;
  r.mask_dtype = op.mask.dtype;
}

}  // namespace tputwin::lift
