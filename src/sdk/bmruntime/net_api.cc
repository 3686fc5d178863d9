// Networks.
#include <algorithm>

#include "base/errors/bmruntime.h"
#include "base/heap.h"
#include "sdk/bmruntime/api.h"
#include "sdk/bmruntime/network.h"

namespace tputwin::rt {
namespace {

// Returns a model of one variety from its parts. Its sizes are known, its shapes are not.
Result<bmodel::Model> model_of(const bmnet_info_t* info) {
  TW_RETURN_IF_ERROR(check_pointer(info, "info"));
  if (info->weight_size != 0) TW_RETURN_IF_ERROR(check_pointer(info->weight, "info->weight"));
  if (info->cmdbuf_size != 0) TW_RETURN_IF_ERROR(check_pointer(info->cmdbuf, "info->cmdbuf"));
  auto inside = [&](uint64_t offset, uint64_t bytes) {
    return bytes > 0 && bytes <= UINT32_MAX && offset <= info->neuron_size &&
           bytes <= info->neuron_size - offset;
  };
  if (!inside(0, info->input_size) || !inside(info->output_offset, info->output_size))
    return Error(errors::bmr_net_area)
        .argument("info", fmt::format("input {} output {} at {}", info->input_size,
                                      info->output_size, info->output_offset))
        .detail(fmt::format("neuron_size is {}", info->neuron_size));
  bmodel::Variety variety;
  variety.inputs = {{.shape = {1, 1, 1, static_cast<uint32_t>(info->input_size)}}};
  variety.cmdbuf.assign(info->cmdbuf, info->cmdbuf + info->cmdbuf_size);
  variety.neuron_size = info->neuron_size;
  variety.outputs = {{.name = "output",
                      .shape = {1, 1, 1, static_cast<uint32_t>(info->output_size)},
                      .offset = info->output_offset}};
  bmodel::Model model;
  model.name = "network";
  model.weights.emplace_back(info->weight, info->weight + info->weight_size);
  model.varieties.push_back(std::move(variety));
  return model;
}

Status add_raw(bmctx_t ctx, bmnet_info_t* info, bmnet_t* net, Network::Memories memories) {
  TW_RETURN_IF_ERROR(check_pointer(net, "net"));
  TW_ASSIGN_OR_RETURN(model, model_of(info));
  TW_ASSIGN_OR_RETURN(handle, Network::add(ctx, std::move(model), memories, false));
  *net = handle;
  return {};
}

Status add_model(bmctx_t ctx, Result<bmodel::Model> model, bmnet_t* net) {
  if (!model.ok()) return model.status();
  TW_RETURN_IF_ERROR(check_pointer(net, "net"));
  TW_ASSIGN_OR_RETURN(handle,
                      Network::add(ctx, std::move(model.value()), Network::Memories::own, true));
  give_back_heap();
  *net = handle;
  return {};
}

// Calls function, which returns a Status, with the Network while no other thread uses a network of
// the device.
template <class Function>
bmerr_t on_network(std::string_view call, bmnet_t net, Function function) {
  return with_code(call, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(network, find_network(net));
    std::lock_guard lock(network->run_mutex());
    return function(*network);
  });
}

// As above, for a function that returns a Result<T>.
template <class T, class Function>
T value_of_network(std::string_view call, bmnet_t net, T fallback, Function function) {
  return with_value(call, fallback, [&]() -> Result<T> {
    TW_ASSIGN_OR_RETURN(network, find_network(net));
    std::lock_guard lock(network->run_mutex());
    return function(*network);
  });
}

Status infer(Network& network, const uint8_t* input, uint8_t* output) {
  TW_RETURN_IF_ERROR(check_pointer(output, "output"));
  TW_RETURN_IF_ERROR(network.load_input(input));
  TW_RETURN_IF_ERROR(network.run());
  return network.store_output(output);
}

Status check_count(int count, std::string_view argument) {
  if (count > 0) return {};
  return Error(errors::bmr_net_range).argument(argument, fmt::format("{}", count));
}

float threshold(std::string_view call, bmnet_t net) {
  return value_of_network(call, net, 0.0f, [](Network& n) -> Result<float> {
    const auto& list = n.info(n.selected_or_first()).input_thresholds;
    return list.empty() ? 0.0f : list.front();
  });
}

}  // namespace
}  // namespace tputwin::rt

using namespace tputwin;
using namespace tputwin::rt;

// ---- Registration ----

bmerr_t bmnet_register(bmctx_t ctx, bmnet_info_t* info, bmnet_t* net) {
  return with_code(__func__, [&] { return add_raw(ctx, info, net, Network::Memories::own); });
}

bmerr_t bmnet_register_noalloc(bmctx_t ctx, bmnet_info_t* info, bmnet_t* net) {
  return with_code(__func__, [&] { return add_raw(ctx, info, net, Network::Memories::imported); });
}

bmerr_t bmnet_register_bmodel(bmctx_t ctx, const char* bmodel, bmnet_t* net) {
  return with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(bmodel, "bmodel"));
    return add_model(ctx, bmodel::read_file(bmodel), net);
  });
}

bmerr_t bmnet_register_bmodel_data(bmctx_t ctx, uint8_t* data, size_t size, bmnet_t* net) {
  return with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(data, "data"));
    return add_model(ctx, bmodel::read({data, size}), net);
  });
}

void bmnet_cleanup(bmnet_t net) {
  with_code(__func__, [&] { return cleanup_network(net); });
}

bmerr_t bmnet_import_weight_devmem(bmnet_t net, bmmem_device_t weight_mem) {
  return on_network(__func__, net, [&](Network& n) { return n.import_weight(weight_mem); });
}

bmerr_t bmnet_import_neuron_devmem(bmnet_t net, bmmem_device_t neuron_mem) {
  return on_network(__func__, net, [&](Network& n) { return n.import_neuron(neuron_mem); });
}

bmerr_t bmnet_load_cmdbuf(bmnet_t net, const uint8_t* cmdbuf, int size) {
  return on_network(__func__, net, [&](Network& n) -> Status {
    TW_RETURN_IF_ERROR(check_pointer(cmdbuf, "cmdbuf"));
    TW_RETURN_IF_ERROR(check_count(size, "size"));
    return n.load_commands({cmdbuf, static_cast<size_t>(size)});
  });
}

// ---- Shapes ----

bmerr_t bmnet_set_input_shape(bmnet_t net, shape_t input_shape) {
  return on_network(__func__, net, [&](Network& n) { return n.select({&input_shape, 1}); });
}

bmerr_t bmnet_set_input_shape2(bmnet_t net, shape_t* input_shape, int num) {
  return on_network(__func__, net, [&](Network& n) -> Status {
    TW_RETURN_IF_ERROR(check_pointer(input_shape, "input_shape"));
    TW_RETURN_IF_ERROR(check_count(num, "num"));
    return n.select({input_shape, static_cast<size_t>(num)});
  });
}

bmerr_t bmnet_get_input_shape(bmnet_t net, shape_t* input_shape, int num) {
  return on_network(__func__, net, [&](Network& n) -> Status {
    TW_RETURN_IF_ERROR(check_pointer(input_shape, "input_shape"));
    TW_RETURN_IF_ERROR(check_count(num, "num"));
    TW_ASSIGN_OR_RETURN(index, n.selected());
    const auto& shapes = n.info(index).input_shapes;
    if (static_cast<size_t>(num) > shapes.size())
      return Error(errors::bmr_net_range)
          .argument("num", fmt::format("{}", num))
          .detail(fmt::format("the network has {} inputs", shapes.size()));
    std::copy_n(shapes.begin(), num, input_shape);
    return {};
  });
}

bmerr_t bmnet_get_output_info(bmnet_t net, bmnet_output_info_t* output_info) {
  return on_network(__func__, net, [&](Network& n) -> Status {
    TW_RETURN_IF_ERROR(check_pointer(output_info, "output_info"));
    TW_ASSIGN_OR_RETURN(index, n.selected());
    *output_info = n.info(index).output;
    return {};
  });
}

bmnet_input_info_t* bmnet_get_input_info(bmnet_t net) {
  using Info = bmnet_input_info_t*;
  return value_of_network(__func__, net, Info{}, [](Network& n) -> Result<Info> {
    return &n.info(n.selected_or_first()).input;
  });
}

bmnet_model_info_t* bmnet_get_model_info(bmnet_t net) {
  using Info = bmnet_model_info_t*;
  return value_of_network(__func__, net, Info{},
                          [](Network& n) -> Result<Info> { return n.model_info(); });
}

float bmnet_get_input_threshold(bmnet_t net) { return threshold(__func__, net); }
float bmmet_get_input_threshold(bmnet_t net) { return threshold(__func__, net); }

// ---- Running ----

bmerr_t bmnet_load_input(bmnet_t net, uint8_t* input) {
  return on_network(__func__, net, [&](Network& n) { return n.load_input(input); });
}

bmerr_t bmnet_load_part_input(bmnet_t net, uint8_t* input, size_t size) {
  return on_network(__func__, net, [&](Network& n) { return n.load_input(input, size); });
}

bmerr_t bmnet_run(bmnet_t net) {
  return on_network(__func__, net, [](Network& n) { return n.run(); });
}

bmerr_t bmnet_store_output(bmnet_t net, uint8_t* output) {
  return on_network(__func__, net, [&](Network& n) { return n.store_output(output); });
}

bmerr_t bmnet_inference(bmnet_t net, uint8_t* input, uint8_t* output) {
  return on_network(__func__, net, [&](Network& n) { return infer(n, input, output); });
}

bmerr_t bmnet_inference_once(bmctx_t ctx, uint8_t* input, uint8_t* output, uint32_t batch_size,
                             uint8_t* weight, size_t weight_size, uint8_t* cmdbuf,
                             size_t cmdbuf_size, size_t neuron_size, size_t input_size,
                             uint64_t output_offset, size_t output_size) {
  return with_code(__func__, [&]() -> Status {
    bmnet_info_t info{batch_size,  weight,     weight_size,   cmdbuf,     cmdbuf_size,
                      neuron_size, input_size, output_offset, output_size};
    bmnet_t net = nullptr;
    TW_RETURN_IF_ERROR(add_raw(ctx, &info, &net, Network::Memories::own));
    TW_ASSIGN_OR_RETURN(network, find_network(net));
    std::lock_guard lock(network->run_mutex());
    Status status = infer(*network, input, output);
    TW_RETURN_IF_ERROR(cleanup_network(net));
    return status;
  });
}

bmerr_t bmnet_load_neuron(bmnet_t net, uint64_t neuron_offset, int neuron_size, uint8_t* neuron) {
  return on_network(__func__, net, [&](Network& n) -> Status {
    TW_RETURN_IF_ERROR(check_count(neuron_size, "neuron_size"));
    return n.load_neuron(neuron_offset, static_cast<uint64_t>(neuron_size), neuron);
  });
}

bmerr_t bmnet_store_neuron(bmnet_t net, uint64_t neuron_offset, int neuron_size, uint8_t* neuron) {
  return on_network(__func__, net, [&](Network& n) -> Status {
    TW_RETURN_IF_ERROR(check_count(neuron_size, "neuron_size"));
    return n.store_neuron(neuron_offset, static_cast<uint64_t>(neuron_size), neuron);
  });
}

bmmem_device_t bmnet_weight_devmem(bmnet_t net) {
  return value_of_network(__func__, net, bmmem_t{}, [](Network& n) { return n.weight_memory(); });
}

bmmem_device_t bmnet_neuron_devmem(bmnet_t net) {
  return value_of_network(__func__, net, bmmem_t{}, [](Network& n) { return n.neuron_memory(); });
}

bmmem_device_t bmnet_input_devmem(bmnet_t net) {
  return value_of_network(__func__, net, bmmem_t{}, [](Network& n) { return n.input_memory(); });
}

bmmem_device_t bmnet_output_devmem(bmnet_t net) {
  return value_of_network(__func__, net, bmmem_t{}, [](Network& n) { return n.output_memory(); });
}

int bmnet_data_transition(bmctx_t, u64, int, int, int, int, int, int, int, float, float, u64) {
  return static_cast<int>(not_supported(__func__));
}

int bmnet_data_copy_u8(bmctx_t, u64, int, int, int, int, int, int, int, u64) {
  return static_cast<int>(not_supported(__func__));
}
