// A customized layer as in the vendor's example: the layer "ELU", its instruction "tg_elu", the
// operator ELU.so; logging, flags and string streams come with BMNet's headers. With OWN_MESSAGES
// the program brings its bmnet_caffe.pb.cc, in which layers have one more parameter, steep_param.
//
//   custom PLUGIN_FOLDER      writes net.bmodel, in.bin and expected.bin
#include <bmnet/builder/CaffeBuilder.hpp>
#include <bmnet/targets/cpu/cpu.hpp>
#include <bmnet/targets/plat-bm188x/CustomizedTensorFixedInst.hpp>

#include <fstream>

DEFINE_string(net, "net.bmodel", "the file to write");

namespace {

#ifdef OWN_MESSAGES
const char* const kParameter = "steep_param";
float alpha_of(const bmnet::caffe::LayerParameter& layer) { return layer.steep_param().alpha(); }
#else
const char* const kParameter = "elu_param";
float alpha_of(const bmnet::caffe::LayerParameter& layer) { return layer.elu_param().alpha(); }
#endif

const float kAlpha = 0.25f, kThresholdIn = 4.0f, kThresholdOut = 2.0f;
const int kCount = 32;

class EluLayer : public bmnet::CustomizedCaffeLayer {
 public:
  std::string layer_name() override { return "Elu"; }
  void dump() override { LOG(INFO) << "elu " << layer_.name(); }
  void setup(bmnet::TensorOp* op) override {
    bmnet::CustomizedCaffeLayer::setup(op);
    op->mutable_tg_customized_param()->set_sub_type("ELU");
  }
  void codegen(bmnet::TensorOp* op) override {
    bmnet::TensorShape* shape = op->add_output_shape();
    shape->CopyFrom(op->input_shape(0));
    shape->set_data_type_size(sizeof(int8_t));
    const float alpha = alpha_of(layer_);
    CHECK_EQ(alpha, kAlpha) << "the parameter of the prototxt";
    op->mutable_tg_customized_param()->add_f32_param(alpha);
  }
};

class EluInst : public bmnet::CustomizedTensorFixedInst {
 public:
  std::string inst_name() override { return "tg_elu"; }
  void dump() override { LOG(INFO) << "tg_elu " << op_.name(); }
  void encode() override {
    op_.add_threshold_x(m_inputCalibrationParameter[0].blob_param(0).threshold_y());
    op_.add_threshold_y(m_calibrationParameter.blob_param(0).threshold_y());
    bmnet::add_cpu_op(_ctx->bm_get_bmk(), "ELU", op_);
  }
};

void write_text(const char* name, const std::string& text) { std::ofstream(name) << text; }

void write_net() {
  std::stringstream net;
  net << "name: \"net\"\n"
      << "layer { name: \"data\" type: \"Input\" top: \"data\"\n"
      << "  input_param { shape { dim: 1 dim: 2 dim: 4 dim: 4 } } }\n"
      << "layer { name: \"elu\" type: \"ELU\" bottom: \"data\" top: \"elu\" " << kParameter
      << " { alpha: " << kAlpha << " } }\n";
  write_text("net.prototxt", net.str());
  std::stringstream table;
  table << "name: \"net\"\n";
  const struct {
    const char* name;
    float threshold;
  } layers[] = {{"data", kThresholdIn}, {"elu", kThresholdOut}};
  for (const auto& layer : layers)
    table << "layer { name: \"" << layer.name << "\" threshold_y: " << layer.threshold
          << " blob_param { name: \"" << layer.name << "\" threshold_y: " << layer.threshold
          << " } }\n";
  write_text("net.table", table.str());
}

void write_expected() {
  std::string in, out;
  for (int i = 0; i < kCount; ++i) {
    const int q = 8 * i - 128;
    const float x = q * kThresholdIn / 128, y = x > 0 ? x : kAlpha * (std::exp(x) - 1);
    const int r = static_cast<int>(y * 128 / kThresholdOut + 0.5f);
    in += static_cast<char>(q);
    out += static_cast<char>(r > 127 ? 127 : r);
  }
  write_text("in.bin", in);
  write_text("expected.bin", out);
}

}  // namespace

int main(int argc, char** argv) {
  google::InitGoogleLogging(argv[0]);
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  CHECK_EQ(argc, 2) << "usage: custom PLUGIN_FOLDER";
  write_net();
  write_expected();
  bmnet::CaffeBuilder<int8_t> builder(BM_CHIP_BM1880, "net.prototxt", nullptr, nullptr, "net.table",
                                      nullptr);
  builder.addCustomizedLayer(new EluLayer);
  builder.addCustomizedTensorInst(new EluInst);
  builder.build(1, 2, 4, 4, BM_OPT_BYPASS_OPTIMIZER);
  builder.store_model("net", FLAGS_net.c_str(), argv[1]);
  return 0;
}
