#include "bmnet/api/cpu_call.h"

#include <fmt/format.h>
#include <tputwin/cpu_op.h>
#include <bmnet/targets/cpu/cpu.hpp>
#include <bmnet/targets/plat-bm188x/BM188xBackendContext.hpp>

#include <filesystem>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "base/last_error.h"

namespace tputwin::net {
namespace {
thread_local bmk1880_context_t* current_context = nullptr;
}

CpuCallScope::CpuCallScope(bmk1880_context_t* context) : before_(current_context) {
  current_context = context;
}
CpuCallScope::~CpuCallScope() { current_context = before_; }

Status add_plugins(bmodel::Model& model, const std::vector<std::string>& operators,
                   const std::string& folder) {
  namespace fs = std::filesystem;
  for (const std::string& name : operators) {
    const fs::path x86 = fs::path(folder) / "x86_64" / (name + ".so");
    const fs::path arm = fs::path(folder) / "armv8" / (name + ".so");
    auto code = read_bytes(x86.string());
    if (folder.empty() || !code.ok())
      return Error(errors::net_plugin_missing)
          .in("store_model")
          .argument("plugin_path", fmt::format("\"{}\"", folder))
          .detail(fmt::format("operator {}, file {}", name, x86.string()));
    bmodel::Library library{name, std::move(*code), {}};
    if (auto other = read_bytes(arm.string()); other.ok())
      library.armv8 = std::move(*other);
    else
      (void)report(Error(errors::net_plugin_arm)
                       .in("store_model")
                       .argument("plugin_path", fmt::format("\"{}\"", folder))
                       .detail(fmt::format("operator {}", name)));
    model.libraries.push_back(std::move(library));
  }
  return Status();
}

}  // namespace tputwin::net

namespace bmnet {

void add_cpu_op(void* bmk_ctx, const char* op_name, TensorOp& op) {
  op.set_cpu_op(true);
  op.set_type(op_name);
  std::string payload = op.SerializeAsString();
  tputwin_cpu_op(static_cast<bmk1880_context_t*>(bmk_ctx), op_name, payload.data(), payload.size());
}

void add_cpu_op(const char* op_name, TensorOp& op) {
  add_cpu_op(static_cast<void*>(tputwin::net::current_context), op_name, op);
}

void add_cpu_op(BM188xBackendContext* ctx, const char* op_name, TensorOp& op) {
  add_cpu_op(static_cast<void*>(ctx->bm_get_bmk()), op_name, op);
}

}  // namespace bmnet
