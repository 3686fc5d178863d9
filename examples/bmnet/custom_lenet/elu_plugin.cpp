// The plugin ELU.so: y = x above 0, alpha * (e^x - 1) below, on int8 tensors.
#include <bmnet/targets/cpu/cpu_op.hpp>

#include <algorithm>
#include <cmath>

class ELU : public bmnet::CpuOp {
 public:
  void run() override {
    const int8_t* in = reinterpret_cast<const int8_t*>(op_.global_input(0));
    int8_t* out = reinterpret_cast<int8_t*>(op_.global_output(0));
    const float alpha = op_.tg_customized_param().f32_param(0);
    const int64_t count = bmnet::GetTensorCount(op_.input_shape(0));
    for (int64_t i = 0; i < count; ++i) {
      const float x = in[i] * op_.threshold_x(0) / 128.0f;
      const float y = x > 0 ? x : alpha * (std::exp(x) - 1);
      const int q = (int)(y * 128.0f / op_.threshold_y(0) + 0.5f);
      out[i] = (int8_t)std::min(127, std::max(-128, q));
    }
  }
};

REGISTER_CPU_OP(ELU);
