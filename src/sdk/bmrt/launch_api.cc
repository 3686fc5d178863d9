// bmrt_launch_*: checks of the user's arguments against the net, before anything runs.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "base/errors/bmrt.h"
#include "sdk/bmlib/range.h"
#include "sdk/bmrt/api.h"
#include "sdk/bmrt/launch.h"
#include "sdk/bmrt/storage.h"

namespace tputwin::bmrt {
namespace {

Status check_counts(const Net& net, int inputs, int outputs) {
  const bm_net_info_t& info = net.info();
  if (inputs != info.input_num)
    return Error(errors::brt_count)
        .argument("input_num", fmt::format("{}", inputs))
        .detail(fmt::format("{} has {}", net.name(), info.input_num));
  if (outputs != info.output_num)
    return Error(errors::brt_count)
        .argument("output_num", fmt::format("{}", outputs))
        .detail(fmt::format("{} has {}", net.name(), info.output_num));
  return {};
}

std::string item(std::string_view list, size_t index, std::string_view field) {
  return fmt::format("{}[{}].{}", list, index, field);
}

Status check_storage(const StageTensor& tensor, bm_store_mode_t mode, std::string argument) {
  if (mode == BM_STORE_1N || (mode == BM_STORE_4N && tensor.bits() == 8)) return {};
  return Error(errors::brt_storage)
      .argument(std::move(argument), fmt::format("{}", static_cast<int>(mode)));
}

// Returns the host address of a tensor's device memory, which must hold `bytes`.
Result<uint8_t*> memory_of(const Runtime& runtime, const bm_device_mem_t& mem, uint64_t bytes,
                           std::string argument) {
  bmlib::Card& card = runtime.card();
  const uint64_t base = card.chip().global_base, from = mem.u.device.device_addr;
  if (mem.size >= bytes && from >= base && from - base <= card.memory_bytes() &&
      bytes <= card.memory_bytes() - (from - base))
    return card.at(from - base);
  return Error(errors::brt_memory)
      .argument(std::move(argument), fmt::format("[{:#x}, +{:#x})", from, mem.size))
      .detail(fmt::format("the tensor has {} bytes", bytes));
}

Result<Stage*> stage_for(const Net& net, const TensorLaunch& request) {
  std::vector<bm_shape_t> shapes;
  for (int i = 0; i < request.input_num; ++i) {
    const bm_tensor_t& tensor = request.inputs[i];
    const auto index = static_cast<size_t>(i);
    if (tensor.dtype != net.info().input_dtypes[i])
      return Error(errors::brt_type)
          .argument(item("input_tensors", index, "dtype"),
                    fmt::format("{}", static_cast<int>(tensor.dtype)))
          .detail(
              fmt::format("{} takes {}", net.name(), static_cast<int>(net.info().input_dtypes[i])));
    TW_RETURN_IF_ERROR(check_shape(tensor.shape, item("input_tensors", index, "shape")));
    shapes.push_back(tensor.shape);
  }
  return net.stage_of(shapes);
}

Result<std::vector<UserTensor>> inputs_of(const Runtime& runtime, const Stage& stage,
                                          const TensorLaunch& request) {
  std::vector<UserTensor> list;
  for (size_t i = 0; i < stage.inputs().size(); ++i) {
    const bm_tensor_t& tensor = request.inputs[i];
    TW_RETURN_IF_ERROR(
        check_storage(stage.inputs()[i], tensor.st_mode, item("input_tensors", i, "st_mode")));
    TW_ASSIGN_OR_RETURN(
        memory, memory_of(runtime, tensor.device_mem, stage.inputs()[i].bytes(tensor.st_mode),
                          item("input_tensors", i, "device_mem")));
    list.push_back({memory, tensor.st_mode});
  }
  return list;
}

// Memory allocated for outputs, freed again unless the launch is submitted.
struct Allocated {
  bm_handle_t handle;
  std::vector<bm_device_mem_t> memories;
  ~Allocated() {
    for (const bm_device_mem_t& memory : memories) bm_free_device(handle, memory);
  }
};

// Returns the outputs of a launch; the user provides their memories, or they are allocated.
Result<std::vector<bm_tensor_t>> describe_outputs(Runtime& runtime, const Stage& stage,
                                                  const TensorLaunch& request,
                                                  Allocated& allocated) {
  std::vector<bm_tensor_t> list;
  for (size_t i = 0; i < stage.outputs().size(); ++i) {
    const StageTensor& output = stage.outputs()[i];
    bm_tensor_t tensor{.dtype = static_cast<bm_data_type_t>(output.file->data_type),
                       .shape = output.shape,
                       .device_mem = {},
                       .st_mode = request.user_stmode ? request.outputs[i].st_mode : BM_STORE_1N};
    TW_RETURN_IF_ERROR(check_storage(output, tensor.st_mode, item("output_tensors", i, "st_mode")));
    if (request.user_mem) {
      tensor.device_mem = request.outputs[i].device_mem;
    } else {
      TW_RETURN_IF_ERROR(bmlib::allocate(runtime.handle(), &tensor.device_mem,
                                         static_cast<int64_t>(output.bytes(tensor.st_mode))));
      allocated.memories.push_back(tensor.device_mem);
    }
    list.push_back(tensor);
  }
  return list;
}

Result<std::vector<UserTensor>> outputs_of(const Runtime& runtime, const Stage& stage,
                                           const std::vector<bm_tensor_t>& tensors) {
  std::vector<UserTensor> list;
  for (size_t i = 0; i < tensors.size(); ++i) {
    TW_ASSIGN_OR_RETURN(memory, memory_of(runtime, tensors[i].device_mem,
                                          stage.outputs()[i].bytes(tensors[i].st_mode),
                                          item("output_tensors", i, "device_mem")));
    list.push_back({memory, tensors[i].st_mode});
  }
  return list;
}

Status check_cores(const int* core_list, int core_num) {
  if (core_num == 0 || core_list == nullptr || (core_num == 1 && core_list[0] == 0)) return {};
  return Error(errors::brt_core).argument("core_num", fmt::format("{}", core_num));
}

}  // namespace

Status launch(Runtime& runtime, const TensorLaunch& request) {
  TW_ASSIGN_OR_RETURN(net, runtime.find(request.net_name));
  TW_RETURN_IF_ERROR(check_pointer(request.inputs, "input_tensors"));
  TW_RETURN_IF_ERROR(check_pointer(request.outputs, "output_tensors"));
  TW_RETURN_IF_ERROR(check_counts(*net, request.input_num, request.output_num));
  TW_ASSIGN_OR_RETURN(stage, stage_for(*net, request));
  TW_RETURN_IF_ERROR(stage->groups().status());
  TW_ASSIGN_OR_RETURN(inputs, inputs_of(runtime, *stage, request));
  Allocated allocated{.handle = runtime.handle(), .memories = {}};
  TW_ASSIGN_OR_RETURN(tensors, describe_outputs(runtime, *stage, request, allocated));
  TW_ASSIGN_OR_RETURN(outputs, outputs_of(runtime, *stage, tensors));
  if (stage->subnets() == nullptr) {
    TW_RETURN_IF_ERROR(bmlib::launch_async(
        runtime.handle(), make_launch(*net, *stage, std::move(inputs), std::move(outputs))));
  } else {
    // only the run determines the shapes of the outputs
    std::vector<bm_shape_t> shapes;
    TW_RETURN_IF_ERROR(
        bmlib::launch_sync(runtime.handle(), make_launch(*net, *stage, inputs, outputs, &shapes)));
    for (size_t i = 0; i < tensors.size(); ++i) tensors[i].shape = shapes[i];
  }
  allocated.memories.clear();
  std::copy(tensors.begin(), tensors.end(), request.outputs);
  return {};
}

Status launch(Runtime& runtime, const DataLaunch& request) {
  TW_ASSIGN_OR_RETURN(net, runtime.find(request.net_name));
  TW_RETURN_IF_ERROR(check_pointer(request.inputs, "input_datas"));
  TW_RETURN_IF_ERROR(check_pointer(request.shapes, "input_shapes"));
  TW_RETURN_IF_ERROR(check_pointer(request.outputs, "output_datas"));
  TW_RETURN_IF_ERROR(check_pointer(request.output_shapes, "output_shapes"));
  TW_RETURN_IF_ERROR(check_counts(*net, request.input_num, request.output_num));
  const std::vector<bm_shape_t> shapes(request.shapes, request.shapes + request.input_num);
  for (size_t i = 0; i < shapes.size(); ++i)
    TW_RETURN_IF_ERROR(check_shape(shapes[i], fmt::format("input_shapes[{}]", i)));
  TW_ASSIGN_OR_RETURN(stage, net->stage_of(shapes));
  TW_RETURN_IF_ERROR(stage->groups().status());
  std::vector<UserTensor> inputs, outputs;
  for (size_t i = 0; i < stage->inputs().size(); ++i) {
    TW_RETURN_IF_ERROR(check_pointer(request.inputs[i], fmt::format("input_datas[{}]", i)));
    inputs.push_back({static_cast<uint8_t*>(request.inputs[i])});
  }
  std::vector<std::unique_ptr<void, decltype(&std::free)>> owned;
  for (size_t i = 0; i < stage->outputs().size(); ++i) {
    void* memory = request.user_mem ? request.outputs[i] : nullptr;
    if (request.user_mem)
      TW_RETURN_IF_ERROR(check_pointer(memory, fmt::format("output_datas[{}]", i)));
    else
      owned.emplace_back(memory = std::malloc(stage->outputs()[i].bytes(BM_STORE_1N)), std::free);
    outputs.push_back({static_cast<uint8_t*>(memory)});
  }
  std::vector<bm_shape_t> output_shapes;
  for (const StageTensor& output : stage->outputs()) output_shapes.push_back(output.shape);
  auto made = make_launch(*net, *stage, inputs, outputs, &output_shapes);
  TW_RETURN_IF_ERROR(bmlib::launch_sync(runtime.handle(), std::move(made)));
  for (size_t i = 0; i < outputs.size(); ++i) {
    request.outputs[i] = outputs[i].memory;
    request.output_shapes[i] = output_shapes[i];
  }
  for (auto& memory : owned) static_cast<void>(memory.release());
  return {};
}

}  // namespace tputwin::bmrt

using namespace tputwin;
using namespace tputwin::bmrt;

bool bmrt_launch_tensor(void* p_bmrt, const char* net_name, const bm_tensor_t input_tensors[],
                        int input_num, bm_tensor_t output_tensors[], int output_num) {
  return on_runtime(__func__, p_bmrt, [&](Runtime& runtime) {
    return launch(runtime, TensorLaunch{net_name, input_tensors, input_num, output_tensors,
                                        output_num, false, false});
  });
}

bool bmrt_launch_tensor_ex(void* p_bmrt, const char* net_name, const bm_tensor_t input_tensors[],
                           int input_num, bm_tensor_t output_tensors[], int output_num,
                           bool user_mem, bool user_stmode) {
  return on_runtime(__func__, p_bmrt, [&](Runtime& runtime) {
    return launch(runtime, TensorLaunch{net_name, input_tensors, input_num, output_tensors,
                                        output_num, user_mem, user_stmode});
  });
}

bool bmrt_launch_tensor_multi_cores(void* p_bmrt, const char* net_name,
                                    const bm_tensor_t input_tensors[], int input_num,
                                    bm_tensor_t output_tensors[], int output_num, bool user_mem,
                                    bool user_stmode, const int* core_list, int core_num) {
  return on_runtime(__func__, p_bmrt, [&](Runtime& runtime) -> Status {
    TW_RETURN_IF_ERROR(check_cores(core_list, core_num));
    return launch(runtime, TensorLaunch{net_name, input_tensors, input_num, output_tensors,
                                        output_num, user_mem, user_stmode});
  });
}

bool bmrt_launch_data(void* p_bmrt, const char* net_name, void* const input_datas[],
                      const bm_shape_t input_shapes[], int input_num, void* output_datas[],
                      bm_shape_t output_shapes[], int output_num, bool user_mem) {
  return on_runtime(__func__, p_bmrt, [&](Runtime& runtime) {
    return launch(runtime, DataLaunch{net_name, input_datas, input_shapes, input_num, output_datas,
                                      output_shapes, output_num, user_mem});
  });
}

bool bmrt_launch_data_multi_cores(void* p_bmrt, const char* net_name, void* const input_datas[],
                                  const bm_shape_t input_shapes[], int input_num,
                                  void* output_datas[], bm_shape_t output_shapes[], int output_num,
                                  bool user_mem, const int* core_list, int core_num) {
  return on_runtime(__func__, p_bmrt, [&](Runtime& runtime) -> Status {
    TW_RETURN_IF_ERROR(check_cores(core_list, core_num));
    return launch(runtime, DataLaunch{net_name, input_datas, input_shapes, input_num, output_datas,
                                      output_shapes, output_num, user_mem});
  });
}

bool bmrt_pre_alloc_neuron_multi_cores(void* p_bmrt, const char* net_name, int stage_idx,
                                       const int* core_list, int core_num) {
  return on_runtime(__func__, p_bmrt, [&](Runtime& runtime) -> Status {
    TW_RETURN_IF_ERROR(check_cores(core_list, core_num));
    TW_ASSIGN_OR_RETURN(net, runtime.find(net_name));
    if (0 <= stage_idx && stage_idx < net->info().stage_num) return {};
    return Error(errors::brt_stage).argument("stage_idx", fmt::format("{}", stage_idx));
  });
}
