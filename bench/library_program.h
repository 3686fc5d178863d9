// The convolutions and products of a program of the BM1684X or BM1684 in oneDNN: same extents, the
// library's preferred layouts, in sequence, with no other operations. 8-bit types stay as they are.
// All floats become fp32, because the library has no fp16 on most processors.
#pragma once

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <random>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ops/instruction.h"

namespace tputwin::bench {

class LibraryProgram {
 public:
  LibraryProgram() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}

  void add(std::span<const Instruction> program) {
    for (const Instruction& instruction : program)
      std::visit([&](const auto& op) { add(op); },
                 static_cast<const AnyOperation&>(instruction.op));
  }
  void run() {
    for (Layer& layer : layers_) layer.primitive.execute(stream_, layer.arguments);
    stream_.wait();
  }
  double macs() const { return macs_; }

 private:
  using memory = dnnl::memory;
  using type = memory::data_type;

  struct Layer {
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
  };

  template <class Op>
  void add(const Op& op) {
    if constexpr (requires { op.out.rows(), op.left, op.right; })
      add_product(op.out, op.left, op.right);
    else if constexpr (requires { op.window, op.weight; })
      add_convolution(
          op, requires {
            op.padding;
            op.insertion;
            op.zero_point;
          });
  }

  static type element(DType dtype) {
    if (is_float(dtype)) return type::f32;
    return is_signed(dtype) ? type::s8 : type::u8;
  }

  template <class Op>
  void add_convolution(const Op& op, bool over_all_channels) {
    const Shape &in = op.in.shape, &out = op.out.shape;
    const bool is_dense = over_all_channels || std::is_same_v<Op, Conv2dBm1684xFloat> ||
                          std::is_same_v<Op, Conv2dBm1684> || std::is_same_v<Op, Conv2dBm1684Int8>;
    const auto &h = op.window.h, &w = op.window.w;
    const auto extent = [](const Axis& axis, uint32_t e) {
      return memory::dim{(e - 1) * (axis.insert + 1) + 1};
    };
    // Padding ends with the last window: elements after it are not padding.
    const auto after = [](const Axis& axis, memory::dim e, uint32_t results) {
      return (memory::dim{results} - 1) * axis.stride + axis.reach() - axis.pad_before - e;
    };
    const memory::dim height = extent(h, in.h), width = extent(w, in.w);
    const memory::dim oc = out.c, ic = in.c;
    memory::dims weight{oc, ic, h.kernel, w.kernel};
    if (!is_dense) weight = {oc, 1, 1, h.kernel, w.kernel};
    const type t = element(op.in.dtype);
    const bool is_float = t == type::f32;
    const memory::desc bias({oc}, is_float ? t : type::s32, memory::format_tag::x);
    const dnnl::convolution_forward::desc desc(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
        any({in.n, ic, height, width}, t), any(weight, is_float ? t : type::s8), bias,
        any({out.n, oc, out.h, out.w}, is_float ? t : type::s8), {h.stride, w.stride},
        {h.dilation - 1, w.dilation - 1}, {h.pad_before, w.pad_before},
        {after(h, height, out.h), after(w, width, out.w)});
    const dnnl::convolution_forward::primitive_desc primitive(desc, engine_);
    finish(primitive, dnnl::convolution_forward(primitive));
    macs_ += static_cast<double>(out.count()) * h.kernel * w.kernel * (is_dense ? in.c : 1);
  }

  void add_product(const MatrixOperand& out, const MatrixOperand& left,
                   const MatrixOperand& right) {
    const memory::dim rows = out.rows(), cols = out.cols(), terms = left.cols();
    const type t = element(left.dtype());
    const bool is_float = t == type::f32;
    const dnnl::matmul::desc desc(any({rows, terms}, t),
                                  any({terms, cols}, is_float ? t : type::s8),
                                  any({rows, cols}, is_float ? t : type::s32));
    static_cast<void>(right);
    const dnnl::matmul::primitive_desc primitive(desc, engine_);
    finish(primitive, dnnl::matmul(primitive));
    macs_ += static_cast<double>(rows * cols * terms);
  }

  static memory::desc any(const memory::dims& dims, type t) {
    return {dims, t, memory::format_tag::any};
  }

  template <class Description>
  void finish(const Description& description, dnnl::primitive primitive) {
    Layer layer{std::move(primitive), {}};
    const std::pair<int, memory::desc> operands[] = {{DNNL_ARG_SRC, description.src_desc()},
                                                     {DNNL_ARG_WEIGHTS, description.weights_desc()},
                                                     {DNNL_ARG_BIAS, bias_of(description)},
                                                     {DNNL_ARG_DST, description.dst_desc()}};
    for (const auto& [argument, desc] : operands) {
      if (desc.get_size() == 0) continue;
      memory data(desc, engine_);
      fill(static_cast<uint8_t*>(data.get_data_handle()), desc);
      layer.arguments.emplace(argument, data);
    }
    layers_.push_back(std::move(layer));
  }
  // Fills with small integers, or with floats from 1/8 to 3/4: some processors take a hundred times
  // as long for products that are subnormal.
  void fill(uint8_t* bytes, const memory::desc& desc) {
    const bool is_float = desc.data.data_type == dnnl_f32;
    for (size_t i = 0; i < desc.get_size(); ++i) bytes[i] = static_cast<uint8_t>(random_() & 0x3f);
    for (size_t i = 3; is_float && i < desc.get_size(); i += sizeof(float))
      bytes[i] = 0x3e + i / 4 % 2;
  }
  template <class Description>
  static memory::desc bias_of(const Description& description) {
    if constexpr (requires { description.bias_desc(); }) return description.bias_desc();
    return {};
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::minstd_rand random_;
  std::vector<Layer> layers_;
  double macs_ = 0;
};

}  // namespace tputwin::bench
