// CaffeBuilder, the documented class. It runs the passes of the compiler and throws errors as
// exceptions.
#include <bmnet/builder/CaffeBuilder.hpp>

#include <fmt/format.h>
#include <google/protobuf/text_format.h>
#include <bmnet/targets/plat-bm188x/BM188xBackendContext.hpp>

#include <filesystem>
#include <map>
#include <optional>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "base/last_error.h"
#include "bmnet/api/cpu_call.h"
#include "bmnet/caffe/import.h"
#include "bmnet/caffe/program_messages.h"
#include "bmnet/integers/table.h"
#include "bmnet/pipeline/compile.h"
#include "bmnet/pipeline/prepare.h"

namespace bmnet {

using tputwin::Error;
namespace errors = tputwin::errors;
using tputwin::Result;
using tputwin::Status;
namespace net = tputwin::net;

namespace {

// The only place where errors of the library become exceptions.
[[noreturn]] void raise(const Error& error) {
  (void)tputwin::report(Error(error));
  throw CompileError(error.message());
}
void need(const Status& status) {
  if (!status.ok()) raise(status.error());
}
template <class T>
T take(Result<T> result) {
  if (!result.ok()) raise(result.error());
  return std::move(*result);
}

std::string path_or_empty(const char* path) { return path == nullptr ? "" : path; }

void write(const char* call, const char* path, std::span<const uint8_t> bytes) {
  if (path == nullptr) raise(Error(errors::net_cli).in(call).argument("dst", "NULL"));
  need(tputwin::write_bytes(path, bytes));
}

}  // namespace

struct BuilderBase::State {
  std::string prototxt, caffemodel, weight_bin, in_ctable, out_ctable;
  bool enable_dequantized = false;
  std::map<std::string, std::unique_ptr<Layer>> layers;       // by type
  std::map<std::string, std::unique_ptr<Instruction>> insts;  // by key
  CaffeFrontendContext frontend;
  ::NetCalibrationParameter table;
  std::optional<net::Network> network;
  std::optional<net::Compiled> compiled;

  net::Compiled& built(const char* call) {
    if (!compiled) raise(Error(errors::net_order).in(call));
    return *compiled;
  }

  // ---- Customized layers ----

  Status run_layer(Layer& layer, net::caffe::LayerParameter& parameter, TensorOp& op) {
    auto error = [&] { return Error(errors::net_custom_code).in("layer " + parameter.name()); };
    std::string message;
    if (!parameter.SerializePartialToString(&message)) return error().detail("over 2 GiB");
    try {
      layer.set_frontend_context(&frontend);
      if (!layer.parse_layer(message)) return error().detail("its message cannot be read");
      layer.setup(&op);
      layer.codegen(&op);
    } catch (const std::exception& e) {
      return error().detail(e.what());
    }
    if (op.output_shape_size() < parameter.top_size())
      return Error(errors::net_custom_shape)
          .in("layer " + parameter.name())
          .argument("output_shape",
                    fmt::format("{} of {}", op.output_shape_size(), parameter.top_size()));
    return Status();
  }

  // Returns the table's entry for an input of an op: the entry of its producer, or else the last
  // entry with a parameter of the blob; nullptr if there is none.
  const ::LayerCalibrationParameter* input_entry(const std::string& tensor) const {
    const std::string& blob = network->blob_name(tensor);
    const net::TensorOp* producer = network->producer(tensor);
    const ::LayerCalibrationParameter* found = nullptr;
    for (const auto& layer : table.layer()) {
      if (producer != nullptr && layer.name() == producer->calib_id()) return &layer;
      for (const auto& b : layer.blob_param())
        if (b.name() == blob) found = &layer;
    }
    return found;
  }

  Status run_instruction(Instruction& inst, TensorOp& op, net::Program& program) {
    BM188xBackendContext context(program.context(), &table);
    const net::CpuCallScope scope(program.context());
    const uint64_t errors = tputwin::thread_diagnostics().error_count();
    if (auto* fixed = dynamic_cast<TensorFixedInst*>(&inst)) {
      fixed->ClearInputCalibrationParameter();
      const auto* own = net::find_entry(table, op);
      fixed->SetCalibrationParameter(own != nullptr ? *own : ::LayerCalibrationParameter());
      for (const std::string& t : op.bottom()) {
        const auto* entry = input_entry(t);
        fixed->AddInputCalibrationParameter(entry != nullptr ? *entry
                                                             : ::LayerCalibrationParameter());
      }
    }
    try {
      inst.set_op(op);
      inst.set_context(&context);
      inst.encode();
    } catch (const std::exception& e) {
      return Error(errors::net_custom_code).in("layer " + op.name()).detail(e.what());
    }
    if (tputwin::thread_diagnostics().error_count() != errors)
      return Error(errors::net_custom_code)
          .in("layer " + op.name())
          .detail(tputwin::thread_diagnostics().last_error()->message());
    op = inst.op();
    return Status();
  }

  // ---- Options ----

  net::ImportOptions import_options(const std::vector<TensorShape>& shapes) {
    net::ImportOptions options;
    options.input_shapes = shapes;
    for (auto& [type, layer] : layers)
      options.custom[type] = [this, l = layer.get()](net::caffe::LayerParameter& p, TensorOp& op) {
        return run_layer(*l, p, op);
      };
    return options;
  }

  net::CompileOptions compile_options(int opt) {
    net::CompileOptions options;
    options.level = static_cast<net::Level>(opt);
    options.dequantize_outputs = enable_dequantized;
    for (auto& [key, inst] : insts)
      options.customized[key] = [this, i = inst.get()](TensorOp& op, const net::LayerIntegers&,
                                                       net::Program& program) {
        return run_instruction(*i, op, program);
      };
    return options;
  }
};

BuilderBase::BuilderBase(CHIP_VER ver) : state_(std::make_unique<State>()) {
  if (ver != BM_CHIP_BM1880)
    raise(Error(errors::net_chip).in("CaffeBuilder").argument("ver", fmt::format("{}", ver)));
}

BuilderBase::~BuilderBase() = default;

void BuilderBase::addCustomizedTensorInst(Instruction* inst) {
  if (inst == nullptr)
    raise(Error(errors::net_custom_layer).in("addCustomizedTensorInst").argument("inst", "NULL"));
  std::unique_ptr<Instruction> owned(inst);
  const std::string key = inst->inst_name();
  if (key.empty())
    raise(Error(errors::net_custom_layer)
              .in("addCustomizedTensorInst")
              .argument("inst_name", "\"\""));
  state_->insts[key] = std::move(owned);
}

void BuilderBase::build(int n, int c, int h, int w, int opt) {
  build({net::make_shape({n, c, h, w})}, opt);
}

void BuilderBase::build(std::vector<TensorShape> nchw, int opt) {
  State& s = *state_;
  if (opt < BM_OPT_NONE || opt > BM_OPT_LAYER_GROUP_WITH_WEIGHT_OPT)
    raise(Error(errors::net_option).in("build").argument("opt", fmt::format("{}", opt)));
  s.compiled.reset();
  if (!s.layers.empty()) need(net::check_program_messages());
  net::Prepared prepared =
      take(net::prepare({s.prototxt, s.caffemodel, s.in_ctable, s.import_options(nchw)}));
  s.network = std::move(prepared.network);
  s.table = std::move(prepared.table);
  s.compiled = take(net::compile(*s.network, s.table, s.compile_options(opt)));
  const net::Compiled& done = *s.compiled;
  if (!s.weight_bin.empty() && take(tputwin::read_bytes(s.weight_bin)) != done.weight)
    raise(Error(errors::net_cli)
              .in("build")
              .argument("weight_bin", s.weight_bin)
              .detail("the file holds other weights than the caffemodel"));
  if (!s.out_ctable.empty()) need(net::write_table(s.table, s.out_ctable));

  weight = done.weight;
  cmdbuf = done.cmdbuf;
  cpu_layers = done.cpu_operators;
  output_layers.clear();
  output_shapes.clear();
  output_thresholds.clear();
  output_offsets.clear();
  output_fmts.clear();
  for (const tputwin::bmodel::Output& o : done.outputs) {
    output_layers.push_back(o.name);
    output_shapes.push_back(
        net::make_shape({o.shape.begin(), o.shape.end()}, o.fmt == FMT_F32 ? 4 : 1));
    output_thresholds.push_back(o.threshold);
    output_offsets.push_back(o.offset);
    output_fmts.push_back(static_cast<int>(o.fmt));
  }
}

void BuilderBase::store_prototxt(const char* dst) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(state_->built("store_prototxt").optimized, &text);
  write("store_prototxt", dst, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

void BuilderBase::store_weight(const char* dst) {
  write("store_weight", dst, state_->built("store_weight").weight);
}

void BuilderBase::store_cmdbuf(const char* dst) {
  write("store_cmdbuf", dst, state_->built("store_cmdbuf").cmdbuf);
}

void BuilderBase::store_model(const char* net_name, const char* dst, const char* plugin_path,
                              const char* input_tensor, bool debug) {
  (void)input_tensor;
  (void)debug;
  const net::Compiled& done = state_->built("store_model");
  if (net_name == nullptr)
    raise(Error(errors::net_cli).in("store_model").argument("net_name", "NULL"));
  tputwin::bmodel::Model model = net::to_model(done, net_name);
  need(net::add_plugins(model, done.cpu_operators, path_or_empty(plugin_path)));
  write("store_model", dst, take(tputwin::bmodel::write(model, tputwin::bmodel::Container::v2_1)));
}

size_t BuilderBase::total_neuron_size() const {
  return state_->built("total_neuron_size").neuron_size;
}
size_t BuilderBase::output_offset() const { return state_->built("output_offset").output_offset(); }
size_t BuilderBase::output_size() const { return state_->built("output_size").output_bytes(); }
const std::string& BuilderBase::explanation() const {
  return state_->built("explanation").explanation;
}

CaffeBuilderBase::CaffeBuilderBase(CHIP_VER ver, const char* modified_proto, const char* caffemodel,
                                   const char* weight_bin, const char* in_ctable,
                                   const char* out_ctable, bool enable_dequantized)
    : BuilderBase(ver) {
  State& s = *state_;
  s.prototxt = path_or_empty(modified_proto);
  s.caffemodel = path_or_empty(caffemodel);
  s.weight_bin = path_or_empty(weight_bin);
  s.in_ctable = path_or_empty(in_ctable);
  s.out_ctable = path_or_empty(out_ctable);
  s.enable_dequantized = enable_dequantized;
}

CaffeBuilderBase::CaffeBuilderBase(CHIP_VER ver, const char* modified_proto, const char* caffemodel,
                                   const char* weight_bin)
    : CaffeBuilderBase(ver, modified_proto, caffemodel, weight_bin, nullptr, nullptr) {}

CaffeBuilderBase::~CaffeBuilderBase() = default;

void CaffeBuilderBase::addCustomizedLayer(Layer* layer) {
  if (layer == nullptr)
    raise(Error(errors::net_custom_layer).in("addCustomizedLayer").argument("layer", "NULL"));
  std::unique_ptr<Layer> owned(layer);
  const std::string type = layer->layer_name();
  if (type.empty())
    raise(Error(errors::net_custom_layer).in("addCustomizedLayer").argument("layer_name", "\"\""));
  state_->layers[type] = std::move(owned);
}

}  // namespace bmnet
