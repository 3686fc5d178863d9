// The documented add_cpu_op, and plugins for a bmodel.
#include "bmnet/api/cpu_call.h"

#include <fmt/format.h>
#include <tputwin/cpu_op.h>
#include <bmnet/targets/cpu/cpu.hpp>
#include <bmnet/targets/plat-bm188x/BM188xBackendContext.hpp>

#include <filesystem>
#include <string_view>

#include "base/architecture.h"
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
    const auto file = [&](const char* architecture) {
      return (fs::path(folder) / architecture / (name + ".so")).string();
    };
    auto x86 = read_bytes(file("x86_64")), arm = read_bytes(file("armv8"));
    const bool for_host = kArchitecture == std::string_view("armv8") && arm.ok();
    if (folder.empty() || !(x86.ok() || for_host))
      return Error(errors::net_plugin_missing)
          .in("store_model")
          .argument("plugin_path", fmt::format("\"{}\"", folder))
          .detail(fmt::format("operator {}, file {}", name, file(kArchitecture)));
    bmodel::Library library{name, {}, {}};
    if (x86.ok()) library.x86_64 = std::move(*x86);
    if (arm.ok())
      library.armv8 = std::move(*arm);
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
