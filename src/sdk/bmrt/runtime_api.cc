// Runtimes and their nets.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/errors/bmrt.h"
#include "sdk/bmrt/api.h"
#include "sdk/bmrt/print.h"

namespace tputwin::bmrt {
namespace {

void* create(std::string_view call, const bm_handle_t* handles, int count) {
  return bmlib::with_value(call, static_cast<void*>(nullptr), [&]() -> Result<void*> {
    TW_RETURN_IF_ERROR(check_pointer(handles, "bm_handles"));
    if (count < 1)
      return Error(errors::brt_devices).argument("num_handles", fmt::format("{}", count));
    TW_ASSIGN_OR_RETURN(runtime, Runtime::create({handles, handles + count}));
    return add_runtime(std::move(runtime));
  });
}

// Calls function, which returns a Result<int>, and returns the number; -1 on error.
template <class Function>
int number_of(std::string_view call, Function function) {
  return bmlib::with_value(call, -1, function);
}

// Returns the stage that a launch with these inputs runs; -1 if none has their shapes.
Result<int> stage_index(const Net& net, const bm_tensor_t* inputs) {
  const int count = net.info().input_num;
  if (count > 0) TW_RETURN_IF_ERROR(check_pointer(inputs, "input_tensors"));
  std::vector<bm_shape_t> shapes;
  for (int i = 0; i < count; ++i) {
    TW_RETURN_IF_ERROR(check_shape(inputs[i].shape, fmt::format("input_tensors[{}].shape", i)));
    shapes.push_back(inputs[i].shape);
  }
  const auto stage = net.stage_of(shapes);
  if (!stage.ok()) return -1;
  const auto& stages = net.stages();
  return static_cast<int>(std::ranges::find(stages, *stage, &std::unique_ptr<Stage>::get) -
                          stages.begin());
}

// Ends a runtime. A launch that never ends may still use its nets.
void end(std::shared_ptr<Runtime> runtime) {
  static auto& mutex = *new std::mutex;
  static auto& kept = *new std::vector<std::shared_ptr<Runtime>>;
  if (!runtime->card().is_lost()) return;
  std::lock_guard lock(mutex);
  kept.push_back(std::move(runtime));
}

Status trace(const Runtime& runtime) {
  for (const auto& net : runtime.nets()) {
    std::fputs(net_text(net->info()).c_str(), stdout);
    for (size_t i = 0; i < net->stages().size(); ++i) {
      const Coefficients* weights = net->stages()[i]->memory().coefficients();
      if (weights != nullptr && !weights->intact())
        return Error(errors::brt_check_code)
            .argument("net", fmt::format("{} stage {}", net->name(), i));
    }
  }
  return {};
}

}  // namespace
}  // namespace tputwin::bmrt

using namespace tputwin;
using namespace tputwin::bmrt;

void* bmrt_create(bm_handle_t bm_handle) { return create(__func__, &bm_handle, 1); }

void* bmrt_create_ex(bm_handle_t* bm_handles, int num_handles) {
  return create(__func__, bm_handles, num_handles);
}

void bmrt_destroy(void* p_bmrt) {
  if (p_bmrt == nullptr) return;
  succeeds(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(runtime, remove_runtime(p_bmrt));
    end(std::move(runtime));
    return {};
  });
}

void bmrt_destroy_without_coeff(void* p_bmrt) {
  if (p_bmrt == nullptr) return;
  succeeds(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(runtime, remove_runtime(p_bmrt));
    runtime->keep_coefficients();
    end(std::move(runtime));
    return {};
  });
}

void* bmrt_get_bm_handle(void* p_bmrt) {
  return bmlib::with_value(__func__, static_cast<void*>(nullptr), [&]() -> Result<void*> {
    TW_ASSIGN_OR_RETURN(runtime, find_runtime(p_bmrt));
    return static_cast<void*>(runtime->handle());
  });
}

void bmrt_set_flags(void* p_bmrt, uint32_t flags) {
  on_runtime(__func__, p_bmrt, [&](Runtime& runtime) -> Status {
    runtime.flags = flags;
    return {};
  });
}

uint32_t bmrt_get_flags(void* p_bmrt) {
  uint32_t flags = 0;
  on_runtime(__func__, p_bmrt, [&](Runtime& runtime) -> Status {
    flags = runtime.flags;
    return {};
  });
  return flags;
}

void bmrt_show_neuron_network(void* p_bmrt) {
  on_runtime(__func__, p_bmrt, [&](Runtime& runtime) -> Status {
    for (const auto& net : runtime.nets()) fmt::print("{}\n", net->name());
    return {};
  });
}

int bmrt_get_network_number(void* p_bmrt) {
  size_t number = 0;
  on_runtime(__func__, p_bmrt, [&](Runtime& runtime) -> Status {
    number = runtime.nets().size();
    return {};
  });
  return static_cast<int>(number);
}

void bmrt_get_network_names(void* p_bmrt, const char*** network_names) {
  on_runtime(__func__, p_bmrt, [&](Runtime& runtime) -> Status {
    TW_RETURN_IF_ERROR(check_pointer(network_names, "network_names"));
    const auto nets = runtime.nets();
    // One element more, so that the size is never 0.
    auto** names = static_cast<const char**>(std::calloc(nets.size() + 1, sizeof(char*)));
    for (size_t i = 0; i < nets.size(); ++i) names[i] = nets[i]->info().name;
    *network_names = names;
    return {};
  });
}

const bm_net_info_t* bmrt_get_network_info(void* p_bmrt, const char* net_name) {
  using Info = const bm_net_info_t*;
  return bmlib::with_value(__func__, static_cast<Info>(nullptr), [&]() -> Result<Info> {
    TW_ASSIGN_OR_RETURN(runtime, find_runtime(p_bmrt));
    TW_ASSIGN_OR_RETURN(net, runtime->find(net_name));
    return &net->info();
  });
}

int bmrt_get_network_index(void* p_bmrt, const char* net_name) {
  return number_of(__func__, [&]() -> Result<int> {
    TW_ASSIGN_OR_RETURN(runtime, find_runtime(p_bmrt));
    TW_RETURN_IF_ERROR(check_pointer(net_name, "net_name"));
    const auto nets = runtime->nets();
    const auto net = std::ranges::find(nets, net_name, [](const auto& n) { return n->name(); });
    return net == nets.end() ? -1 : static_cast<int>(net - nets.begin());
  });
}

int bmrt_get_stage_size(void* p_bmrt, const char* net_name) {
  return number_of(__func__, [&]() -> Result<int> {
    TW_ASSIGN_OR_RETURN(runtime, find_runtime(p_bmrt));
    TW_ASSIGN_OR_RETURN(net, runtime->find(net_name));
    return static_cast<int>(net->stages().size());
  });
}

int bmrt_get_stage_index(void* p_bmrt, const char* net_name, bm_tensor_t* input_tensors) {
  return number_of(__func__, [&]() -> Result<int> {
    TW_ASSIGN_OR_RETURN(runtime, find_runtime(p_bmrt));
    TW_ASSIGN_OR_RETURN(net, runtime->find(net_name));
    return stage_index(*net, input_tensors);
  });
}

void bmrt_print_network_info(const bm_net_info_t* net_info) {
  succeeds(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(net_info, "net_info"));
    std::fputs(net_text(*net_info).c_str(), stdout);
    return {};
  });
}

void bmrt_trace(void* p_bmrt) {
  on_runtime(__func__, p_bmrt, [](Runtime& runtime) { return trace(runtime); });
}
