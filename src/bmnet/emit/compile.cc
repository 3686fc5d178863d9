#include "bmnet/emit/compile.h"

#include <fmt/format.h>
#include <tputwin/cpu_op.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "base/errors/bmnet.h"
#include "bmnet/cpu_ops/cpu_ops.h"
#include "bmnet/emit/explain.h"
#include "bmnet/emit/lower.h"
#include "bmnet/emit/moves.h"
#include "bmnet/ir/any_case.h"
#include "bmnet/optimize/fuse.h"
#include "bmnet/optimize/neuron_memory.h"
#include "bmnet/optimize/partition.h"
#include "bmnet/optimize/storage.h"
#include "bmnet/quantize/kinds.h"
#include "isa/bm1880_codec.h"
#include "machine/profile.h"

namespace tputwin::net {
namespace {

// Windows over the last sample may read a little beyond its end (the weights there are 0).
constexpr uint64_t kSlack = 4096;
constexpr uint64_t kGlobalBytes = uint64_t{1} << 32;

// A step of the program: a layer group, a layer that moves bytes, or one that the host or user code
// runs. Units are executed one after the other.
struct Unit {
  std::optional<PricedGroup> group;
  size_t op = 0;  // of the others
  std::vector<Move> moves;
  bool is_host = false, is_customized = false;
};

class Compiler {
 public:
  Compiler(const Network& network, const std::vector<LayerIntegers>& integers,
           const CompileOptions& options)
      : options_(options), net_{network, integers}, pricer_(bm1880()) {}

  Result<Compiled> run() {
    if (options_.level >= Level::layer_group) fuse_relu(net_);
    if (options_.dequantise_outputs) dequantise_outputs();
    storage_.emplace(net_, options_.level >= Level::layer_group, options_.keep_all);
    TW_RETURN_IF_ERROR(make_units());
    TW_RETURN_IF_ERROR(place());
    for (Unit& unit : units_) TW_RETURN_IF_ERROR(emit(unit));
    return finish();
  }

 private:
  const Network& network() const { return net_.network; }
  const LayerIntegers& integers(size_t op) const { return net_.integers[op]; }

  // ---- Outputs as floats ----

  void dequantise_outputs() {
    Network& n = net_.network;
    TensorOp& end = n.ops.back();
    for (int i = 0; i < end.bottom_size(); ++i) {
      const std::string tensor = end.bottom(i);
      const size_t from = producer_index(tensor);
      const TensorShape shape = *n.shape_of(tensor);
      if (shape.data_type_size() != 1) continue;
      TensorOp op;
      op.set_name(tensor + "_dequantized");
      op.set_type("tg_dequantized");
      op.add_bottom(tensor);
      op.add_top(op.name());
      *op.add_input_shape() = shape;
      *op.add_output_shape() = shape;
      op.mutable_output_shape(0)->set_data_type_size(4);
      LayerIntegers values;
      values.threshold_x = values.threshold_y = {threshold_of(from, tensor)};
      n.blob_names[op.name()] = n.blob_name(tensor);
      end.set_bottom(i, op.name());
      n.ops.insert(n.ops.end() - 1, op);
      net_.integers.insert(net_.integers.end() - 1, values);
    }
  }

  size_t producer_index(const std::string& tensor) const {
    const TensorOp* op = network().producer(tensor);
    return static_cast<size_t>(op - network().ops.data());
  }

  float threshold_of(size_t op, const std::string& tensor) const {
    const TensorOp& o = network().ops[op];
    const auto& values = integers(op).threshold_y;
    for (int i = 0; i < o.top_size(); ++i)
      if (o.top(i) == tensor && static_cast<size_t>(i) < values.size())
        return values[static_cast<size_t>(i)];
    return 0;
  }

  // ---- Units ----

  // Kernels of layers that follow each other, until a layer of another kind.
  Status make_units() {
    for (size_t i = 0; i < network().ops.size(); ++i) {
      auto lowered = lower(network(), i, integers(i));
      if (!lowered.ok()) return Status(lowered.error());
      for (KernelPtr& k : *lowered) {
        last_kernel_of_[i] = kernels_.size();
        kernels_.push_back(std::move(k));
      }
    }
    std::vector<const Kernel*> run;
    size_t first = 0;
    for (size_t i = 0; i < network().ops.size(); ++i) {
      std::optional<Unit> other = other_unit(i);
      if (other) {
        TW_RETURN_IF_ERROR(flush(run, first));
        units_.push_back(std::move(*other));
      }
      while (first + run.size() < kernels_.size() && kernels_[first + run.size()]->op == i)
        run.push_back(kernels_[first + run.size()].get());
    }
    return flush(run, first);
  }

  // The unit of a layer without kernels; nothing for those that only rename tensors.
  std::optional<Unit> other_unit(size_t i) {
    const TensorOp& op = network().ops[i];
    Unit unit;
    unit.op = i;
    unit.is_customized = op.type() == "tg_customized";
    unit.is_host = !cpu_plugin_name(op.type()).empty();
    if (unit.is_customized || unit.is_host) return unit;
    if (op.type() == "tg_concat" && !integers(i).multiplier.empty()) return std::nullopt;
    auto moves = moves_of(op);
    for (Move& m : *moves)
      if (!storage_->is_inside(m.from, m.to)) unit.moves.push_back(std::move(m));
    if (unit.moves.empty()) return std::nullopt;
    return unit;
  }

  Status flush(std::vector<const Kernel*>& run, size_t& first) {
    if (run.empty()) return Status();
    TensorUses uses;
    uses.is_needed_after = [this](const std::string& t, size_t last) { return is_needed(t, last); };
    uses.storage = [this](const std::string& t) { return storage_->root(t); };
    PartitionOptions how;
    how.has_groups = how.has_overlap = options_.level >= Level::layer_group;
    auto groups = partition(run, first, uses, how, pricer_);
    if (!groups.ok()) return Status(groups.error());
    for (PricedGroup& g : *groups) {
      Unit unit;
      unit.group = std::move(g);
      units_.push_back(std::move(unit));
    }
    first += run.size();
    run.clear();
    return Status();
  }

  // Does anything but kernels up to `last` use the tensor?
  bool is_needed(const std::string& tensor, size_t last) const {
    if (options_.keep_all) return true;
    for (size_t i : storage_->readers(tensor)) {
      auto kernel = last_kernel_of_.find(i);
      if (kernel == last_kernel_of_.end() || kernel->second > last) return true;
    }
    return storage_->is_shared(tensor);
  }

  // ---- Neuron memory ----

  // First and last unit that touch the bytes of a tensor.
  void touch(const std::string& tensor, int unit) {
    auto [it, is_new] = life_.try_emplace(storage_->root(tensor), Lifetime{});
    Lifetime& life = it->second;
    if (is_new) life = {storage_->bytes(it->first), unit, unit};
    life.first = std::min(life.first, unit);
    life.last = std::max(life.last, unit);
  }

  Status place() {
    const int end = static_cast<int>(units_.size());
    for (const std::string& t : network().inputs()) touch(t, -1);
    for (int u = 0; u < end; ++u) touch_unit(units_[static_cast<size_t>(u)], u);
    for (const std::string& t : network().outputs()) touch(t, end);
    // The outputs are one piece, in their order.
    std::vector<std::string> names;
    std::vector<Lifetime> lives;
    const std::vector<std::string> inputs = network().inputs(), outputs = network().outputs();
    Lifetime in{0, -1, -1}, out{0, end, end};
    for (const std::string& t : inputs) join(in, t);
    for (const std::string& t : outputs)
      if (!is_input(t)) join(out, t);
    lives = {in, out};
    for (const auto& [name, life] : life_) {
      if (is_input(name) || is_output(name)) continue;
      names.push_back(name);
      lives.push_back(life);
    }
    const NeuronMemory memory =
        place_tensors(lives, options_.level >= Level::recycle_memory && !options_.keep_all);
    uint64_t at = memory.offsets[0];
    for (const std::string& t : inputs) at = put(t, at);
    at = memory.offsets[1];
    for (const std::string& t : outputs)
      if (!is_input(t)) at = put(t, at);
    for (size_t i = 0; i < names.size(); ++i) put(names[i], memory.offsets[i + 2]);
    storage_->place_parts(places_);
    compiled_.neuron_size = memory.bytes + kSlack;
    if (compiled_.neuron_size > kGlobalBytes)
      return Error(errors::net_memory)
          .argument("neuron memory", fmt::format("{} bytes", compiled_.neuron_size));
    return Status();
  }

  void touch_unit(const Unit& unit, int u) {
    if (unit.group) {
      for (const GroupTensor& t : unit.group->plan.tensors)
        if (t.producer < 0 || t.is_stored) touch(t.view.tensor, u);
      return;
    }
    const TensorOp& op = network().ops[unit.op];
    for (const std::string& t : op.bottom()) touch(t, u);
    for (const std::string& t : op.top()) touch(t, u);
  }

  void join(Lifetime& all, const std::string& tensor) {
    const Lifetime& one = life_.at(storage_->root(tensor));
    all.bytes += one.bytes;
    all.first = std::min(all.first, one.first);
    all.last = std::max(all.last, one.last);
  }
  bool is_one_of(const std::vector<std::string>& list, const std::string& root) const {
    return std::any_of(list.begin(), list.end(), [&](const std::string& t) {
      return storage_->root(t) == storage_->root(root);
    });
  }
  bool is_input(const std::string& t) const { return is_one_of(network().inputs(), t); }
  bool is_output(const std::string& t) const { return is_one_of(network().outputs(), t); }

  uint64_t put(const std::string& tensor, uint64_t at) {
    const std::string& root = storage_->root(tensor);
    if (places_.count(root) != 0) return at;
    places_[root] = {at, storage_->sample_bytes(root)};
    return at + storage_->bytes(root);
  }

  // ---- Commands ----

  Status emit(Unit& unit) {
    if (unit.group) {
      for (const Kernel* k : unit.group->plan.kernels) store_weights(*k);
      emit_group(program_, unit.group->plan, places_, weights_);
      explain_group(compiled_.explanation, network(), *unit.group);
      describe_group(compiled_.optimised, network(), *unit.group, places_, weights_,
                     group_count_++);
    } else if (unit.is_host) {
      TW_RETURN_IF_ERROR(emit_host(unit.op));
    } else if (unit.is_customized) {
      TW_RETURN_IF_ERROR(emit_customized(unit.op));
    } else {
      for (const Move& m : unit.moves) emit_move(program_, m, places_, network());
      explain_layer(compiled_.explanation, network().ops[unit.op], "moved through the lanes");
      *compiled_.optimised.add_layer() = placed(unit.op);
    }
    return program_.status();
  }

  // Weights in the order of their use. Equal ones are stored once at the highest level.
  void store_weights(const Kernel& k) {
    std::vector<uint64_t>& offsets = weights_[&k];
    for (const Weight& w : k.weights) {
      uint64_t offset = compiled_.weight.size();
      if (options_.level < Level::weight_optimisation || !find_stored(w.bytes, offset))
        compiled_.weight.insert(compiled_.weight.end(), w.bytes.begin(), w.bytes.end());
      offsets.push_back(offset);
    }
  }

  // Whether weight memory holds these bytes; if not, they will be found at `offset` from now on.
  bool find_stored(const std::vector<uint8_t>& bytes, uint64_t& offset) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    auto [first, last] = stored_.equal_range(std::hash<std::string_view>()(text));
    for (auto it = first; it != last; ++it) {
      const uint8_t* at = compiled_.weight.data() + it->second;
      if (it->second + bytes.size() > compiled_.weight.size() ||
          !std::equal(bytes.begin(), bytes.end(), at))
        continue;
      offset = it->second;
      return true;
    }
    stored_.emplace(std::hash<std::string_view>()(text), offset);
    return false;
  }

  // The layer with the offsets of its tensors.
  TensorOp placed(size_t i) const {
    TensorOp op = network().ops[i];
    op.clear_global_input();
    op.clear_global_output();
    for (const std::string& t : op.bottom()) op.add_global_input(places_.find(t)->second.offset);
    for (const std::string& t : op.top()) op.add_global_output(places_.find(t)->second.offset);
    return op;
  }

  Status emit_host(size_t i) {
    TensorOp op = placed(i);
    op.set_type(std::string(cpu_plugin_name(op.type())));
    op.set_cpu_op(true);
    for (float t : integers(i).threshold_x) op.add_threshold_x(t);
    for (float t : integers(i).threshold_y) op.add_threshold_y(t);
    if (auto blobs = network().blobs.find(op.name()); blobs != network().blobs.end())
      for (const Blob& b : blobs->second) add_coefficients(op, b);
    run_on_host(op);
    explain_layer(compiled_.explanation, op, "runs on the host");
    *compiled_.optimised.add_layer() = op;
    return program_.status();
  }

  // Floats in weight memory.
  void add_coefficients(TensorOp& op, const Blob& blob) {
    compiled_.weight.resize((compiled_.weight.size() + 3) / 4 * 4);
    op.add_global_coeff(compiled_.weight.size());
    *op.add_coeff_shape() = make_shape(blob.shape, 4);
    const auto* bytes = reinterpret_cast<const uint8_t*>(blob.data.data());
    compiled_.weight.insert(compiled_.weight.end(), bytes, bytes + 4 * blob.data.size());
  }

  void run_on_host(const TensorOp& op) {
    std::string payload = op.SerializeAsString();
    tputwin_cpu_op(program_.context(), op.type().c_str(), payload.data(), payload.size());
    remember_plugin(op.type());
  }

  void remember_plugin(const std::string& name) {
    auto& list = compiled_.cpu_operators;
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  }

  Status emit_customized(size_t i) {
    TensorOp op = placed(i);
    const std::string key = "tg_" + op.tg_customized_param().sub_type();
    auto code = find_any_case(options_.customized, key);
    if (code == options_.customized.end())
      return Error(errors::net_ir_type).in("layer " + op.name()).argument("type", key);
    if (Status s = code->second(op, integers(i), program_); !s.ok()) return s;
    if (op.cpu_op()) remember_plugin(op.type());
    explain_layer(compiled_.explanation, op, "customized");
    *compiled_.optimised.add_layer() = op;
    return program_.status();
  }

  // ---- The result ----

  Result<Compiled> finish() {
    TW_RETURN_IF_ERROR(program_.status());
    compiled_.cmdbuf = program_.commands();
    auto program = isa::decode_program(compiled_.cmdbuf, bm1880());
    if (!program.ok()) return Status(program.error());
    const Profile p = profile(*program, bm1880());
    compiled_.predicted_cycles = p.elapsed_cycles;
    compiled_.global_bytes = p.cost.global_bytes;
    compiled_.instructions = p.instructions;
    describe_inputs();
    describe_outputs();
    for (const auto& [tensor, place] : places_) compiled_.tensor_offsets[tensor] = place.offset;
    explain_total(compiled_.explanation, compiled_, p);
    frame(compiled_.optimised, network(), compiled_);
    return std::move(compiled_);
  }

  static std::vector<uint32_t> shape4(const TensorShape& shape) {
    const Extents e = extents(shape);
    return {static_cast<uint32_t>(e.n), static_cast<uint32_t>(e.c), static_cast<uint32_t>(e.h),
            static_cast<uint32_t>(e.w)};
  }
  // Results of inner products and what is computed from them: N rows of C values are (1,1,N,C), as
  // the maker's models have it.
  static std::vector<uint32_t> output_shape(const TensorShape& shape) {
    if (shape.dim_size() != 2) return shape4(shape);
    return {1, 1, static_cast<uint32_t>(shape.dim(0)), static_cast<uint32_t>(shape.dim(1))};
  }
  static uint32_t format(const TensorShape& s) {
    return s.data_type_size() == 4 ? FMT_F32 : FMT_I8;
  }

  void describe_inputs() {
    for (const std::string& t : network().inputs()) {
      const TensorShape& shape = *network().shape_of(t);
      compiled_.inputs.push_back({shape4(shape), threshold_of(producer_index(t), t), format(shape),
                                  places_.find(t)->second.offset});
    }
  }
  void describe_outputs() {
    for (const std::string& t : network().outputs()) {
      const TensorShape& shape = *network().shape_of(t);
      compiled_.outputs.push_back({network().blob_name(t), output_shape(shape),
                                   places_.find(t)->second.offset,
                                   threshold_of(producer_index(t), t), format(shape)});
    }
  }

  CompileOptions options_;
  QuantisedNet net_;
  std::optional<Storage> storage_;
  std::vector<KernelPtr> kernels_;
  std::map<size_t, size_t> last_kernel_of_;  // by op
  std::vector<Unit> units_;
  std::map<std::string, Lifetime> life_;  // by root
  TensorPlaces places_;
  WeightPlaces weights_;
  std::unordered_multimap<size_t, uint64_t> stored_;  // offsets by hash of the contents
  Pricer pricer_;
  Program program_;
  int group_count_ = 0;
  Compiled compiled_;
};

}  // namespace

uint64_t Compiled::output_bytes() const {
  uint64_t bytes = 0;
  for (const bmodel::Output& o : outputs) bytes += o.bytes();
  return bytes;
}

Result<Compiled> compile(const Network& network, const std::vector<LayerIntegers>& integers,
                         const CompileOptions& options) {
  TW_RETURN_IF_ERROR(verify(network));
  return Compiler(network, integers, options).run();
}

Result<Compiled> compile(const Network& network, const NetCalibrationParameter& table,
                         const CompileOptions& options) {
  TW_RETURN_IF_ERROR(verify(network));
  auto integers = resolve(network, table);
  if (!integers.ok()) return Status(integers.error());
  return compile(network, *integers, options);
}

namespace {

bool has_fraction(const Blob& blob) {
  // Counted without a branch, a block at a time, which the compiler turns into vectors.
  constexpr size_t kBlock = 4096;
  for (size_t begin = 0; begin < blob.data.size(); begin += kBlock) {
    const size_t end = std::min(begin + kBlock, blob.data.size());
    unsigned fractions = 0;
    for (size_t i = begin; i < end; ++i)
      fractions += blob.data[i] != std::trunc(blob.data[i]) ? 1 : 0;
    if (fractions != 0) return true;
  }
  return false;
}

}  // namespace

bool has_float_weights(const Network& network) {
  return std::ranges::any_of(network.ops, [&](const TensorOp& op) {
    if (!has_integer_blobs(op.type())) return false;
    const auto blobs = network.blobs.find(op.name());
    return blobs != network.blobs.end() && std::ranges::any_of(blobs->second, has_fraction);
  });
}

bmodel::Model to_model(const Compiled& compiled, const std::string& name) {
  bmodel::Model model;
  model.name = name;
  model.version = "2.1";
  model.weights = {compiled.weight};
  bmodel::Variety v;
  v.inputs = compiled.inputs;
  v.outputs = compiled.outputs;
  v.cmdbuf = compiled.cmdbuf;
  v.neuron_size = compiled.neuron_size;
  model.varieties = {std::move(v)};
  return model;
}

}  // namespace tputwin::net
