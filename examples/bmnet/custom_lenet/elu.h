// ELU on the host: a customized layer of BMNet that the plugin ELU.so computes. (BMNet guide 6.3.2)
#pragma once

#include <bmnet/builder/CaffeBuilder.hpp>
#include <bmnet/targets/cpu/cpu.hpp>
#include <bmnet/targets/plat-bm188x/CustomizedTensorFixedInst.hpp>

#include <iostream>
#include <string>

class EluLayer : public bmnet::CustomizedCaffeLayer {
 public:
  std::string layer_name() override { return "ELU"; }
  void dump() override { std::cout << "elu " << layer_.name() << "\n"; }
  void setup(bmnet::TensorOp* op) override {
    bmnet::CustomizedCaffeLayer::setup(op);
    op->mutable_tg_customized_param()->set_sub_type("elu");
  }
  void codegen(bmnet::TensorOp* op) override {
    bmnet::TensorShape* shape = op->add_output_shape();
    shape->CopyFrom(op->input_shape(0));
    shape->set_data_type_size(sizeof(int8_t));
    op->mutable_tg_customized_param()->add_f32_param(layer_.elu_param().alpha());
  }
};

class EluInst : public bmnet::CustomizedTensorFixedInst {
 public:
  std::string inst_name() override { return "tg_elu"; }
  void dump() override { std::cout << "tg_elu " << op_.name() << "\n"; }
  void encode() override {
    if (op_.input_shape(0).data_type_size() == 1)
      op_.add_threshold_x(m_inputCalibrationParameter[0].blob_param(0).threshold_y());
    if (op_.output_shape(0).data_type_size() == 1)
      op_.add_threshold_y(m_calibrationParameter.blob_param(0).threshold_y());
    bmnet::add_cpu_op(_ctx->bm_get_bmk(), "ELU", op_);
  }
};
