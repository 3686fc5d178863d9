// A CPU operator for the tests, as a user would write it.
#include "add_bytes.h"

#include <bmnet/targets/cpu/cpu_layer.hpp>

#include <cstring>
#include <stdexcept>

class AddBytes : public bmnet::CpuLayer {
 public:
  void parse_cmd(char* payload, int size) override {
    if (size != static_cast<int>(sizeof(payload_))) throw std::runtime_error("payload size");
    std::memcpy(&payload_, payload, sizeof(payload_));
  }
  void get_op_inputs(std::vector<Operand>& inputs) override {
    inputs.push_back(Operand(payload_.in, payload_.bytes));
  }
  void get_op_outputs(std::vector<Operand>& outputs) override {
    outputs.push_back(Operand(payload_.out, payload_.bytes));
  }
  void relocate_op_inputs(const std::vector<uint64_t>& addresses) override {
    in_ = reinterpret_cast<const uint8_t*>(addresses.at(0));
  }
  void relocate_op_outputs(const std::vector<uint64_t>& addresses) override {
    out_ = reinterpret_cast<uint8_t*>(addresses.at(0));
  }
  void get_op_coeffs(std::vector<Operand>& coeffs) override {
    coeffs.push_back(Operand(payload_.coefficient, 1));
  }
  void relocate_op_coeffs(const std::vector<uint64_t>& addresses) override {
    added_ = *reinterpret_cast<const uint8_t*>(addresses.at(0));
  }
  void func(int what, void* pointer) override {
    if (what == CPU_LAYER_NEURON_ADDR) neuron_ = static_cast<uint8_t*>(pointer);
  }
  void init_runtime_info(void* ctx, uint64_t neuron_addr) override {
    if (ctx == nullptr) throw std::runtime_error("no context");
    if (neuron_ != nullptr && reinterpret_cast<uint64_t>(neuron_) != neuron_addr)
      throw std::runtime_error("two addresses of neuron memory");
  }
  void run() override {
    if (payload_.bytes == 0) throw std::runtime_error("nothing to add");
    for (uint64_t i = 0; i < payload_.bytes; ++i) out_[i] = static_cast<uint8_t>(in_[i] + added_);
  }

 private:
  AddBytesPayload payload_;
  const uint8_t* in_ = nullptr;
  uint8_t *out_ = nullptr, *neuron_ = nullptr;
  uint8_t added_ = 1;
};

REGISTER_CPU_OP(AddBytes)
