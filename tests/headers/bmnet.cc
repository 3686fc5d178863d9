// The BMNet headers in a program like those of the documents. C++11.
#include <caffe.pb.h>
#include <stdio.h>
#include <bmnet/CaffeBuilder.hpp>
#include <bmnet/backend/Instruction.hpp>
#include <bmnet/backend/TensorFixedInst.hpp>
#include <bmnet/backend/TensorInst.hpp>
#include <bmnet/builder/Builder.hpp>
#include <bmnet/builder/CaffeBuilder.hpp>
#include <bmnet/frontend/FrontendContext.hpp>
#include <bmnet/frontend/Layer.hpp>
#include <bmnet/frontend/caffe/CaffeFrontendContext.hpp>
#include <bmnet/frontend/caffe/CaffeLayer.hpp>
#include <bmnet/frontend/caffe/CustomizedCaffeLayer.hpp>
#include <bmnet/proto/TensorOps.hpp>
#include <bmnet/targets/Target.hpp>
#include <bmnet/targets/cpu/cpu.hpp>
#include <bmnet/targets/plat-bm188x/BM1880BackendContext.hpp>
#include <bmnet/targets/plat-bm188x/BM188xBackendContext.hpp>
#include <bmnet/targets/plat-bm188x/CustomizedTensorFixedInst.hpp>
#include <bmnet/utils/common.hpp>

#include <string>

// The recipe of the documents: a layer, its instruction, a builder.
class NegateLayer : public bmnet::CustomizedCaffeLayer {
 public:
  std::string layer_name() { return "Negate"; }
  void dump() {}
  void codegen(bmnet::TensorOp* op) {
    const bmnet::TensorShape& input = op->input_shape(0);
    bmnet::TensorShape* output = op->add_output_shape();
    output->CopyFrom(input);
    bmnet::TGCustomizedParameter* param = op->mutable_tg_customized_param();
    param->add_i32_param(-1);
    param->add_f32_param(0.5f);
    add_output_offset(0);
  }
};

class NegateInst : public bmnet::CustomizedTensorFixedInst {
 public:
  std::string inst_name() { return "tg_Negate"; }
  void dump() {}
  void encode() {
    const bmnet::TGCustomizedParameter& param = op_.tg_customized_param();
    const shape_t shape = shape_t1((int)bmnet::GetTensorCount(op_.input_shape(0)));
    tensor_lmem* x = _ctx->tl_alloc(shape, FMT_I8, CTRL_AL);
    _ctx->gdma_load(x, op_.global_input(0) + get_global_neuron_base(), CTRL_NEURON);
    bmk1880_mul_const_param_t p;
    p.res_high = nullptr;
    p.res_low = x;
    p.a = x;
    p.b = (s8)param.i32_param(0);
    p.b_is_signed = true;
    p.rshift_width = 0;
    _ctx->tpu_mul_const(&p);
    _ctx->gdma_store(x, op_.global_output(0) + get_global_neuron_base(), CTRL_NEURON);
    _ctx->tl_free(x);
  }
};

// An instruction that uses the names of the API's listing.
class ListedInst : public bmnet::TensorFixedInst {
 public:
  std::string inst_name() { return "tg_listed"; }
  void dump() {}
  void encode() {
    bmnet::LayerCalibrationParameter entry = m_calibrationParameter;
    (void)entry;
  }
};

int main() {
  bmnet::CaffeBuilder<int8_t> builder(BM_CHIP_BM1880, nullptr, "no_such_file.caffemodel", nullptr,
                                      "no_such_file.pb2", nullptr);
  builder.addCustomizedLayer(new NegateLayer);
  builder.addCustomizedTensorInst(new NegateInst);
  builder.addCustomizedTensorInst(new ListedInst);
  caffe::LayerParameter layer;
  layer.set_name("negate");
  try {
    builder.build(1, 3, 8, 8, BM_OPT_LAYER_GROUP);
  } catch (const bmnet::CompileError& e) {
    const std::string text = e.what();
    if (text.find("no_such_file") != std::string::npos) return 0;
    fprintf(stderr, "%s\n", e.what());
  }
  return 1;
}
