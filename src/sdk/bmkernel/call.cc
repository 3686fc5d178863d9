// Checks of C arguments, and the encoding of an operation into the command buffer.
#include "sdk/bmkernel/call.h"

#include "base/errors/bmkernel.h"
#include "base/errors/ops.h"
#include "base/last_error.h"
#include "chip/rule_numbers.h"

namespace tputwin::bmkernel {

bool Call::broken(ErrorId rule, std::string_view argument, std::string value) {
  return require(bmkernel::broken(rule, argument, std::move(value)));
}

bool Call::require(Status status) {
  if (status.ok()) return true;
  status.error().set_call_if_empty(name_);
  add_rule_numbers(status.error(), chip());
  const Status reported = report(context_.diagnostics(), std::move(status.error()));
  if (!reported.ok()) context_.refuse(reported.error());
  return reported.ok();
}

const Chip* chip_of_version(uint32_t version) {
  const Chip* chip = find_chip(fmt::format("{}", version));
  return chip != nullptr && chip->family == ChipFamily::bm1880 ? chip : nullptr;
}

bool Call::present(const Arg& arg) {
  return require(arg.tensor != nullptr, errors::bmk_null_argument, arg.name, "NULL");
}

bool Call::usable(const Arg& arg) {
  if (!present(arg)) return false;
  const tensor_lmem& t = *arg.tensor;
  if (!require(t.shape.dim >= 1 && t.shape.dim <= 4, errors::bmk_shape_dim, arg.name, &t))
    return false;
  // Extents below 64 Ki, so that their product cannot overflow.
  Shape s = nchw(chip(), t.shape);
  auto fits = [](uint32_t extent) { return extent >= 1 && extent <= 0xffff; };
  bool sizes =
      fits(s.n) && fits(s.c) && fits(s.h) && fits(s.w) && s.count() <= chip().local_bytes();
  bool inside = t.type != TL_TYPE_CONSTANT && t.operand.laddr < chip().local_bytes();
  return require(sizes, errors::bmk_shape_extent, arg.name, &t) &&
         require(t.fmt == FMT_I8 || t.fmt == FMT_U8, errors::bmk_fmt, arg.name, &t) &&
         require(inside, errors::bmk_lmem_address, arg.name, &t);
}

bool Call::is_tensor(const Arg& arg) {
  return usable(arg) &&
         require(!bmkernel::is_matrix(arg->shape), errors::bmk_not_a_tensor, arg.name, arg.tensor);
}

bool Call::is_matrix(const Arg& arg) {
  return usable(arg) &&
         require(bmkernel::is_matrix(arg->shape), errors::bmk_not_a_matrix, arg.name, arg.tensor);
}

bool Call::unaligned(const Arg& arg) {
  const tensor_lmem& t = *arg.tensor;
  return require(strides(chip(), t) == default_strides(chip(), t, false), errors::bmk_not_unaligned,
                 arg.name, &t);
}

bool Call::rshift(int width) {
  return require(width >= 0 && width <= 31, errors::bmk_rshift, "rshift_width", width);
}

bool Call::accept(const Operation& op) {
  // Global addresses are relocated later, so that only their width can be checked.
  const uint64_t addressable = (uint64_t{1} << 40) - chip().global_base;
  Status status = check(op, chip());
  // The call has warned: only the device stops at this (matrix_mac).
  if (!status.ok() && status.error().id() == errors::ops_matrix_unsigned_add) status = {};
  return require(std::move(status)) && require(check_bounds(op, chip(), addressable));
}

bmk1880_op_t* Call::append(const isa::Descriptor& descriptor, uint8_t flags) {
  Result<bmk1880_op_t*> handle = context_.append(descriptor, flags, name_);
  return require(handle.status()) ? *handle : nullptr;
}

namespace {

bool not_null(const void* pointer, ErrorId rule, std::string_view call, std::string_view name) {
  if (pointer != nullptr) return true;
  (void)report(Error(rule).in(call).argument(name, "NULL"));
  return false;
}

}  // namespace

bool has_context(const Context* context, std::string_view call) {
  return not_null(context, errors::bmk_null_context, call, "ctx");
}

bool has_argument(const void* argument, std::string_view call, std::string_view name) {
  return not_null(argument, errors::bmk_null_argument, call, name);
}

}  // namespace tputwin::bmkernel
