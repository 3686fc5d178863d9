// CpuLayer: the interface between the runtime and a CPU operator plugin <name>.so. C++11.
//
// A plugin exports the three C functions below; REGISTER_CPU_OP defines them. For each CPU
// instruction of a command buffer the runtime
// 1. calls create_cpu_op and parse_cmd with the payload of the instruction;
// 2. gets the operands from it: (offset in neuron memory, bytes) pairs;
// 3. passes their host addresses, in the same order. They stay valid until run() returns and are
//    device memory itself, so that results of run() need no copy;
// 4. version 3: does the same for coefficients in weight memory, and calls func() with the bases;
// 5. calls init_runtime_info, run and destroy_cpu_op.
#ifndef BMNET_TARGETS_CPU_CPU_LAYER_HPP
#define BMNET_TARGETS_CPU_CPU_LAYER_HPP

#include <bmnet/utils/logging.hpp>

#include <stddef.h>
#include <stdint.h>

#include <utility>
#include <vector>

// 1: SDK 1.0. 3: SDK 1.1, with coefficients and func(). The runtime takes both.
#ifndef CPU_LAYER_VERSION
#define CPU_LAYER_VERSION 3
#endif

// Kinds of values that the runtime passes to func().
#define CPU_LAYER_NEURON_ADDR 1  // host address of neuron memory
#define CPU_LAYER_WEIGHT_ADDR 2  // host address of weight memory
#define CPU_LAYER_CTX 3          // bmctx_t

namespace bmnet {

class CpuLayer {
 public:
  // Offset in neuron (or weight) memory, and number of bytes.
  typedef std::pair<uint64_t, uint64_t> Operand;

  virtual ~CpuLayer() {}
  virtual void parse_cmd(char* payload, int size) = 0;
  virtual void get_op_inputs(std::vector<Operand>& inputs) = 0;
  virtual void get_op_outputs(std::vector<Operand>& outputs) = 0;
  virtual void relocate_op_inputs(const std::vector<uint64_t>& addresses) = 0;
  virtual void relocate_op_outputs(const std::vector<uint64_t>& addresses) = 0;
  // ctx: the bmctx_t of the network. neuron_addr: host address of neuron memory.
  virtual void init_runtime_info(void* ctx, uint64_t neuron_addr) {
    (void)ctx;
    (void)neuron_addr;
  }
  virtual void run() = 0;

  // Version 3.
  virtual void get_op_coeffs(std::vector<Operand>& coeffs) { coeffs.clear(); }
  virtual void relocate_op_coeffs(const std::vector<uint64_t>& addresses) { (void)addresses; }
  virtual void func(int what, void* pointer) {
    (void)what;
    (void)pointer;
  }
};

}  // namespace bmnet

// For use in namespace bmnet or outside, for a class in either. An enumerator of the IR may have
// the name of the class.
#define REGISTER_CPU_OP(class_name)                           \
  extern "C" {                                                \
  bmnet::CpuLayer* create_cpu_op() {                          \
    using namespace ::bmnet;                                  \
    return new class class_name();                            \
  }                                                           \
  void destroy_cpu_op(bmnet::CpuLayer* op) { delete op; }     \
  uint32_t get_version_cpu_op() { return CPU_LAYER_VERSION; } \
  }

#endif
