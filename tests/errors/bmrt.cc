// TW-BRT: one program per rule of bmrt. It calls no functions that bmruntime also has.
#include <bmruntime_cpp.h>

#include <string>

#include "base/errors/bmrt.h"
#include "base/file.h"
#include "base/last_error.h"
#include "bmodel/bm168x/model.h"
#include "bmodel/samples168x.h"
#include "errors/trigger.h"
#include "sdk/bmlib/card.h"

namespace tputwin::testing {
namespace {

namespace b168x = bmodel::bm168x;
const std::string kRecorded = TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/bm1684x/";

// Returns the last error or warning after the calls in `function`, with a runtime on a BM1684X.
template <class Function>
Status with_runtime(Function function) {
  bmlib::use_chip(bm1684x());
  bm_handle_t device = nullptr;
  bm_dev_request(&device, 0);
  void* runtime = bmrt_create(device);
  thread_diagnostics().clear();
  function(runtime);
  auto error = thread_diagnostics().last_error();
  auto warnings = thread_diagnostics().warnings();
  bmrt_destroy(runtime);
  bm_dev_free(device);
  bmlib::use_chip(bm1684());  // the chip of the other triggers
  thread_diagnostics().clear();
  if (error) return *error;
  return warnings.empty() ? Status() : Status(warnings.front().sample);
}

// A recorded net of one input and one output, whose file was changed.
struct Lenet {
  void* runtime;
  const bm_net_info_t* info;
  bm_tensor_t input{}, output{};
};
template <class Change, class Function>
Status with_changed_lenet(Change change, Function function) {
  return with_runtime([&](void* runtime) {
    auto bytes = *read_bytes(kRecorded + "nets-lenet-int8.bmodel");
    auto file = *b168x::read(bytes);
    change(file.model);
    const auto changed = b168x::write(file.model, file.binary);
    if (!bmrt_load_bmodel_data(runtime, changed.data(), changed.size())) return;
    const std::string name = file.model.net[0]->name;
    Lenet net{runtime, bmrt_get_network_info(runtime, name.c_str())};
    bmrt_tensor(&net.input, runtime, net.info->input_dtypes[0],
                net.info->stages[0].input_shapes[0]);
    function(net);
    bm_free_device(static_cast<bm_handle_t>(bmrt_get_bm_handle(runtime)), net.input.device_mem);
  });
}
template <class Function>
Status with_lenet(Function function) {
  return with_changed_lenet([](b168x::ModelT&) {}, function);
}

void launch(Lenet& net) {
  bmrt_launch_tensor(net.runtime, net.info->name, &net.input, 1, &net.output, 1);
}

// Launches the net after a change of its stage.
template <class Change>
Status launch_changed(Change change) {
  return with_changed_lenet(
      [&](b168x::ModelT& model) { change(*model.net[0], *model.net[0]->parameter[0]); },
      [](Lenet& net) { launch(net); });
}

TW_TRIGGER(brt_encrypted, [] {
  return with_changed_lenet(
      [](b168x::ModelT& model) { model.net[0]->parameter[0]->coeff_mem->encrypt_mode = 1; },
      [](const Lenet&) {});
});
TW_TRIGGER(brt_load_memory, [] {
  return with_runtime([](void* runtime) {
    mem_info_t none{};
    bmrt_load_bmodel_with_mem(runtime, (kRecorded + "nets-lenet-int8.bmodel").c_str(), &none);
  });
});
TW_TRIGGER(brt_decrypt_library, [] {
  return with_runtime([](void* runtime) {
    bmrt_load_bmodel_with_decrypt_lib(runtime, "some.bmodel", "/no/such.so");
  });
});
TW_TRIGGER(brt_null, [] { return with_runtime([](void* r) { bmrt_load_bmodel(r, nullptr); }); });
TW_TRIGGER(brt_runtime, [] {
  return with_runtime([](void*) { bmrt_get_network_number(reinterpret_cast<void*>(16)); });
});
TW_TRIGGER(brt_devices, [] {
  return with_runtime([](void* runtime) {
    bm_tensor_t tensor;
    bmrt_tensor_ex(&tensor, runtime, 1, BM_INT8, bm_shape_t{1, {4}});
  });
});
TW_TRIGGER(brt_container, [] {
  return with_runtime([](void* runtime) { bmrt_load_bmodel_data(runtime, "no model", 8); });
});
TW_TRIGGER(brt_chip, [] {
  return with_changed_lenet(
      [](b168x::ModelT& model) {
        model.chip = "BM1684";
        // In this mode the addresses of tensors are not checked.
        model.net[0]->addr_mode = 4;
      },
      [](Lenet&) {});
});
TW_TRIGGER(brt_net_twice, [] {
  return with_runtime([](void* runtime) {
    for (int i = 0; i < 2; ++i)
      bmrt_load_bmodel(runtime, (kRecorded + "nets-lenet-int8.bmodel").c_str());
  });
});
TW_TRIGGER(brt_subnet, [] {
  return launch_changed(
      [](b168x::NetT&, b168x::NetParameterT& stage) { stage.sub_net[0]->is_dynamic = 1; });
});
TW_TRIGGER(brt_address_mode, [] {
  return launch_changed([](b168x::NetT& net, b168x::NetParameterT&) { net.addr_mode = 2; });
});
TW_TRIGGER(brt_relocation, [] {
  return launch_changed([](b168x::NetT& net, b168x::NetParameterT& stage) {
    net.addr_mode = 4;
    for (auto* groups : {&stage.cmd_group, &stage.sub_net[0]->cmd_group})
      (*groups)[0]->reloc_entries = {{9, 0, 64}};
  });
});
TW_TRIGGER(brt_written, [] {
  // commands write to the addresses of the weights
  return launch_changed([](b168x::NetT& net, b168x::NetParameterT& stage) {
    net.addr_mode = 4;
    stage.coeff_mem->address = stage.ctx_addr;
    stage.ctx_addr += 0x1000'0000;
  });
});
// The neurons end slightly before the last bytes that the layers write.
TW_TRIGGER(brt_written_unread, [] {
  constexpr uint64_t kStep = 64;
  const auto shortened = [](uint64_t steps) {
    return launch_changed([&](b168x::NetT& net, b168x::NetParameterT& stage) {
      // In this mode the addresses of tensors are not checked.
      net.addr_mode = 4;
      stage.ctx_size -= kStep * steps;
      stage.ctx_sizes = {stage.ctx_size};
    });
  };
  uint64_t fits = 0, cut = 256;  // steps
  while (cut - fits > 1) {
    const uint64_t middle = (fits + cut) / 2;
    (shortened(middle).ok() ? fits : cut) = middle;
  }
  return shortened(cut);
});
TW_TRIGGER(brt_cascade, [] {
  return launch_changed([](b168x::NetT& net, b168x::NetParameterT&) {
    net.cascade = std::make_unique<b168x::CascadeT>();
    net.cascade->main_name = "main";
  });
});
TW_TRIGGER(brt_check_code, [] {
  return with_changed_lenet(
      [](b168x::ModelT& model) { model.net[0]->parameter[0]->coeff_mem->check_code.assign(32, 0); },
      [](Lenet& net) { bmrt_trace(net.runtime); });
});
TW_TRIGGER(brt_tensor_place, [] {
  return launch_changed([](b168x::NetT&, b168x::NetParameterT& stage) {
    auto second = std::make_unique<b168x::SubNetT>(*stage.sub_net[0]);
    second->id = 7;
    stage.sub_net.push_back(std::move(second));
    stage.input_tensor[0]->device_addr = 0x1'0000'0000;  // inside the weights
  });
});

TW_TRIGGER(brt_net, [] {
  return with_runtime([](void* runtime) { bmrt_get_network_info(runtime, "none"); });
});
TW_TRIGGER(brt_count, [] {
  return with_lenet([](Lenet& net) {
    bmrt_launch_tensor(net.runtime, net.info->name, &net.input, 2, &net.output, 1);
  });
});
TW_TRIGGER(brt_type, [] {
  return with_lenet([](Lenet& net) {
    net.input.dtype = BM_INT32;
    launch(net);
  });
});
TW_TRIGGER(brt_storage, [] {
  return with_lenet([](Lenet& net) {
    net.input.st_mode = BM_STORE_2N;
    launch(net);
  });
});
TW_TRIGGER(brt_shapes, [] {
  return with_lenet([](Lenet& net) {
    net.input.shape.dims[0] += 1;
    launch(net);
  });
});
TW_TRIGGER(brt_memory, [] {
  return with_lenet([](Lenet& net) {
    bm_tensor_t small = net.input;
    small.device_mem.size = 1;
    bmrt_launch_tensor(net.runtime, net.info->name, &small, 1, &net.output, 1);
  });
});
TW_TRIGGER(brt_core, [] {
  return with_lenet([](Lenet& net) {
    const int cores[] = {0, 1};
    bmrt_pre_alloc_neuron_multi_cores(net.runtime, net.info->name, 0, cores, 2);
  });
});
TW_TRIGGER(brt_shape, [] {
  return with_runtime([](void*) {
    bm_shape_t shape;
    const int dims[] = {1, 0};
    bmrt_shape(&shape, dims, 2);
  });
});
TW_TRIGGER(brt_stage, [] {
  return with_lenet([](Lenet& net) {
    bmrt_pre_alloc_neuron_multi_cores(net.runtime, net.info->name, 1, nullptr, 0);
  });
});
TW_TRIGGER(brt_data_type, [] {
  return with_runtime([](void*) { bmrt_data_type_size(static_cast<bm_data_type_t>(11)); });
});
TW_TRIGGER(brt_fixed_shape, [] {
  return with_runtime([](void* runtime) {
    bmruntime::Context context(static_cast<bm_handle_t>(bmrt_get_bm_handle(runtime)));
    context.load_bmodel((kRecorded + "nets-lenet-int8.bmodel").c_str());
    std::vector<const char*> names;
    context.get_network_names(&names);
    bmruntime::Network net(context, names[0], 0);
    static_cast<void>(net.Inputs()[0]->Reshape(net.Inputs()[0]->tensor()->shape));
  });
});
TW_TRIGGER(brt_copy, [] {
  return with_runtime([](void* runtime) {
    bmruntime::Context context(static_cast<bm_handle_t>(bmrt_get_bm_handle(runtime)));
    context.load_bmodel((kRecorded + "nets-lenet-int8.bmodel").c_str());
    std::vector<const char*> names;
    context.get_network_names(&names);
    bmruntime::Network net(context, names[0], 0);
    char byte = 0;
    static_cast<void>(net.Inputs()[0]->CopyFrom(&byte, 1, net.Inputs()[0]->ByteSize()));
  });
});

}  // namespace
}  // namespace tputwin::testing
