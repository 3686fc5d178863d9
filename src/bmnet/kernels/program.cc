// Construction of commands by calls of BMKernel.
#include "bmnet/kernels/program.h"

#include "base/errors/bmnet.h"
#include "base/last_error.h"
#include "bmnet/kernels/target.h"
#include "sdk/bmkernel/context.h"

namespace tputwin::net {
namespace {

// Unused pages are never touched, so the size costs no memory.
constexpr uint32_t kBufferBytes = 64u << 20;  // half a million commands

tensor_lmem tensor(uint32_t address, shape_t shape, bool aligned, fmt_t fmt) {
  tensor_lmem t{};
  t.type = TL_TYPE_TENSOR_PREALLOC;
  t.operand.laddr = address;
  t.shape = shape;
  t.stride = nullptr;
  t.aligned = aligned;
  t.fmt = fmt;
  return t;
}

shape_t shape(const Extents& e) {
  return shape_t4(static_cast<int>(e.n), static_cast<int>(e.c), static_cast<int>(e.h),
                  static_cast<int>(e.w));
}

}  // namespace

tensor_lmem aligned_tensor(uint32_t address, const Extents& e, fmt_t fmt) {
  return tensor(address, shape(e), true, fmt);
}

tensor_lmem unaligned_tensor(uint32_t address, const Extents& e, fmt_t fmt) {
  return tensor(address, shape(e), false, fmt);
}

tensor_lmem matrix_tensor(uint32_t address, int64_t rows, int64_t columns, fmt_t fmt) {
  return tensor(address, shape_t2(static_cast<int>(rows), static_cast<int>(columns)), true, fmt);
}

Extents matrix_extents(int64_t rows, int64_t columns) {
  const int64_t width = columns > 32 ? 32 : 16;
  return {rows, ceil_div(columns, width), 1, width};
}

// Zeroed, because commands do not write the bytes between them.
Program::Program() : buffer_(static_cast<uint8_t*>(std::calloc(kBufferBytes, 1))) {
  bmk1880_info_t info{};
  info.chip_version = target().version;
  info.cmdbuf_size = kBufferBytes;
  info.cmdbuf = buffer_.get();
  context_ = bmk1880_register(&info);
}

Program::~Program() { bmk1880_cleanup(context_); }

void Program::check(const bmk1880_op_t* command) {
  if (command != nullptr || error_) return;
  const auto last = thread_diagnostics().last_error();
  if (!last) return fail(Error(errors::net_ir).detail("a command was refused without a reason"));
  if (begun_.empty()) return fail(*last);
  fail(Error(errors::net_target)
           .in("layer " + begun_.back().layer)
           .argument("command", last->call())
           .detail(last->message() + "; divide the layer in the net, or cut the net before it")
           .see("docs/bmnet.md"));
}

void Program::load(const tensor_lmem& t, GlobalPlace from, const stride_t* strides) {
  tensor_lmem to = t;
  check(strides ? bmk1880_gdma_load_stride(context_, &to, from.offset, *strides, from.ctrl())
                : bmk1880_gdma_load(context_, &to, from.offset, from.ctrl()));
}

void Program::store(const tensor_lmem& t, GlobalPlace to, const stride_t* strides) {
  tensor_lmem from = t;
  check(strides ? bmk1880_gdma_store_stride(context_, &from, to.offset, *strides, to.ctrl())
                : bmk1880_gdma_store(context_, &from, to.offset, to.ctrl()));
}

Status Program::status() const { return error_ ? Status(*error_) : Status(); }

void Program::fail(Error error) {
  if (!error_) error_ = std::make_unique<Error>(std::move(error));
}

std::vector<uint8_t> Program::commands() const {
  uint32_t size = 0;
  const uint8_t* bytes = bmk1880_acquire_cmdbuf(context_, &size);
  return {bytes, bytes + size};
}

void Program::begin_layer(std::string_view name) {
  if (begun_.empty() || begun_.back().layer != name)
    begun_.push_back({std::string(name), context_->command_count()});
}

bmodel::LayerRuns Program::layers() const {
  bmodel::LayerRuns layers;
  for (size_t i = 0; i < begun_.size(); ++i) {
    const size_t end = i + 1 < begun_.size() ? begun_[i + 1].at : context_->command_count();
    layers.append(begun_[i].layer, static_cast<uint32_t>(end - begun_[i].at));
  }
  return layers;
}

void Program::reset() {
  bmk1880_reset(context_);
  error_.reset();
  begun_.clear();
}

}  // namespace tputwin::net
