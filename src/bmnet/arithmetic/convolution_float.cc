// Convolutions and inner products in float by oneDNN, one image a task. Inserted zeros, and pads
// that oneDNN refuses, are written into an expanded image first.
#include <algorithm>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>

#include "base/errors/bmnet.h"
#include "base/parallel.h"
#include "bmnet/float/execute.h"
#include "bmnet/float/kernels.h"
#include "bmnet/float/one_thread.h"

namespace tputwin::net {
namespace {

using Memory = dnnl::memory;
using Tag = Memory::format_tag;

const dnnl::engine& cpu() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

Memory::desc describe_memory(const Memory::dims& dims, Tag tag) {
  return {dims, Memory::data_type::f32, tag};
}

using Described = dnnl::convolution_forward::primitive_desc;

// From version 3 on, oneDNN describes a primitive without an operation descriptor.
template <class... Arguments>
Described describe_forward(const dnnl::primitive_attr& attributes, Arguments&&... arguments) {
  constexpr auto kind = dnnl::prop_kind::forward_inference;
  constexpr auto how = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  return Described(cpu(), kind, how, arguments..., attributes);
#else
  return Described({kind, how, arguments...}, attributes, cpu());
#endif
}

class Convolution {
 public:
  Convolution(const TensorOp& op, const std::vector<Blob>& blobs)
      : in_(extents(op.input_shape(0))),
        out_(extents(op.output_shape(0))),
        window_(convolution_window(op)) {
    read_ = in_;
    if (must_expand()) expand();
    const int64_t group = op.tg_convolution_param().group();
    const Memory::dims weight_dims{group, out_.c / group, read_.c / group, window_.kernel_h,
                                   window_.kernel_w};
    const auto descriptor = choose(weight_dims);
    primitive_ = dnnl::convolution_forward(descriptor);
    in_desc_ = descriptor.src_desc();
    out_desc_ = descriptor.dst_desc();
    scratch_desc_ = descriptor.scratchpad_desc();

    std::vector<float> kernel = convolution_kernel(op, blobs[0]);
    weights_ = Memory(descriptor.weights_desc(), cpu());
    Memory plain(describe_memory(weight_dims, Tag::goihw), cpu(), kernel.data());
    dnnl::stream stream(cpu());
    dnnl::reorder(plain, weights_).execute(stream, plain, weights_);
    bias_ = Memory(describe_memory({out_.c}, Tag::x), cpu());
    auto* bias = static_cast<float*>(bias_.get_data_handle());
    std::fill_n(bias, out_.c, 0.0f);
    if (blobs.size() > 1) std::ranges::copy(blobs[1].data, bias);
    stream.wait();
  }

  // Convolves image `n` of the batch.
  void run(const float* input, float* output, int64_t n) const {
    const OneLibraryThread one;
    dnnl::stream stream(cpu());
    std::vector<float> expanded;
    const float* image = input + n * in_.c * in_.h * in_.w;
    if (expands_) image = expand_image(image, expanded);
    Memory from(describe_memory({1, read_.c, read_.h, read_.w}, Tag::nchw), cpu(),
                const_cast<float*>(image));
    Memory src = from;
    if (from.get_desc() != in_desc_) {
      src = Memory(in_desc_, cpu());
      dnnl::reorder(from, src).execute(stream, from, src);
    }
    Memory to(describe_memory({1, out_.c, out_.h, out_.w}, Tag::nchw), cpu(),
              output + n * out_.c * out_.h * out_.w);
    Memory dst = to.get_desc() == out_desc_ ? to : Memory(out_desc_, cpu());
    primitive_.execute(stream, {{DNNL_ARG_SRC, src},
                                {DNNL_ARG_WEIGHTS, weights_},
                                {DNNL_ARG_BIAS, bias_},
                                {DNNL_ARG_DST, dst},
                                {DNNL_ARG_SCRATCHPAD, Memory(scratch_desc_, cpu())}});
    if (to.get_desc() != out_desc_) dnnl::reorder(dst, to).execute(stream, dst, to);
    stream.wait();
  }

 private:
  bool must_expand() {
    const int reach_h = (window_.kernel_h - 1) * window_.dilation_h;
    const int reach_w = (window_.kernel_w - 1) * window_.dilation_w;
    const auto odd = [](int pad, int reach) { return pad < 0 || pad > reach; };
    return window_.ins_h != 0 || window_.ins_w != 0 || odd(window_.pad_top, reach_h) ||
           odd(window_.pad_bottom, reach_h) || odd(window_.pad_left, reach_w) ||
           odd(window_.pad_right, reach_w);
  }

  // Removes pads and insertions from the window. expand_image() writes them into the image instead.
  void expand() {
    expands_ = true;
    original_ = window_;
    read_.h = (in_.h - 1) * (window_.ins_h + 1) + 1 + window_.pad_top + window_.pad_bottom;
    read_.w = (in_.w - 1) * (window_.ins_w + 1) + 1 + window_.pad_left + window_.pad_right;
    window_.pad_top = window_.pad_bottom = window_.pad_left = window_.pad_right = 0;
    window_.ins_h = window_.ins_w = 0;
  }

  const float* expand_image(const float* image, std::vector<float>& expanded) const {
    expanded.assign(read_.c * read_.h * read_.w, 0.0f);
    for (int64_t c = 0; c < in_.c; ++c)
      for (int64_t y = 0; y < in_.h; ++y) {
        const int64_t row = y * (original_.ins_h + 1) + original_.pad_top;
        if (row < 0 || row >= read_.h) continue;
        for (int64_t x = 0; x < in_.w; ++x) {
          const int64_t column = x * (original_.ins_w + 1) + original_.pad_left;
          if (column < 0 || column >= read_.w) continue;
          expanded[(c * read_.h + row) * read_.w + column] = image[(c * in_.h + y) * in_.w + x];
        }
      }
    return expanded.data();
  }

  Described choose(const Memory::dims& weight_dims) {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const OneLibraryThread one;
    return describe_forward(attributes, describe_memory({1, read_.c, read_.h, read_.w}, Tag::any),
                            describe_memory(weight_dims, Tag::any),
                            describe_memory({out_.c}, Tag::x),
                            describe_memory({1, out_.c, out_.h, out_.w}, Tag::any),
                            Memory::dims{window_.stride_h, window_.stride_w},
                            Memory::dims{window_.dilation_h - 1, window_.dilation_w - 1},
                            Memory::dims{window_.pad_top, window_.pad_left},
                            Memory::dims{window_.pad_bottom, window_.pad_right});
  }

  Extents in_, out_, read_;
  Window2d window_, original_;
  bool expands_ = false;
  dnnl::convolution_forward primitive_;
  Memory::desc in_desc_, out_desc_, scratch_desc_;
  Memory weights_, bias_;
};

Error library_error(const TensorOp& op, const dnnl::error& error) {
  return Error(errors::net_layer_parameter).in("layer " + op.name()).detail(error.what());
}

}  // namespace

Result<FloatKernel> make_float_convolution(const TensorOp& op, const std::vector<Blob>& blobs) {
  const Extents in = extents(op.input_shape(0)), out = extents(op.output_shape(0));
  const auto& parameter = op.tg_convolution_param();
  const int64_t group = parameter.group();
  const Window2d window = convolution_window(op);
  if (group < 1 || in.c % group != 0 || out.c % group != 0)
    return Error(errors::net_layer_parameter)
        .in("layer " + op.name())
        .argument("group", std::to_string(group));
  TW_RETURN_IF_ERROR(
      check_blob(op, blobs, 0, out.c * (in.c / group) * window.kernel_h * window.kernel_w));
  if (blobs.size() > 1) TW_RETURN_IF_ERROR(check_blob(op, blobs, 1, out.c));
  std::shared_ptr<Convolution> convolution;
  try {
    convolution = std::make_shared<Convolution>(op, blobs);
  } catch (const dnnl::error& error) {
    return library_error(op, error);
  }
  const bool relu = parameter.do_activation();
  return FloatKernel(
      [=, &op](std::span<const Blob* const> inputs, std::span<Blob* const> outputs) -> Status {
        try {
          parallel_for(in.n, 1, [&](size_t begin, size_t end) {
            for (size_t n = begin; n < end; ++n)
              convolution->run(inputs[0]->data.data(), outputs[0]->data.data(),
                               static_cast<int64_t>(n));
          });
        } catch (const dnnl::error& error) {
          return library_error(op, error);
        }
        if (relu)
          for (float& y : outputs[0]->data) y = std::max(y, 0.0f);
        return {};
      });
}

Result<FloatKernel> make_float_inner_product(const TensorOp& op, const std::vector<Blob>& blobs) {
  const auto& parameter = op.tg_inner_product_param();
  const int64_t features = parameter.num_output(), batch = op.input_shape(0).dim(0);
  const int64_t length = count(op.input_shape(0)) / batch;
  TW_RETURN_IF_ERROR(check_blob(op, blobs, 0, features * length));
  if (blobs.size() > 1) TW_RETURN_IF_ERROR(check_blob(op, blobs, 1, features));
  // All copies of the kernel share this matrix.
  auto matrix = std::make_shared<std::vector<float>>(inner_product_matrix(op, blobs[0]));
  std::vector<float> bias = blobs.size() > 1 ? blobs[1].data : std::vector<float>(features);
  const bool relu = parameter.do_activation();
  return FloatKernel(
      [=](std::span<const Blob* const> inputs, std::span<Blob* const> outputs) -> Status {
        float* const to = outputs[0]->data.data();
        parallel_for(features, 64, [&](size_t begin, size_t end) {
          const OneLibraryThread one;
          dnnl_sgemm('N', 'T', batch, static_cast<int64_t>(end - begin), length, 1.0f,
                     inputs[0]->data.data(), length, matrix->data() + begin * length, length, 0.0f,
                     to + begin, features);
        });
        for (int64_t n = 0; n < batch; ++n)
          for (int64_t i = 0; i < features; ++i) {
            float& y = to[n * features + i];
            y += bias[i];
            if (relu) y = std::max(y, 0.0f);
          }
        return {};
      });
}

std::string_view float_instructions() {
  const auto ours = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  using Set = std::pair<dnnl::cpu_isa, std::string_view>;
  for (const auto& [set, name] : {Set{dnnl::cpu_isa::avx512_core, "avx512"},
                                  Set{dnnl::cpu_isa::avx2, "avx2"}, Set{dnnl::cpu_isa::avx, "avx"}})
    if ((ours & static_cast<unsigned>(set)) == static_cast<unsigned>(set)) return name;
  return "plain";
}

}  // namespace tputwin::net
