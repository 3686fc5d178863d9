// CPU operators: CpuOp for their code, add_cpu_op for instructions that run it. C++11.
// (BMNet guide 6: CPU operators)
#ifndef BMNET_TARGETS_CPU_CPU_HPP
#define BMNET_TARGETS_CPU_CPU_HPP

#include <bmnet/proto/TensorOps.hpp>
#include <bmnet/targets/cpu/cpu_layer.hpp>
#include <bmnet/targets/cpu/cpu_op.hpp>

namespace bmnet {

class BM188xBackendContext;

// Appends a CPU instruction that runs plugin op_name (the file name without ".so") on the op. Sets
// cpu_op and the type of the op. bmk_ctx is a bmk1880_context_t; NULL means the context of the
// running encode().
void add_cpu_op(void* bmk_ctx, const char* op_name, TensorOp& op);
void add_cpu_op(const char* op_name, TensorOp& op);
void add_cpu_op(BM188xBackendContext* ctx, const char* op_name, TensorOp& op);

}  // namespace bmnet

#endif
