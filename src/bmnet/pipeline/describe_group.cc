// A layer group as tl_ layers of the IR.
#include <fmt/format.h>

#include <algorithm>

#include "bmnet/pipeline/group_report.h"

namespace tputwin::net {
namespace {

using ::bmnet::TLTransportParameter;

void set_shape(TensorShape* shape, const Extents& e) { *shape = make_shape({e.n, e.c, e.h, e.w}); }

// Fills the fields that tl_ parameters share.
class LayerWriter {
 public:
  LayerWriter(const Network& network, const GroupSchedule& schedule, const TensorPositions& tensors,
              const WeightOffsets& weights, int group)
      : network_(network),
        schedule_(schedule),
        tensors_(tensors),
        weights_(weights),
        group_(group) {}

  TensorOp layer(int k, int slice) const {
    const TiledKernel& kernel = *schedule_.kernels[static_cast<size_t>(k)];
    const TensorOp& source = network_.ops[kernel.op];
    const Slice& s = schedule_.slices[static_cast<size_t>(slice)];
    TensorOp op;
    op.set_name(fmt::format("{}_{}_{}_{}", source.name(), group_, s.samples.begin, s.row_slice));
    op.set_type(type_of(source));
    op.set_calib_id(source.calib_id());
    for (const View& v : kernel.inputs) op.add_bottom(v.tensor);
    op.add_top(kernel.output.tensor);
    const KernelOperands& step = schedule_.steps[static_cast<size_t>(k)];
    for (int i : step.inputs) set_shape(op.add_input_shape(), extents(i, slice));
    set_shape(op.add_output_shape(), extents(step.output, slice));
    fill(op, source, step, slice);
    transports(op, kernel, step, slice);
    return op;
  }

 private:
  static std::string type_of(const TensorOp& source) {
    struct Row {
      Op op;
      std::string_view tiles;
    };
    static constexpr Row kRows[] = {
#define TW_OP_TPU(name, traits, shapes, tiles, ...) {Op::name, #tiles},
#include "bmnet/ir/ops.def"
    };
    const auto* row = std::ranges::find_if(kRows, [&](const Row& r) { return is(source, r.op); });
    return "tl_" + std::string(row->tiles == "rescale" ? "scale" : row->tiles);
  }
  const GroupTensor& tensor(int i) const { return schedule_.tensors[static_cast<size_t>(i)]; }
  Extents extents(int i, int slice) const { return schedule_.extents_in(tensor(i), slice); }
  uint32_t address(int buffer, int slice) const {
    return schedule_.buffers[static_cast<size_t>(buffer)].address_in(slice);
  }

  template <class Param>
  void common(Param* p, const KernelOperands& step, int slice) const {
    p->set_input(address(tensor(step.inputs[0]).buffer, slice));
    p->set_output(address(tensor(step.output).buffer, slice));
  }

  // Returns the address of weight `index` of the kernel; 0xffffffff if it has fewer.
  uint32_t weight_address(const KernelOperands& step, size_t index, int slice) const {
    return index < step.weights.size() ? address(step.weights[index], slice) : 0xffffffffu;
  }
  uint32_t weight(const KernelOperands& step, int slice) const {
    return weight_address(step, 0, slice);
  }
  uint32_t bias(const KernelOperands& step, int slice) const {
    return weight_address(step, 1, slice);
  }

  void fill_convolution(TensorOp& op, const TensorOp& source, const KernelOperands& step,
                        int slice) const {
    auto* p = op.mutable_tl_convolution_param();
    common(p, step, slice);
    const auto& from = source.tg_convolution_param();
    p->set_weight(weight(step, slice));
    p->set_bias(bias(step, slice));
    p->set_group(from.group());
    p->set_bias_term(from.bias_term());
    *p->mutable_kernel_size() = from.kernel_size();
    *p->mutable_stride() = from.stride();
    *p->mutable_dilation() = from.dilation();
    *p->mutable_pad() = from.pad();
    *p->mutable_ins() = from.ins();
    p->set_if_relu(from.do_activation());
  }

  void fill_pooling(TensorOp& op, const TensorOp& source, const KernelOperands& step,
                    int slice) const {
    auto* p = op.mutable_tl_pooling_param();
    common(p, step, slice);
    const auto& from = source.tg_pooling_param();
    p->set_avg_pool(from.pool() == ::bmnet::TGPoolingParameter::AVE);
    *p->mutable_kernel_size() = from.kernel_size();
    *p->mutable_stride() = from.stride();
    *p->mutable_pad() = from.pad();
  }

  void fill_inner_product(TensorOp& op, const TensorOp& source, const KernelOperands& step,
                          int slice) const {
    auto* p = op.mutable_tl_inner_product_param();
    common(p, step, slice);
    p->set_weight(weight(step, slice));
    p->set_bias(bias(step, slice));
    p->set_bias_term(source.tg_inner_product_param().bias_term());
    p->set_do_activation(source.tg_inner_product_param().do_activation());
  }

  void fill_eltwise(TensorOp& op, const TensorOp& source, const KernelOperands& step,
                    int slice) const {
    auto* p = op.mutable_tl_eltwise_param();
    for (int i : step.inputs) p->add_input(address(tensor(i).buffer, slice));
    p->set_output(address(tensor(step.output).buffer, slice));
    p->set_op_code(source.tg_eltwise_param().operation());
    *p->mutable_coeff() = source.tg_eltwise_param().coeff();
    p->set_if_relu(source.tg_eltwise_param().do_activation());
  }

  void fill_lrn(TensorOp& op, const TensorOp& source, const KernelOperands& step, int slice) const {
    auto* p = op.mutable_tl_lrn_param();
    common(p, step, slice);
    p->set_local_size(source.tg_lrn_param().local_size());
    p->set_alpha(source.tg_lrn_param().alpha());
    p->set_beta(source.tg_lrn_param().beta());
    p->set_k(source.tg_lrn_param().k());
    p->set_sqr_lut_weight(weight(step, slice));
    p->set_power_lut_weight(bias(step, slice));
  }

  void fill_scale(TensorOp& op, const TensorOp& source, const KernelOperands& step,
                  int slice) const {
    auto* p = op.mutable_tl_scale_param();
    common(p, step, slice);
    p->set_scale(weight(step, slice));
    p->set_bias(bias(step, slice));
    p->set_bias_term(source.tg_scale_param().bias_term());
    p->set_if_relu(source.tg_scale_param().do_activation());
  }

  void fill_upsample(TensorOp& op, const TensorOp& source, const KernelOperands& step,
                     int slice) const {
    auto* p = op.mutable_tl_upsample_param();
    common(p, step, slice);
    *p->mutable_size() = source.tg_upsample_param().size();
  }

  void fill_activation(TensorOp& op, const TensorOp& source, const KernelOperands& step,
                       int slice) const {
    auto* p = op.mutable_tl_activation_param();
    common(p, step, slice);
    p->set_weight(weight(step, slice));
    p->set_activation(source.tg_activation_param().activation());
    *p->mutable_activation_arg() = source.tg_activation_param().activation_arg();
  }

  void fill(TensorOp& op, const TensorOp& source, const KernelOperands& step, int slice) const {
    if (is(source, Op::convolution)) return fill_convolution(op, source, step, slice);
    if (is(source, Op::pooling)) return fill_pooling(op, source, step, slice);
    if (is(source, Op::inner_product)) return fill_inner_product(op, source, step, slice);
    if (is(source, Op::eltwise)) return fill_eltwise(op, source, step, slice);
    if (is(source, Op::lrn)) return fill_lrn(op, source, step, slice);
    if (is(source, Op::scale) || is(source, Op::concat)) return fill_scale(op, source, step, slice);
    if (is(source, Op::upsample)) return fill_upsample(op, source, step, slice);
    fill_activation(op, source, step, slice);
  }

  // Adds the loads before the kernel and the store after it.
  void transports(TensorOp& op, const TiledKernel& kernel, const KernelOperands& step,
                  int slice) const {
    for (int i : step.inputs)
      if (tensor(i).producer < 0) add_transport(op, i, slice, 0);
    for (size_t w = 0; w < step.weights.size(); ++w) {
      TLTransportParameter* t = op.add_tl_transport_param();
      t->set_name(schedule_.buffers[static_cast<size_t>(step.weights[w])].name);
      t->set_global_offset(weights_.at(&kernel)[w]);
      t->set_local_address(address(step.weights[w], slice));
      t->set_stage(TLTransportParameter::PRE);
      t->set_data_type(w == 0 ? TLTransportParameter::COEFF_INT8 : TLTransportParameter::BIAS_INT8);
      t->set_aligned(kernel.weights[w].layout != Weight::Layout::unaligned);
      set_shape(t->mutable_global_shape(), kernel.weights[w].e);
    }
    if (tensor(step.output).is_stored) add_transport(op, step.output, slice, 1);
  }

  void add_transport(TensorOp& op, int index, int slice, int direction) const {
    const GroupTensor& t = tensor(index);
    TLTransportParameter* p = op.add_tl_transport_param();
    p->set_name(t.view.tensor);
    p->set_global_offset(tensors_.find(t.view.tensor)->second.offset);
    p->set_local_address(address(t.buffer, slice));
    p->set_direction(direction);
    p->set_stage(direction == 0 ? TLTransportParameter::PRE : TLTransportParameter::POST);
    set_shape(p->mutable_global_shape(), t.view.e);
    set_shape(p->mutable_local_shape(), extents(index, slice));
  }

  const Network& network_;
  const GroupSchedule& schedule_;
  const TensorPositions& tensors_;
  const WeightOffsets& weights_;
  int group_;
};

}  // namespace

void describe_group(::bmnet::NetParameter& net, const Network& network, const PricedGroup& group,
                    const TensorPositions& tensors, const WeightOffsets& weights, int index) {
  const GroupSchedule& schedule = group.schedule;
  const int steps = static_cast<int>(schedule.kernels.size());
  if (steps == 1 && schedule.slices.size() == 1) {
    const TiledKernel& k = *schedule.kernels[0];
    TensorOp* op = net.add_layer();
    *op = network.ops[k.op];
    for (const std::string& t : op->bottom()) op->add_global_input(tensors.find(t)->second.offset);
    for (const std::string& t : op->top()) op->add_global_output(tensors.find(t)->second.offset);
    return;
  }
  TensorOp* begin = net.add_layer();
  begin->set_name(fmt::format("group_{}", index));
  begin->set_type("tl_group");
  const LayerWriter writer(network, schedule, tensors, weights, index);
  for (int slice = 0; slice < static_cast<int>(schedule.slices.size()); ++slice)
    for (int k = 0; k < steps; ++k) *net.add_layer() = writer.layer(k, slice);
  TensorOp* end = net.add_layer();
  end->set_name(fmt::format("group_{}_end", index));
  end->set_type("tl_group_end");
  end->mutable_tl_group_param()->add_from_layer(schedule.kernels.back()->layer);
}

}  // namespace tputwin::net
