// The compiler for the BM1684X: its passes in their order.
#include "bmnet/targets/bm1684x/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/layer.h"
#include "bmnet/integers/table.h"
#include "bmnet/integers/thresholds.h"
#include "bmnet/lowering/weight_memory.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"
#include "bmnet/targets/bm1684x/axis/expand.h"
#include "bmnet/targets/bm1684x/axis/join_norms.h"
#include "bmnet/targets/bm1684x/choose_types.h"
#include "bmnet/targets/bm1684x/lower.h"
#include "bmnet/targets/bm1684x/moves/join_concats.h"
#include "bmnet/targets/bm1684x/moves/skip_moves.h"
#include "bmnet/targets/bm1684x/schedule/constants.h"
#include "bmnet/targets/bm1684x/search/mixed_types.h"
#include "bmnet/targets/bm1684x/search/table_types.h"
#include "bmnet/targets/bm1684x/simplify.h"
#include "bmnet/targets/bm1684x/stream_compilation.h"
#include "bmnet/targets/bm1684x/subnets/host_layers.h"
#include "bmnet/targets/bm1684x/views.h"
#include "bmnet/targets/bm1684x/windows/fit_windows.h"
#include "bmnet/targets/bm1684x/windows/long_attention.h"
#include "bmnet/targets/bm1684x/windows/wide_products.h"

namespace tputwin::net::bm1684x {
namespace {

// Weights and tensors start at multiples of what the DMA moves at once; memories at pages.
constexpr uint64_t kUnit = 64, kPage = 4096;

// ---- Numbers ----

// Reads which types the table gives to single layers.
Status set_layer_types(StreamCompilation& c) {
  const auto* table = c.options.table;
  c.types.has_bytes = c.options.type == DType::i8;
  c.types.numbers.type = c.types.has_bytes ? DType::f32 : c.options.type;
  if (table == nullptr) return {};
  if (c.types.has_bytes && table->has_floats()) {
    TW_ASSIGN_OR_RETURN(type, floats_of(*table));
    c.types.numbers.type = type;
  }
  // Layers that fit_windows() divided are no longer in the net. Their parts have their types.
  for (const LayerCalibrationParameter& entry : table->layer()) {
    if (!entry.has_type()) continue;
    TW_ASSIGN_OR_RETURN(type, type_of_name("layer " + entry.name(), entry.type()));
    c.types.layers.set(entry.name(), type);
  }
  for (const TensorOp& op : c.ops()) {
    const LayerCalibrationParameter* entry = find_entry(*table, op);
    if (entry == nullptr) continue;
    for (const BlobParameter& blob : entry->blob_param())
      for (const std::string& top : op.top())
        if (blob.means_size() > 0 && c.shared.net.network.blob_name(top) == blob.name())
          c.types.means[top].assign(blob.means().begin(), blob.means().end());
    if (!entry->has_type()) continue;
    TW_ASSIGN_OR_RETURN(type, type_of_name("layer " + op.name(), entry->type()));
    c.types.layers.set(op.name(), type);
  }
  return {};
}

// Integers of the model are numbers of fp32. 16 bits hold fewer digits, and bytes have scales.
Status keep_integers(StreamCompilation& c) {
  for (const std::string& layer : integer_layers(c.shared.net.network))
    if (!c.types.layers.of(layer)) c.types.layers.set(layer, DType::f32);
  return {};
}

// Shared passes and the choice of numbers read thresholds. A float net has none.
Status set_thresholds(StreamCompilation& c) {
  std::vector<LayerThresholds> thresholds;
  if (c.types.has_bytes) {
    constexpr float kUnknown = 0;  // choose_types() keeps such tensors in floats
    TW_ASSIGN_OR_RETURN(resolved,
                        resolve_thresholds(c.shared.net.network, *c.options.table, kUnknown));
    thresholds = std::move(resolved);
  }
  for (size_t i = 0; i < c.ops().size(); ++i) {
    LayerIntegers layer;
    if (thresholds.empty()) {
      layer.threshold_x.assign(static_cast<size_t>(c.ops()[i].bottom_size()), 1.0f);
      layer.threshold_y.assign(static_cast<size_t>(c.ops()[i].top_size()), 1.0f);
    } else {
      layer.threshold_x = std::move(thresholds[i].x);
      layer.threshold_y = std::move(thresholds[i].y);
    }
    c.shared.net.integers.push_back(std::move(layer));
  }
  return {};
}

// At every level: a layer of bytes that is rounded twice has other bits.
Status fuse(StreamCompilation& c) {
  const net::Level level = std::exchange(c.shared.options.level, net::Level::weight_optimization);
  Status status = pass::fuse(c.shared);
  c.shared.options.level = level;
  return status;
}

// Joins layers, and divides others into several. Tensors between those are floats. Their range is
// not known: their threshold is 0.
Status expand(StreamCompilation& c) {
  std::map<std::string, float> thresholds;
  for (size_t i = 0; i < c.ops().size(); ++i)
    for (int k = 0; k < c.ops()[i].top_size(); ++k)
      thresholds[c.ops()[i].top(k)] = c.shared.net.integers[i].threshold_y[static_cast<size_t>(k)];
  if (!c.options.keep_all) join_norms(c.shared.net.network);
  if (!c.options.keep_all)
    for (const auto& [tensor, of] : simplify(c.shared.net.network, c.types.has_bytes)) {
      thresholds[tensor] = thresholds[of.tensor] * of.factor;
      const auto means = c.types.means.find(of.tensor);
      if (means != c.types.means.end() && of.factor == 1)
        c.types.means[tensor] = std::vector<float>(means->second);
    }
  const auto have_one_type = [&](const TensorOp& a, const TensorOp& b) {
    return c.types.floats_of(a.name()) == c.types.floats_of(b.name()) &&
           c.types.is_float(a.name()) == c.types.is_float(b.name());
  };
  if (!c.options.keep_all) join_concats(c.shared.net.network, thresholds, have_one_type);
  if (!c.options.keep_all) TW_RETURN_IF_ERROR(divide_long_attention(c.shared.net.network, c.types));
  if (!c.options.keep_all) TW_RETURN_IF_ERROR(divide_wide_products(c.shared.net.network, c.types));
  expand_layers(c.shared.net.network, c.types);
  c.shared.net.integers.clear();
  const auto threshold = [&](const std::string& tensor) {
    const auto found = thresholds.find(tensor);
    return found == thresholds.end() ? 0.0f : found->second;
  };
  for (const TensorOp& op : c.ops()) {
    LayerIntegers layer;
    for (const std::string& t : op.bottom()) layer.threshold_x.push_back(threshold(t));
    for (const std::string& t : op.top()) layer.threshold_y.push_back(threshold(t));
    c.shared.net.integers.push_back(std::move(layer));
  }
  return {};
}

Status set_types(StreamCompilation& c) {
  choose_types(c.shared.net, {c.options.float_inputs, c.options.float_outputs}, c.types);
  // Layers that a table leaves to the host have floats now, and run on the TPU.
  for (TensorOp& op : c.ops())
    if (!is(op, Op::host)) op.clear_cpu_op();
  c.types.matrices = matrix_tensors(c.shared.net.network);
  c.shared.contiguous = regrouped_tensors(c.shared.net.network);
  return {};
}

// These two replace the passes up to here if the target packs bytes.
Status rewrite_floats(StreamCompilation& c) {
  if (c.options.keep_all) return {};
  TW_ASSIGN_OR_RETURN(table, target().packing()->rewrite(c.shared.net.network, *c.options.table));
  c.table = std::move(table);
  return {};
}

Status pack_bytes(StreamCompilation& c) {
  TW_ASSIGN_OR_RETURN(packed, target().packing()->pack(c.shared.net.network, *c.options.table));
  c.shared.net.network = std::move(packed.net.network);
  c.types = std::move(packed.types);
  c.byte_layers = std::move(packed.layers);
  std::map<std::string, LayerIntegers> integers;
  for (size_t i = 0; i < c.ops().size(); ++i)
    integers[c.ops()[i].name()] = std::move(packed.net.integers[i]);
  expand_layers(c.shared.net.network, c.types);
  for (TensorOp& op : c.ops()) {
    LayerIntegers& own = integers[op.name()];
    own.threshold_y.resize(static_cast<size_t>(op.top_size()));
    c.shared.net.integers.push_back(std::move(own));
    for (TensorShape& s : *op.mutable_input_shape()) s.set_data_type_size(4);
    for (TensorShape& s : *op.mutable_output_shape()) s.set_data_type_size(4);
  }
  c.types.matrices = matrix_tensors(c.shared.net.network, std::move(packed.maps));
  c.shared.contiguous = regrouped_tensors(c.shared.net.network);
  c.shared.contiguous.merge(packed.contiguous);
  return {};
}

// Copies of outputs have the numbers of what they copy.
Status set_types_of_copies(StreamCompilation& c) {
  for (const TensorOp& op : c.ops())
    if (is(op, Op::crop) && c.types.others.count(op.top(0)) == 0)
      c.types.others[op.top(0)] = c.types.of(op.bottom(0));
  return {};
}

// Layers of the chip follow each other, so that there are few subnets.
Status order_subnets(StreamCompilation& c) {
  if (!has_host_layers(c.shared.net.network)) return {};
  std::vector<TensorOp> ops;
  std::vector<LayerIntegers> integers;
  for (const size_t i : order_by_place(c.shared.net.network)) {
    ops.push_back(std::move(c.ops()[i]));
    integers.push_back(std::move(c.shared.net.integers[i]));
  }
  c.ops() = std::move(ops);
  c.shared.net.integers = std::move(integers);
  return {};
}

// ---- Kernels ----

void list_place(const StreamCompilation& c, const TensorOp& op, const Kernels& kernels) {
  if (c.options.places == nullptr || is(op, Op::start) || is(op, Op::end)) return;
  const bool moves = has_trait(op, trait::moves_elements) && !is(op, Op::reshape);
  std::string type = op.type();
  if (type.starts_with("tg_")) type = type.substr(3);
  const bool runs = !kernels.ok() || !kernels->empty() || moves;
  c.options.places->push_back({op.name(), is(op, Op::host) ? op.tg_host_param().text() : type,
                               is(op, Op::host) ? "host"
                               : runs           ? "tpu"
                                                : "nothing",
                               dims(op.output_shape(0)),
                               kernels.ok() ? "" : kernels.error().message()});
}

Kernels lower_layer(StreamCompilation& c, size_t i) {
  const Network& network = c.shared.net.network;
  const TensorOp& op = network.ops[i];
  const auto bytes = c.byte_layers.find(op.name());
  if (bytes == c.byte_layers.end()) return lower(network, i, c.types);
  Kernels kernels = target().packing()->lower({network, op, c.types}, bytes->second);
  if (!kernels.ok()) return kernels;
  for (KernelPtr& kernel : *kernels) {
    kernel->layer = op.name();
    kernel->op = i;
  }
  return kernels;
}

Status lower_all(StreamCompilation& c) {
  c.shared.partition.weights_ahead = {1, 2, 4};
  c.shared.partition.cuts = 6;
  c.shared.partition.joins = true;
  std::vector<Error> problems;
  for (size_t i = 0; i < c.ops().size(); ++i) {
    auto kernels = lower_layer(c, i);
    list_place(c, c.ops()[i], kernels);
    if (!kernels.ok()) {
      problems.push_back(kernels.error());
      continue;
    }
    for (KernelPtr& kernel : *kernels) {
      c.shared.last_kernel_of[i] = c.shared.kernels.size();
      c.shared.kernels.push_back(std::move(kernel));
    }
  }
  if (!problems.empty()) return combine(problems);
  return {};
}

// ---- Groups ----

Status group_beside_constants(StreamCompilation& c) {
  c.lanes = local_memory_of(c.constants.begin());
  c.shared.parts.clear();
  c.shared.pricer = std::make_unique<StreamPricer>(*c.lanes);
  return pass::group(c.shared);
}

// Kernels that do not fit next to the constants have all of the lanes. Subnets do not rely on what
// an earlier one left in local memory: other nets may run while the host computes.
Status group(StreamCompilation& c) {
  if (c.shared.at_least(Level::layer_group) && target().keeps_constants() &&
      !has_host_layers(c.shared.net.network))
    c.constants = place_constants(c.shared.kernels);
  if (c.constants.lane_bytes != 0) {
    const Status status = group_beside_constants(c);
    c.result.explanation +=
        status.ok() ? fmt::format("constants: {} bytes of a lane stay\n", c.constants.lane_bytes)
                    : fmt::format("constants do not stay: {}\n", status.message());
    if (status.ok()) return {};
  }
  release_constants(c.shared.kernels);
  c.constants = {};
  return group_beside_constants(c);
}

// ---- Weights, and the start of neuron memory after them ----

Status place_weights(StreamCompilation& c) {
  const StoredWeights* stored = c.options.stored;
  if (stored != nullptr) c.result.weights = stored->bytes;
  const bool once = c.shared.at_least(Level::weight_optimization) || stored != nullptr;
  WeightMemory memory(c.result.weights, once, kUnit);
  if (stored != nullptr) memory.remember(stored->parts);
  for (ResidentConstants::Part& part : c.constants.parts)
    part.offset = memory.store(c.constants.contents(part));
  for (const ProgramPart& part : c.shared.parts) {
    if (!part.group) continue;
    for (const TiledKernel* k : part.group->schedule.kernels) {
      for (const Weight& w : k->weights)
        c.weight_offsets[k].push_back(w.resident ? 0 : memory.store(w.bytes));
      for (const auto& constant : static_cast<const StreamKernel*>(k)->constants)
        if (!c.shared.positions.contains(constant.name))
          c.shared.positions[constant.name] = {memory.store(constant.bytes), 0};
    }
  }
  for (const TensorOp& op : c.ops())
    if (is(op, Op::host) && op.tg_host_param().constant_size() != 0)
      for (const Blob& blob : c.shared.net.network.blobs.at(op.name()))
        c.host_constants[op.name()].push_back(memory.store(bytes_of(blob.data, DType::f32)));
  c.result.weight_parts = memory.parts();
  const uint64_t bytes = std::max<uint64_t>(c.result.weights.size(), 1);
  c.memories.weights = target().first_weight();
  c.memories.neurons =
      c.memories.weights + static_cast<uint64_t>(align_up_to(static_cast<int64_t>(bytes), kPage));
  c.result.neurons = c.memories.neurons;
  c.result.neuron_bytes = c.shared.compiled.neuron_size;
  const uint64_t end = c.memories.neurons + c.result.neuron_bytes;
  if (end <= chip().global_bytes) return {};
  return Error(errors::net_memory)
      .in("net " + c.shared.net.network.name)
      .argument("weights and tensors", fmt::format("{} bytes", end - target().first_weight()))
      .detail(fmt::format("{} of them are weights, and {} bytes before them are the chip's own; "
                          "compile for a smaller batch or smaller inputs, or in a narrower type",
                          c.result.weights.size(), target().first_weight()));
}

// A pass of all targets.
template <Status (*kPass)(Compilation&)>
Status shared(StreamCompilation& c) {
  return kPass(c.shared);
}

using Pass = Status (*)(StreamCompilation&);

// ---- Passes in their order ----

constexpr Pass kChoose[] = {set_layer_types,    keep_integers, set_thresholds, fuse,
                            shared<pass::trim>, expand,        set_types};
constexpr Pass kPack[] = {rewrite_floats, pack_bytes};
constexpr Pass kLower[] = {shared<pass::outputs>, set_types_of_copies, order_subnets,
                           shared<pass::storage>, lower_all};
constexpr Pass kEmit[] = {skip_moves,    group,    shared<pass::place>,
                          place_weights, emit_all, describe_ends};

Status run(StreamCompilation& c, std::span<const Pass> passes) {
  for (const Pass pass : passes) TW_RETURN_IF_ERROR(pass(c));
  return {};
}

// Makes the kernels. Layers of `columns` become ranges of columns.
Status lower_net(StreamCompilation& c, const Network& network, const StreamOptions& options,
                 const ColumnRanges& columns) {
  c.options = options;
  c.result.target = options.target;
  c.shared.options.level = options.level;
  c.shared.options.keep_all = options.keep_all;
  c.shared.net.network = network;
  TW_RETURN_IF_ERROR(place_on_host(c.shared.net.network));
  TW_RETURN_IF_ERROR(check_options(c.shared.net.network, options));
  if (options.table != nullptr) {
    TW_RETURN_IF_ERROR(check_types(*options.table));
    c.table = *options.table;
    c.options.table = &c.table;
  }
  TW_ASSIGN_OR_RETURN(
      fp32, fit_windows(c.shared.net.network, options.table == nullptr ? nullptr : &c.table,
                        options.type, columns));
  for (const std::string& layer : fp32) c.types.layers.set(layer, DType::f32);
  const bool packs = options.type == DType::i8 && target().packing() != nullptr;
  TW_RETURN_IF_ERROR(packs ? run(c, kPack) : run(c, kChoose));
  return run(c, kLower);
}

}  // namespace

// Only kernels show which rows are too long for a lane. Then the net is lowered again.
Result<CompiledStream> compile(const Network& network, const StreamOptions& options) {
  TW_RETURN_IF_ERROR(verify(network));
  const ScopedTarget scope(*options.target);
  constexpr int kMostRounds = 6;
  const size_t places = options.places == nullptr ? 0 : options.places->size();
  ColumnRanges columns;
  for (int round = 1;; ++round) {
    StreamCompilation c;
    TW_RETURN_IF_ERROR(lower_net(c, network, options, columns));
    if (round == kMostRounds || !add_long_rows(c.shared.kernels, c.ops(), columns)) {
      TW_RETURN_IF_ERROR(run(c, kEmit));
      return std::move(c.result);
    }
    if (options.places != nullptr) options.places->resize(places);
  }
}

}  // namespace tputwin::net::bm1684x
