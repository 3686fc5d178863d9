// Any models for the BM1684X and BM1684: ONNX files, and Caffe's with their detectors. A model may
// be refused, or runs with the same bits at all levels, and as a stage next to another one.
#include <onnx/onnx_pb.h>

#include <map>
#include <random>
#include <set>

#include "bmnet/caffe/upgrade.h"
#include "bmnet/onnx/load.h"
#include "bmnet/targets/bm1684x/target.h"
#include "bmnet_onnx/random_net.h"
#include "fuzz/compiled_net.h"
#include "fuzz/onnx_seeds.h"
#include "onnx_bm1684x/agreement.h"
#include "selftest/rng.h"

namespace tputwin::fuzz {
namespace {

using tputwin::testing::Rng;

net::ReadOnnx* reader() {
  static net::ReadOnnx* const found = [] {
    auto read = net::find_onnx_reader("libtputwin_onnx.so");
    return read.ok() ? *read : nullptr;
  }();
  return found;
}

// Whole numbers for integers, which count or are positions.
net::testing::Values inputs_of(const net::Network& network, const std::set<std::string>& integers) {
  std::mt19937_64 random(1);
  net::testing::Values inputs;
  for (const std::string& name : network.inputs()) {
    const auto dims = net::dims(*network.shape_of(name));
    net::Blob blob = net::testing::random_blob(dims, random(), -3, 3);
    if (integers.contains(name))
      for (float& x : blob.data) x = static_cast<float>(random() % 3);
    inputs[name] = std::move(blob);
  }
  return inputs;
}

// A few changed bits choose another chip or type.
uint64_t sum_of(std::span<const uint8_t> bytes) {
  uint64_t sum = 0;
  for (const uint8_t byte : bytes) sum = sum * 31 + byte;
  return sum;
}

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Larger numbers than 2^31 are no extents.
bool is_large(double value) { return value > 4096 && value <= 2147483648.0; }

double number_of(const Message& message, const FieldDescriptor* type, int at) {
  const auto* r = message.GetReflection();
  const bool repeated = type->is_repeated();
  switch (type->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return repeated ? r->GetRepeatedInt32(message, type, at) : r->GetInt32(message, type);
    case FieldDescriptor::CPPTYPE_INT64:
      return static_cast<double>(repeated ? r->GetRepeatedInt64(message, type, at)
                                          : r->GetInt64(message, type));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return repeated ? r->GetRepeatedFloat(message, type, at) : r->GetFloat(message, type);
    default:
      return 0;
  }
}

// True if no number may be an extent of tensors that take gigabytes: OneHot of depth 2^20, or a
// factor of Resize.
bool has_small_extents(const Message& message) {
  const auto* r = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  r->ListFields(message, &fields);
  for (const FieldDescriptor* type : fields) {
    const int count = type->is_repeated() ? r->FieldSize(message, type) : 1;
    for (int i = 0; i < count; ++i) {
      if (type->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
        if (is_large(number_of(message, type, i))) return false;
      } else if (!has_small_extents(type->is_repeated() ? r->GetRepeatedMessage(message, type, i)
                                                        : r->GetMessage(message, type))) {
        return false;
      }
    }
  }
  return true;
}

struct Model {
  net::Network network;
  NetCalibrationParameter thresholds;  // of the file itself
};
// Reads a model, for another batch if that is not 0.
using ReadModel = Result<Model>(std::span<const uint8_t> input, int64_t batch);

Result<Model> onnx_model(std::span<const uint8_t> input, int64_t batch) {
  const net::ImportOptions options{.batch = batch, .has_subnets = true};
  TW_ASSIGN_OR_RETURN(loaded, reader()(input, "model.onnx", options));
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(loaded.net, options));
  return Model{std::move(network), std::move(loaded.thresholds)};
}

Result<Model> caffe_model(std::span<const uint8_t> input, int64_t batch) {
  TW_ASSIGN_OR_RETURN(read, net::read_caffemodel(input));
  TW_ASSIGN_OR_RETURN(merged, net::merge_caffe(read, {}));
  TW_ASSIGN_OR_RETURN(folded, net::fold_batch_norm(std::move(merged)));
  TW_ASSIGN_OR_RETURN(network, net::import_caffe(folded, {.batch = batch, .has_subnets = true}));
  return Model{std::move(network), {}};
}

// The thresholds of a file replace those of the values.
void set_thresholds(NetCalibrationParameter& table, const NetCalibrationParameter& given) {
  std::map<std::string, float> thresholds;
  for (const auto& layer : given.layer())
    for (const auto& blob : layer.blob_param()) thresholds[blob.name()] = blob.threshold_y();
  for (auto& layer : *table.mutable_layer())
    for (auto& blob : *layer.mutable_blob_param())
      if (const auto found = thresholds.find(blob.name()); found != thresholds.end())
        blob.set_threshold_y(found->second);
}

std::string wrong_model(std::span<const uint8_t> input, ReadModel* read,
                        const std::set<std::string>& integers) {
  const auto model = read(input, 0);
  if (!model.ok()) return wrong_refusal(model.status());
  const net::Network& network = model->network;
  if (!is_small(network)) return "";
  const uint64_t sum = sum_of(input);
  const Configuration chosen = configuration(sum);
  const net::bm1684x::ScopedTarget scope(*chosen.target);
  const net::testing::Values inputs = inputs_of(network, integers);
  // Operators of the host refuse what float execution refuses: a position that does not exist.
  if (!test::floats_of(network, inputs).ok()) return "";
  NetCalibrationParameter table = table_of(network, inputs, chosen);
  set_thresholds(table, model->thresholds);
  if (std::string wrong = wrong_levels(network, inputs, chosen, table); !wrong.empty())
    return wrong;
  constexpr uint64_t kWithStages = 4;  // of so many inputs one
  const auto larger = sum / 7 % kWithStages == 0 ? read(input, 3) : Result<Model>(Model{});
  if (!larger.ok() || larger->network.ops.empty() || !is_small(larger->network)) return "";
  const net::testing::Values more = inputs_of(larger->network, integers);
  if (!test::floats_of(larger->network, more).ok()) return "";
  return wrong_stages({{network, inputs}, {larger->network, more}}, chosen, table);
}

bool is_accepted(std::span<const uint8_t> input, ReadModel* read) {
  const auto model = read(input, 0);
  return model.ok() && is_small(model->network);
}

}  // namespace

std::string fuzz_compile_onnx(std::span<const uint8_t> input) {
  if (reader() == nullptr) return "no reader";
  onnx::ModelProto model;
  if (!model.ParseFromArray(input.data(), static_cast<int>(input.size()))) model.Clear();
  if (!has_small_extents(model)) return "";
  std::set<std::string> integers;
  for (const auto& one : model.graph().input())
    if (one.type().tensor_type().elem_type() != onnx::TensorProto::FLOAT)
      integers.insert(one.name());
  return without_exceptions([&] { return wrong_model(input, onnx_model, integers); });
}

std::string fuzz_compile_caffe(std::span<const uint8_t> input) {
  const auto read = net::read_caffemodel(input);
  if (read.ok() && !has_small_extents(*read)) return "";
  return without_exceptions([&] { return wrong_model(input, caffe_model, {}); });
}

bool is_compiled_onnx(std::span<const uint8_t> input) {
  return reader() != nullptr && is_accepted(input, onnx_model);
}

bool is_compiled_caffe(std::span<const uint8_t> input) { return is_accepted(input, caffe_model); }

// Models of every operator, drawn ones, of which some are quantized, and those written by hand.
std::vector<Bytes> compile_onnx_seeds() {
  std::vector<Bytes> seeds = form_onnx_seeds();
  constexpr uint64_t kDrawn = 40;
  for (uint64_t index = 0; index < kDrawn; ++index) {
    Rng rng(1, index);
    if (index % 8 == 7) {
      const test::RandomNet net = test::random_net(rng);
      const auto quantized = test::quantized_model(net, test::random_style(rng));
      if (quantized.ok()) seeds.push_back(bytes_of(*quantized));
      continue;
    }
    seeds.push_back(bytes_of(
        (index % 2 == 0 ? test::random_operator(rng) : test::random_wide_operator(rng)).model));
  }
  std::erase_if(seeds, [](const Bytes& seed) { return !is_compiled_onnx(seed); });
  for (Bytes& seed : host_onnx_seeds()) seeds.push_back(std::move(seed));
  return seeds;
}

std::vector<Bytes> compile_caffe_seeds() {
  std::vector<Bytes> seeds = caffemodel_seeds();
  std::erase_if(seeds, [](const Bytes& seed) { return !is_compiled_caffe(seed); });
  return seeds;
}

}  // namespace tputwin::fuzz
