// ReLU with a slope, on the TPU: a customized layer of BMNet. (BMNet guide 6.3.1)
//
// The class has the layer name of the prototxt ("ReLU", which it replaces) and passes the slope on.
// The instruction "tg_leakyrelu" makes the commands.
#pragma once

#include <bmnet/builder/CaffeBuilder.hpp>
#include <bmnet/targets/plat-bm188x/CustomizedTensorFixedInst.hpp>

#include <iostream>
#include <string>

class LeakyReluLayer : public bmnet::CustomizedCaffeLayer {
 public:
  std::string layer_name() override { return "ReLU"; }
  void dump() override {
    std::cout << "leakyrelu " << layer_.name() << ", slope " << layer_.relu_param().negative_slope()
              << "\n";
  }
  void setup(bmnet::TensorOp* op) override {
    bmnet::CustomizedCaffeLayer::setup(op);
    op->mutable_tg_customized_param()->set_sub_type("leakyrelu");
  }
  void codegen(bmnet::TensorOp* op) override {
    bmnet::TensorShape* shape = op->add_output_shape();
    shape->CopyFrom(op->input_shape(0));
    shape->set_data_type_size(sizeof(int8_t));
    op->mutable_tg_customized_param()->add_f32_param(layer_.relu_param().negative_slope());
  }
};

// y = (max(x,0) * gt_scale >> gt_shift) | (min(x,0) * le_scale >> le_shift), one slice at a time.
class LeakyReluInst : public bmnet::CustomizedTensorFixedInst {
 public:
  std::string inst_name() override { return "tg_leakyrelu"; }
  void dump() override { std::cout << "tg_leakyrelu " << op_.name() << "\n"; }
  void encode() override {
    const int count = (int)bmnet::GetTensorCount(op_.input_shape(0));
    const int slices = bmnet::get_slice_num_element_wise(*_ctx, 3, count + 1);
    u64 offset = 0;
    for (int i = 0; i < slices; ++i) {
      const int length = count / slices + (i < count % slices ? 1 : 0);
      encode_slice(op_.global_input(0) + get_global_neuron_base() + offset,
                   op_.global_output(0) + get_global_neuron_base() + offset, length);
      offset += (u64)length;
    }
  }

 private:
  void encode_slice(u64 input, u64 output, int length) {
    const shape_t shape = shape_t1(length);
    tensor_lmem* x = _ctx->tl_alloc(shape, FMT_I8, CTRL_AL);
    tensor_lmem* positive = _ctx->tl_alloc(shape, FMT_I8, CTRL_AL);
    tensor_lmem* negative = _ctx->tl_alloc(shape, FMT_I8, CTRL_AL);
    _ctx->gdma_load(x, input, CTRL_NEURON);

    bmk1880_max_const_param_t above;
    above.max = positive;
    above.a = x;
    above.b = 0;
    above.b_is_signed = true;
    _ctx->tpu_max_const(&above);
    const auto& scales = m_calibrationParameter.relu_param();
    scale(positive, scales.gt_scale(), scales.gt_right_shift_width());

    bmk1880_min_const_param_t below;
    below.min = negative;
    below.a = x;
    below.b = 0;
    below.b_is_signed = true;
    _ctx->tpu_min_const(&below);
    scale(negative, scales.le_scale(), scales.le_right_shift_width());

    bmk1880_or_int8_param_t both;
    both.res = positive;
    both.a = positive;
    both.b = negative;
    _ctx->tpu_or_int8(&both);
    _ctx->gdma_store(positive, output, CTRL_NEURON);
    _ctx->tl_free(negative);
    _ctx->tl_free(positive);
    _ctx->tl_free(x);
  }

  void scale(tensor_lmem* t, int factor, int shift) {
    bmk1880_mul_const_param_t p;
    p.res_high = nullptr;
    p.res_low = t;
    p.a = t;
    p.b = (s8)factor;
    p.b_is_signed = true;
    p.rshift_width = shift;
    _ctx->tpu_mul_const(&p);
  }
};
