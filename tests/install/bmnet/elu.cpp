// The operator ELU.so as in the vendor's example: in namespace bmnet, registered outside, with the
// functions of <cmath> and LOG that the header provides.
#include <bmnet/targets/cpu/cpu_op.hpp>

namespace bmnet {

class ELU : public CpuOp {
 public:
  void run() override {
    VLOG(1) << "ELU of " << op_.name();
    CHECK_EQ(op_.type(), "ELU");
    const int8_t* in = reinterpret_cast<const int8_t*>(op_.global_input(0));
    int8_t* out = reinterpret_cast<int8_t*>(op_.global_output(0));
    const float alpha = op_.tg_customized_param().f32_param(0);
    for (int64_t i = 0; i < GetTensorCount(op_.input_shape(0)); ++i) {
      const float x = in[i] * op_.threshold_x(0) / 128.0f;
      const float y = x > 0 ? x : alpha * (std::exp(x) - 1);
      const int q = static_cast<int>(y * 128.0f / op_.threshold_y(0) + 0.5f);
      out[i] = static_cast<int8_t>(q > 127 ? 127 : q);
    }
  }
};

}  // namespace bmnet

REGISTER_CPU_OP(ELU);
