// How much each tensor of a compiled net differs from float execution.
#include "onnx_bm1684x/tensors.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>

#include "bmnet/reference/execute.h"
#include "bmnet/targets/bm1684/bytes/quantize.h"
#include "bmnet/targets/bm1684x/target.h"
#include "onnx_bm1684x/agreement.h"

namespace tputwin::test {
namespace {

using namespace tputwin::net;
using bm1684x::StreamTensor;

bool is_cells(const StreamTensor& t) { return t.type == DType::b32; }

// Values of the tensors that a compiled net keeps.
class KeptTensors {
 public:
  KeptTensors(const Network& network, const std::vector<StreamTensor>& kept,
              const Outputs& outputs) {
    for (size_t i = 0; i < kept.size(); ++i) all_[kept[i].name] = {kept[i], outputs[i]};
    for (const TensorOp& op : network.ops)
      for (const std::string& t : op.top()) names_[t] = network.blob_name(t);
  }

  // Returns the values of a tensor, or nothing if it is joined with another. Empty places of cells
  // follow the values.
  std::optional<Blob> value(const Network& network, const std::string& tensor) const {
    const auto found = all_.find(names_.at(tensor));
    if (found == all_.end()) return std::nullopt;
    Blob blob{dims(*network.shape_of(tensor)), found->second.values};
    blob.data.resize(static_cast<size_t>(count(*network.shape_of(tensor))));
    return blob;
  }
  // Returns the step of a tensor of bytes; 0 for others.
  float step(const std::string& tensor) const {
    if (const Kept* kept = cells(tensor, {"", "/inner"})) return kept->tensor.scale;
    const auto found = all_.find(names_.at(tensor));
    return found != all_.end() && element_bytes(found->second.tensor.type) == 1
               ? found->second.tensor.scale
               : 0;
  }
  // Returns the bytes of a tensor of the BM1684 that a layer reads or writes.
  std::optional<TensorBytes> bytes(const TensorShape& shape, const std::string& tensor,
                                   bool reads) const {
    const Kept* kept = cells(tensor, {"", "/inner"});
    if (kept == nullptr && reads) kept = cells(tensor, {"/cells"});
    if (kept == nullptr) return std::nullopt;
    TensorBytes bytes;
    for (const float x : kept->values)
      bytes.push_back(static_cast<uint8_t>(std::lround(x / kept->tensor.scale)));
    bytes.resize(static_cast<size_t>(count(shape)));
    return bytes;
  }

 private:
  struct Kept {
    StreamTensor tensor;
    std::vector<float> values;
  };

  // Copies of outputs have the tensor's name in the model. Then the tensor has another.
  const Kept* cells(const std::string& tensor, std::initializer_list<const char*> endings) const {
    for (const char* ending : endings)
      for (const std::string& name : {names_.at(tensor) + ending, tensor + ending})
        if (const auto found = all_.find(name); found != all_.end())
          if (is_cells(found->second.tensor)) return &found->second;
    return nullptr;
  }

  std::map<std::string, Kept> all_;
  std::map<std::string, std::string> names_;
};

// Adds the layers that compute a tensor from tensors that are kept.
void add_layers(const Network& network, const std::string& tensor, const KeptTensors& kept,
                net::testing::Values& inputs, std::set<const TensorOp*>& layers) {
  const TensorOp* op = network.producer(tensor);
  if (op == nullptr || !layers.insert(op).second) return;
  for (const std::string& from : op->bottom()) {
    if (auto value = kept.value(network, from))
      inputs.try_emplace(from, *std::move(value));
    else
      add_layers(network, from, kept, inputs, layers);
  }
}

// Executes the layer of a tensor in floats, on kept values.
Result<Blob> alone(const Network& network, const std::string& tensor, const KeptTensors& kept) {
  net::testing::Values inputs;
  std::set<const TensorOp*> layers;
  add_layers(network, tensor, kept, inputs, layers);
  Network part;
  part.name = network.name;
  part.blobs = network.blobs;
  for (const auto& [name, value] : inputs) {
    TensorOp start;
    start.set_name("start " + name);
    set_type(start, Op::start);
    start.add_top(name);
    *start.add_output_shape() = *network.shape_of(name);
    part.ops.push_back(std::move(start));
  }
  for (const TensorOp& op : network.ops)
    if (layers.contains(&op)) part.ops.push_back(op);
  TensorOp end;
  end.set_name("end");
  set_type(end, Op::end);
  end.add_bottom(tensor);
  *end.add_input_shape() = *network.shape_of(tensor);
  part.ops.push_back(std::move(end));
  TW_ASSIGN_OR_RETURN(executor, FloatExecutor::create(part));
  TW_ASSIGN_OR_RETURN(results, executor->run(inputs));
  return results.at(tensor);
}

// Returns how the bytes of each tensor differ from those of the interpreter for the same inputs.
Result<std::map<std::string, std::string>> compared_bytes(const Network& network,
                                                          const NetCalibrationParameter& table,
                                                          const KeptTensors& kept) {
  TW_ASSIGN_OR_RETURN(quantized, bm1684::quantized(network, table));
  std::map<std::string, std::string> verdicts;
  for (size_t i = 0; i < quantized.network.ops.size(); ++i) {
    const TensorOp& op = quantized.network.ops[i];
    std::map<std::string, TensorBytes> tensors;
    if (op.cpu_op() || op.bottom_size() == 0 || op.top_size() == 0) continue;
    for (int k = 0; k < op.bottom_size(); ++k)
      if (auto bytes = kept.bytes(op.input_shape(k), op.bottom(k), true))
        tensors[op.bottom(k)] = *std::move(bytes);
    const auto is_known = [&](const std::string& t) { return tensors.contains(t); };
    if (!std::ranges::all_of(op.bottom(), is_known)) continue;
    TW_RETURN_IF_ERROR(run_int8_layer(quantized.network, i, quantized.integers[i], tensors));
    for (int k = 0; k < op.top_size(); ++k)
      if (const auto actual = kept.bytes(op.output_shape(k), op.top(k), false))
        verdicts[op.top(k)] = *actual == tensors.at(op.top(k)) ? "bytes equal" : "bytes DIFFER";
  }
  return verdicts;
}

double most_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0;
  for (size_t i = 0; i < b.size(); ++i)
    if (std::isfinite(b[i])) most = std::max(most, std::fabs(double{a[i]} - b[i]));
  return most;
}

}  // namespace

Status print_tensors(const Network& network, bm1684x::CompiledStream compiled,
                     const net::testing::Values& inputs, const NetCalibrationParameter* table) {
  TW_ASSIGN_OR_RETURN(executor, FloatExecutor::create(network));
  net::testing::Values all;
  TW_ASSIGN_OR_RETURN(ends, executor->run(inputs, [&](const std::string& t, const Blob& value) {
    all[t] = value;
  }));
  compiled.outputs = compiled.kept;
  TW_ASSIGN_OR_RETURN(outputs, net::testing::run(compiled, network, inputs));
  const KeptTensors kept(network, compiled.kept, outputs);
  std::map<std::string, std::string> verdicts;
  if (table != nullptr && compiled.target->packing() != nullptr) {
    TW_ASSIGN_OR_RETURN(compared, compared_bytes(network, *table, kept));
    verdicts = std::move(compared);
  }
  for (const TensorOp& op : network.ops)
    for (const std::string& t : op.top()) {
      const std::optional<Blob> value = kept.value(network, t);
      if (!value) continue;
      const std::vector<float>& expected = all.at(t).data;
      const float step = kept.step(t);
      std::string text =
          fmt::format("difference {:.3g}, cosine {:.6f}", difference(value->data, expected),
                      cosine(value->data, expected));
      if (!is(op, Op::start)) {
        TW_ASSIGN_OR_RETURN(own, alone(network, t, kept));
        text += step == 0 ? fmt::format(", alone {:.3g}", difference(value->data, own.data))
                          : fmt::format(", alone {:.2f} steps of {:.4g}, cosine {:.6f}",
                                        most_difference(value->data, own.data) / step, step,
                                        cosine(value->data, own.data));
      }
      if (const auto found = verdicts.find(t); found != verdicts.end())
        text += ", " + found->second;
      fmt::print("{} {} {}: {}\n", op.type(), t, describe(*network.shape_of(t)), text);
    }
  return {};
}

}  // namespace tputwin::test
