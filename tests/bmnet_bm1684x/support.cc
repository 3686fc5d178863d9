// Runs of compiled nets.
#include "bmnet_bm1684x/support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "base/errors/tools.h"
#include "bmnet/caffe/import.h"
#include "bmnet/ir/infer.h"
#include "bmnet/targets/bm1684x/target.h"
#include "bmnet_bm1684x/forms.h"
#include "bmnet_bm1684x/memory_values.h"
#include "host/operators.h"
#include "insight/checker.h"
#include "insight/timing/commands.h"
#include "isa/streams/encode.h"
#include "isa/streams/stream.h"
#include "machine/command_group.h"
#include "numerics/float_mode.h"

namespace tputwin::net::testing {
namespace {

using bm1684x::CompiledStream;
using bm1684x::StreamOptions;
using Outputs = std::vector<std::vector<float>>;

Blob random_blob(const std::vector<int64_t>& shape, std::mt19937_64& random, float least,
                 float most) {
  Blob blob{shape, std::vector<float>(static_cast<size_t>(count(make_shape(shape))))};
  std::uniform_real_distribution<float> value(least, most);
  for (float& x : blob.data) x = value(random);
  return blob;
}

std::string describe_difference(const Outputs& actual, const Outputs& expected, float tolerance) {
  for (size_t i = 0; i < expected.size(); ++i) {
    if (actual[i].size() != expected[i].size())
      return fmt::format("output {} has {} elements instead of {}", i, actual[i].size(),
                         expected[i].size());
    float largest = 1e-3f;
    for (float x : expected[i])
      if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
    for (size_t k = 0; k < expected[i].size(); ++k) {
      const float difference = std::fabs(actual[i][k] - expected[i][k]);
      if (!(difference <= tolerance * largest))
        return fmt::format("output {} at {}: {} instead of {}, the largest is {}", i, k,
                           actual[i][k], expected[i][k], largest);
    }
  }
  return "";
}

}  // namespace

Result<std::vector<Instruction>> transmitted(const std::vector<Instruction>& program) {
  TW_ASSIGN_OR_RETURN(streams, isa::encode_streams(program, bm1684x::chip()));
  return isa::decode_streams({streams.tiu, streams.gdma}, bm1684x::chip());
}

Result<std::vector<Instruction>> transmitted(const CompiledStream& net) {
  const bm1684x::ScopedTarget scope(*net.target);
  return transmitted(net.program);
}

Result<Network> random_net(const std::string& prototxt, const BlobShapes& blobs, uint64_t seed) {
  TW_ASSIGN_OR_RETURN(net, read_prototxt(prototxt));
  std::mt19937_64 random(seed);
  for (caffe::LayerParameter& layer : *net.mutable_layer()) {
    const auto shapes = blobs.find(layer.name());
    if (shapes == blobs.end()) continue;
    for (const auto& shape : shapes->second) {
      const Blob values = random_blob(shape, random, -1, 1);
      caffe::BlobProto& blob = *layer.add_blobs();
      for (const int64_t dim : shape) blob.mutable_shape()->add_dim(dim);
      blob.mutable_data()->Assign(values.data.begin(), values.data.end());
    }
  }
  return import_caffe(net, {});
}

Blob random_blob(const std::vector<int64_t>& shape, uint64_t seed, float least, float most) {
  std::mt19937_64 random(seed);
  return random_blob(shape, random, least, most);
}

Result<Network> layer_net(TensorOp op, const std::vector<std::vector<int64_t>>& inputs,
                          const std::vector<Blob>& blobs) {
  Network net;
  net.name = "net";
  op.set_name("y");
  for (size_t i = 0; i < inputs.size(); ++i) {
    TensorOp start;
    start.set_name("x" + std::to_string(i));
    set_type(start, Op::start);
    start.add_top(start.name());
    *start.add_output_shape() = make_shape(inputs[i]);
    *op.add_input_shape() = make_shape(inputs[i]);
    op.add_bottom(start.name());
    net.ops.push_back(std::move(start));
  }
  op.add_top("y");
  if (!op.output_shape_size()) {
    TW_ASSIGN_OR_RETURN(shapes, infer_shapes(op));
    for (const TensorShape& s : shapes) *op.add_output_shape() = s;
  }
  if (!blobs.empty()) net.blobs["y"] = blobs;
  TensorOp end;
  end.set_name("end");
  set_type(end, Op::end);
  end.add_bottom("y");
  *end.add_input_shape() = op.output_shape(0);
  net.ops.push_back(std::move(op));
  net.ops.push_back(std::move(end));
  return net;
}

Values random_inputs(const Network& network, uint64_t seed) {
  std::mt19937_64 random(seed);
  Values inputs;
  for (const std::string& name : network.inputs())
    inputs[name] = random_blob(dims(*network.shape_of(name)), random, -1, 1);
  return inputs;
}

namespace {

// Checks a run of a net as `tputwin check` does, for races, bytes that nothing wrote, and accesses
// outside of tensors. Random inputs may make NaN and infinities. Every command has a recorded form.
class CheckedRun {
 public:
  CheckedRun(Device& device, const CompiledStream& net)
      : device_(device),
        report_({.print = false}),
        checker_(device, *insight::parse_checks("races,uninitialized,memory"), report_) {
    device.observers().add(&checker_);
    if (!net.weights.empty())
      notify(Kind::allocated, net.target->first_weight(), net.weights.size());
    notify(Kind::allocated, net.neurons, net.neuron_bytes);
    if (!net.weights.empty())
      notify(Kind::host_write, net.target->first_weight(), net.weights.size());
    for (const bm1684x::StreamTensor& t : net.inputs) host_writes(t);
  }

  ~CheckedRun() { device_.observers().remove(&checker_); }
  CheckedRun(const CheckedRun&) = delete;

  Status run(const std::vector<Instruction>& program) {
    TW_ASSIGN_OR_RETURN(commands, transmitted(program));
    if (const std::string form = unrecorded_form(commands); !form.empty())
      return Error(errors::cli_runtime).detail("no recorded form: " + form);
    device_.observers().notify({.kind = Kind::launch_begin, .number = ++launches_, .name = "net"});
    TW_RETURN_IF_ERROR(run_command_group(device_, commands));
    device_.observers().notify({.kind = Kind::launch_end});
    device_.observers().notify({.kind = Kind::synced, .number = launches_});
    return {};
  }
  void host_writes(const bm1684x::StreamTensor& t) { notify(Kind::host_write, t.address, t.bytes); }

  // Returns the first finding, as an error.
  Status findings(const CompiledStream& net) {
    for (const bm1684x::StreamTensor& t : net.outputs) notify(Kind::host_read, t.address, t.bytes);
    const std::vector<insight::Finding> found = report_.findings();
    if (found.empty()) return {};
    return Error(errors::cli_runtime).detail(insight::describe(found.front()));
  }

 private:
  using Kind = DeviceEvent::Kind;
  void notify(Kind kind, uint64_t address, uint64_t bytes) {
    device_.observers().notify({.kind = kind, .address = address, .bytes = bytes});
  }

  Device& device_;
  insight::Report report_;
  insight::Checker checker_;
  uint64_t launches_ = 0;
};

// Runs the parts of a net with operators of the host. The host keeps the shapes that tensors have
// at run time.
class SubnetRun {
 public:
  SubnetRun(Device& device, const CompiledStream& net, CheckedRun& checked)
      : device_(device), net_(net), checked_(checked) {}

  Status run() {
    for (const bm1684x::StreamSubnet& subnet : net_.subnets) {
      if (subnet.host.empty()) {
        TW_RETURN_IF_ERROR(checked_.run(subnet.program));
      } else {
        TW_RETURN_IF_ERROR(run_host(subnet));
      }
    }
    return {};
  }
  int64_t elements(const bm1684x::StreamTensor& t) const { return host::count(shape(t)); }

 private:
  host::Shape shape(const bm1684x::StreamTensor& t) const {
    const auto known = shapes_.find(t.name);
    return known == shapes_.end() ? t.shape : known->second;
  }

  Status run_host(const bm1684x::StreamSubnet& subnet) {
    DeviceMemories& memory = device_.memories();
    std::vector<host::Array> in, out(subnet.outputs.size());
    std::vector<int64_t> capacity;
    for (const bm1684x::StreamTensor& t : subnet.inputs) {
      std::vector<float> values(static_cast<size_t>(host::count(shape(t))));
      if (!values.empty())
        std::memcpy(values.data(), memory.prepare_read(t.address, 4 * values.size()),
                    4 * values.size());
      in.push_back({shape(t), std::move(values)});
    }
    for (const bm1684x::StreamTensor& t : subnet.outputs) capacity.push_back(host::count(t.shape));
    TW_ASSIGN_OR_RETURN(op, host::make_operator(subnet.host, in.size(), out.size()));
    TW_RETURN_IF_ERROR(host::run(op, in, out, capacity));
    for (size_t i = 0; i < out.size(); ++i) {
      const size_t bytes = 4 * out[i].size();
      if (bytes != 0)
        std::memcpy(memory.prepare_write(subnet.outputs[i].address, bytes), out[i].f32().data(),
                    bytes);
      shapes_[subnet.outputs[i].name] = out[i].shape;
      checked_.host_writes(subnet.outputs[i]);
    }
    return {};
  }

  Device& device_;
  const CompiledStream& net_;
  CheckedRun& checked_;
  std::map<std::string, host::Shape> shapes_;
};

// Files are predicted by their commands: the net is launched once, whatever its subnets.
void expect_predicted(const CompiledStream& net) {
  std::vector<Instruction> commands = net.program;
  for (const bm1684x::StreamSubnet& subnet : net.subnets)
    commands.insert(commands.end(), subnet.program.begin(), subnet.program.end());
  EXPECT_EQ(net.predicted_cycles, insight::predicted_cycles(commands, bm1684x::chip()));
}

}  // namespace

Result<Outputs> run(const CompiledStream& net, const Network& network, const Values& inputs) {
  const bm1684x::ScopedTarget scope(*net.target);
  expect_predicted(net);
  DeviceOptions options{.chip = &bm1684x::chip()};
  options.poison = true;
  TW_ASSIGN_OR_RETURN(device, Device::create(options));
  DeviceMemories& memory = device->memories();
  std::memset(memory.prepare_write(net.neurons, net.neuron_bytes), 0xff, net.neuron_bytes);
  if (!net.weights.empty())
    std::memcpy(memory.prepare_write(net.target->first_weight(), net.weights.size()),
                net.weights.data(), net.weights.size());
  const std::vector<std::string> names = network.inputs();
  for (size_t i = 0; i < names.size(); ++i) {
    const std::vector<uint8_t> bytes = bytes_of(inputs.at(names[i]), net.inputs[i]);
    std::memcpy(memory.prepare_write(net.inputs[i].address, bytes.size()), bytes.data(),
                bytes.size());
  }
  CheckedRun checked(*device, net);
  SubnetRun subnets(*device, net, checked);
  if (net.subnets.empty()) {
    TW_RETURN_IF_ERROR(checked.run(net.program));
  } else {
    TW_RETURN_IF_ERROR(subnets.run());
  }
  TW_RETURN_IF_ERROR(checked.findings(net));
  Outputs outputs;
  const ScopedFloatMode mode;
  for (bm1684x::StreamTensor t : net.outputs) {
    t.bytes = static_cast<uint64_t>(subnets.elements(t)) * element_bytes(t.type);
    outputs.push_back(t.bytes == 0 ? std::vector<float>()
                                   : values_of(memory.prepare_read(t.address, t.bytes), t));
  }
  return outputs;
}

namespace {

// Returns a table with the largest magnitude of every tensor.
class Thresholds {
 public:
  void observe(const std::string& tensor, const Blob& value) {
    float& largest = largest_[tensor];
    for (float x : value.data)
      if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
  }

  NetCalibrationParameter table(const Network& network) const {
    NetCalibrationParameter table;
    for (const TensorOp& op : network.ops) {
      LayerCalibrationParameter& layer = *table.add_layer();
      layer.set_name(op.name());
      for (const std::string& top : op.top()) {
        auto& blob = *layer.add_blob_param();
        blob.set_name(network.blob_name(top));
        const auto found = largest_.find(top);
        blob.set_threshold_y(found == largest_.end() ? 1 : std::max(found->second, 1e-6f));
      }
    }
    return table;
  }

 private:
  std::map<std::string, float> largest_;
};

}  // namespace

NetCalibrationParameter largest_values(const Network& network, const Values& inputs) {
  Thresholds thresholds;
  auto executor = FloatExecutor::create(network);
  if (!executor.ok()) return {};
  const auto observe = [&](const std::string& t, const Blob& value) {
    thresholds.observe(t, value);
  };
  (void)(*executor)->run(inputs, observe);
  return thresholds.table(network);
}

std::string compare(const Network& network, DType type, float tolerance, uint64_t seed) {
  return compare(network, type, tolerance, random_inputs(network, seed));
}

std::string compare(const Network& network, DType type, float tolerance, const Values& inputs) {
  auto executor = FloatExecutor::create(network);
  if (!executor.ok()) return executor.status().message();
  Thresholds thresholds;
  auto floats = (*executor)->run(
      inputs, [&](const std::string& t, const Blob& value) { thresholds.observe(t, value); });
  const NetCalibrationParameter table = thresholds.table(network);
  if (!floats.ok()) return floats.status().message();
  Outputs expected;
  for (const std::string& name : network.outputs()) expected.push_back(floats->at(name).data);
  Outputs first;
  for (const Level level : {Level::none, Level::layer_group, Level::weight_optimization}) {
    auto compiled = bm1684x::compile(network, {.type = type, .table = &table, .level = level});
    if (!compiled.ok()) return compiled.status().message();
    auto actual = run(*compiled, network, inputs);
    if (!actual.ok()) return actual.status().message();
    const std::string where = fmt::format("level {}: ", static_cast<int>(level));
    if (std::string d = describe_difference(*actual, expected, tolerance); !d.empty())
      return where + d;
    if (first.empty()) first = *actual;
    for (size_t i = 0; i < first.size(); ++i)
      if (std::memcmp(first[i].data(), (*actual)[i].data(), 4 * first[i].size()) != 0)
        return where + "bits differ from those of level 0";
  }
  return "";
}

void expect_equal(const Network& network, const Values& inputs, float scale) {
  EXPECT_EQ(compare(network, DType::f32, 1e-5f * scale, inputs), "") << "fp32";
  EXPECT_EQ(compare(network, DType::f16, 4e-3f * scale, inputs), "") << "fp16";
  EXPECT_EQ(compare(network, DType::bf16, 3e-2f * scale, inputs), "") << "bf16";
}

std::string text(const std::vector<int64_t>& extents) {
  return fmt::format("({})", fmt::join(extents, ","));
}

}  // namespace tputwin::net::testing
