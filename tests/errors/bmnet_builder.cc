// TW-NET-02xx and 04xx: customized layers, the builder, compilation.
#include <bmnet/builder/CaffeBuilder.hpp>
#include <bmnet/targets/plat-bm188x/CustomizedTensorFixedInst.hpp>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/errors/bmnet.h"
#include "base/last_error.h"
#include "bmnet/api/cpu_call.h"
#include "bmnet/caffe/import.h"
#include "bmnet/pipeline/compile.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmnet/targets/bm1684x/compile.h"
#include "common/temporary_directory.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

// Returns the exception of a call of the builder, which is the thread's last error.
Status thrown(const std::function<void()>& call) {
  try {
    call();
  } catch (const bmnet::CompileError&) {
    return *thread_diagnostics().last_error();
  }
  return {};
}

TW_TRIGGER(net_custom_layer, [] {
  return thrown([] {
    bmnet::CaffeBuilderBase b(BM_CHIP_BM1880, nullptr, "none", nullptr);
    b.addCustomizedLayer(nullptr);
  });
});
TW_TRIGGER(net_chip, [] { return thrown([] { bmnet::Builder<int8_t> b(BM_CHIP_BM1682); }); });
TW_TRIGGER(net_option, [] {
  return thrown([] {
    bmnet::Builder<int8_t> b(BM_CHIP_BM1880);
    b.build(1, 3, 8, 8, 9);
  });
});
TW_TRIGGER(net_order, [] {
  return thrown([] {
    bmnet::Builder<int8_t> b(BM_CHIP_BM1880);
    b.store_prototxt("net.prototxt");
  });
});

// ---- Nets that cannot be compiled ----

Status compile(const std::string& prototxt, net::CompileOptions options = {},
               const net::ImportOptions& import = {.needs_weights = false}) {
  TW_ASSIGN_OR_RETURN(text, net::read_prototxt(prototxt));
  TW_ASSIGN_OR_RETURN(merged, net::merge_caffe(std::move(text), {}));
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(merged, import));
  for (const net::TensorOp& op : network.ops)
    if (op.type() == "tg_convolution") {
      const auto& p = op.tg_convolution_param();
      const int64_t oc = op.output_shape(0).dim(1), ic = op.input_shape(0).dim(1);
      const int64_t count = oc * ic * p.kernel_size(0) * p.kernel_size(1);
      network.blobs[op.name()] = {{{count}, std::vector<float>(static_cast<size_t>(count), 1.0f)}};
    }
  return net::compile(network, std::vector<net::LayerIntegers>(network.ops.size()), options)
      .status();
}

std::string input(const char* dims) {
  return std::string("layer { name: 'data' type: 'Input' top: 'data' input_param { shape { ") +
         dims + " } } }";
}
std::string convolution(const char* parameters) {
  return std::string(
             "layer { name: 'conv' type: 'Convolution' bottom: 'data' top: 'conv' "
             "convolution_param { bias_term: false ") +
         parameters + " } }";
}

TW_TRIGGER(net_local_memory, [] {
  return compile(input("dim: 1 dim: 700 dim: 12 dim: 12") +
                 convolution("num_output: 32 kernel_size: 11"));
});
TW_TRIGGER(net_field, [] {
  return compile(input("dim: 1 dim: 3 dim: 40 dim: 40") +
                 convolution("num_output: 4 kernel_size: 3 stride: 16"));
});
TW_TRIGGER(net_memory, [] {
  std::string net = input("dim: 1 dim: 1024 dim: 1024 dim: 1023"), bottom = "data";
  for (const char* top : {"a", "b", "c", "d"}) {
    net += std::string("layer { name: '") + top + "' type: 'ReLU' bottom: '" + bottom + "' top: '" +
           top + "' }";
    bottom = top;
  }
  return compile(net, {.level = net::Level::none});
});

// ---- Nets for the BM1684 and the BM1684X ----

TW_TRIGGER(net_number_type, []() -> Status {
  const net::ImportOptions import{.needs_weights = false};
  TW_ASSIGN_OR_RETURN(text, net::read_prototxt(input("dim: 1 dim: 8 dim: 64 dim: 64") +
                                               "layer { name: 'y' type: 'ReLU' bottom: 'data' "
                                               "top: 'y' }"));
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(text, import));
  return net::bm1684x::compile(network,
                               {.target = &net::bm1684::bm1684_target(), .type = DType::f16})
      .status();
});
// fp16 does not hold the weight.
TW_TRIGGER(net_target, []() -> Status {
  net::caffe::NetParameter net =
      *net::read_prototxt("name: 'net' " + input("dim: 1 dim: 1 dim: 1 dim: 1") +
                          convolution("num_output: 1 kernel_size: 1"));
  net::caffe::BlobProto& blob = *net.mutable_layer(1)->add_blobs();
  for (int i = 0; i < 4; ++i) blob.mutable_shape()->add_dim(1);
  blob.add_data(1e9f);
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(net));
  return net::bm1684x::compile(network, {.type = DType::f16}).status();
});
// Weights of the BM1880 are integers.
TW_TRIGGER(net_float_weights, []() -> Status {
  TemporaryDirectory folder;
  net::caffe::NetParameter net =
      *net::read_prototxt("name: 'net' " + input("dim: 1 dim: 1 dim: 1 dim: 1") +
                          convolution("num_output: 1 kernel_size: 1"));
  net::caffe::BlobProto& blob = *net.mutable_layer(1)->add_blobs();
  for (int i = 0; i < 4; ++i) blob.mutable_shape()->add_dim(1);
  blob.add_data(3);
  const std::string path = (folder.path() / "net.caffemodel").string();
  std::ofstream(path, std::ios::binary) << net::to_caffemodel(net);
  return net::prepare_float({"", path, std::nullopt, {}}).status();
});

// The code of a customized layer throws an exception.
TW_TRIGGER(net_custom_code, [] {
  net::ImportOptions import{.needs_weights = false};
  import.custom["Mine"] = [](net::caffe::LayerParameter & layer, net::TensorOp&){
      return Status(Error(errors::net_custom_code).in("layer " + layer.name()).detail("thrown"));
  };
  return compile(input("dim: 1 dim: 3 dim: 4 dim: 4") +
                     "layer { name: 'mine' type: 'Mine' bottom: 'data' top: 'mine' }",
                 {}, import);
});

// ---- Plugins ----

TW_TRIGGER(net_plugin_missing, [] {
  bmodel::Model model;
  return net::add_plugins(model, {"Softmax"}, "no_such_folder");
});
TW_TRIGGER(net_plugin_arm, []() -> Status {
  const TemporaryDirectory folder;
  std::filesystem::create_directories(folder / "x86_64");
  std::ofstream(folder / "x86_64/Mine.so") << "code";
  bmodel::Model model;
  thread_diagnostics().clear();
  TW_RETURN_IF_ERROR(net::add_plugins(model, {"Mine"}, folder.path().string()));
  const auto warnings = thread_diagnostics().warnings();
  return warnings.empty() ? Status() : Status(warnings.front().sample);
});

}  // namespace
}  // namespace tputwin::testing
