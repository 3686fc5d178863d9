// Import of a Caffe net as a Network, layer by layer. All problems are collected.
#include "bmnet/caffe/import.h"

#include <algorithm>
#include <set>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/layer.h"
#include "bmnet/caffe/operation.h"
#include "bmnet/caffe/outputs.h"
#include "bmnet/caffe/upgrade.h"
#include "bmnet/ir/any_case.h"

namespace tputwin::net {
namespace {

// Returns true if the operation accepts floats. Operators of the host do.
bool takes_floats(const TensorOp& op) {
  const RunsOn where = properties(op.type()).runs_on;
  return where == RunsOn::host || where == RunsOn::code || has_trait(op, trait::moves_elements);
}

class NetImporter {
 public:
  NetImporter(const caffe::NetParameter& net, const ImportOptions& options)
      : caffe_(net), options_(options) {
    network_.name = net.name();
  }

  Result<Network> run() {
    names_and_inputs();
    for (const caffe::LayerParameter& layer : caffe_.layer()) import(layer);
    if (problems_.empty()) drop_silenced();
    if (problems_.empty()) add_end();
    if (!problems_.empty()) return combine(problems_);
    TW_RETURN_IF_ERROR(verify(network_));
    return std::move(network_);
  }

 private:
  struct Tensor {
    TensorShape shape;
    bool known = true, used = false, silenced = false, is_input = false;
  };

  static constexpr LayerKind kOperation{.type = "tg_", .import = import_operation};

  static std::string where(const caffe::LayerParameter& layer) {
    return "layer " + layer.name() + " (" + layer.type() + ")";
  }
  void problem(ErrorId id, const caffe::LayerParameter& layer, std::string_view argument,
               std::string value, std::string detail = "") {
    problems_.push_back(
        Error(id).in(where(layer)).argument(argument, std::move(value)).detail(std::move(detail)));
  }
  void net_problem(ErrorId id, std::string detail) {
    problems_.push_back(Error(id).in("net " + caffe_.name()).detail(std::move(detail)));
  }

  // ---- Before the layers ----

  const LayerKind* kind_of(const caffe::LayerParameter& layer) const {
    const auto custom = find_any_case(options_.custom, layer.type());
    return custom != options_.custom.end() ? nullptr : find_kind(layer.type());
  }

  void names_and_inputs() {
    size_t inputs = 0;
    bool works = false;
    for (const caffe::LayerParameter& layer : caffe_.layer()) {
      const LayerKind* kind = kind_of(layer);
      if (kind != nullptr && kind->role == LayerKind::input)
        inputs += static_cast<size_t>(layer.top_size());
      else
        works = true;
      if (layer.name().empty())
        problem(errors::net_duplicate_layer, layer, "name", "none", "every layer has one");
      else if (!names_.insert(layer.name()).second)
        problem(errors::net_duplicate_layer, layer, "name", layer.name());
      for (const std::string& top : layer.top()) producers_.emplace(top, layer.name());
    }
    if (inputs == 0) net_problem(errors::net_no_input, "no Input layer, and no input: field");
    if (!works) net_problem(errors::net_no_layer, "it has inputs only");
    const size_t given = options_.input_shapes.size();
    if (given != 0 && inputs != 0 && given != inputs)
      net_problem(errors::net_input_shape, "the net has " + std::to_string(inputs) +
                                               " inputs, and there are " + std::to_string(given) +
                                               " shapes");
  }

  // ---- Tensors ----

  // Defines a top under a unique name: Caffe's name, with the layer's name appended if it is taken.
  std::string define(const caffe::LayerParameter& layer, const std::string& top, Tensor tensor) {
    std::string name = top;
    if (tensors_.contains(name)) {
      name += "@" + layer.name();
      network_.blob_names[name] = top;
    }
    while (tensors_.contains(name)) name += "'";
    tensors_.emplace(name, std::move(tensor));
    current_[top] = name;
    return name;
  }

  void define_unknown(const caffe::LayerParameter& layer) {
    for (const std::string& top : layer.top()) define(layer, top, {.shape = {}, .known = false});
  }

  // ---- Layers ----

  void import(const caffe::LayerParameter& layer) {
    const auto custom = find_any_case(options_.custom, layer.type());
    if (custom != options_.custom.end()) return import_custom(layer, custom->second);
    if (is_operation(layer)) return import_layer(layer, kOperation);
    const LayerKind* kind = find_kind(layer.type());
    if (kind == nullptr || kind->role == LayerKind::unsupported) {
      problem(errors::net_layer_type, layer, "type", layer.type(),
              kind == nullptr ? suggestion(layer.type()) : "use " + std::string(kind->instead));
      return define_unknown(layer);
    }
    if (!counts_fit(layer, *kind)) return define_unknown(layer);
    if (has_unread_parameters(layer, *kind)) return define_unknown(layer);
    switch (kind->role) {
      case LayerKind::input:
        return import_input(layer);
      case LayerKind::silence:
        for (const std::string& bottom : layer.bottom())
          if (Tensor* tensor = find(layer, bottom)) tensor->silenced = true;
        return;
      case LayerKind::compute:
        return import_expanded(layer, *kind);
      default:
        return;
    }
  }

  // `custom { value: ... }` is for the code of customized layers. Parameters that no code reads are
  // an error.
  bool has_unread_parameters(const caffe::LayerParameter& layer, const LayerKind& kind) {
    if (!layer.has_custom() || kind.role == LayerKind::dropped) return false;
    problem(errors::net_layer_parameter, layer, "custom", "\"" + layer.custom().value() + "\"",
            "none: a built-in layer has parameters of its own; addCustomizedLayer replaces it");
    return true;
  }

  // Imports the layers that a layer expands to, if its inputs are known.
  void import_expanded(const caffe::LayerParameter& layer, const LayerKind& kind) {
    auto is_known = [&](const std::string& bottom) {
      const auto found = current_.find(bottom);
      return found != current_.end() && tensors_.at(found->second).known;
    };
    if (kind.expand == nullptr || !std::ranges::all_of(layer.bottom(), is_known))
      return import_layer(layer, kind);
    TensorOp op;
    begin(layer, op);
    auto parts = kind.expand(Importer(layer, op, options_.needs_weights, true));
    if (parts.empty()) return import_layer(layer, kind);
    for (caffe::LayerParameter& part : parts) {
      part.set_on_host(layer.on_host());
      import_layer(part, *find_kind(part.type()));
    }
  }

  bool counts_fit(const caffe::LayerParameter& layer, const LayerKind& kind) {
    auto fits = [&](std::string_view what, int count, int low, int high) {
      if (count >= low && count <= high) return true;
      problem(
          errors::net_bottom_count, layer, what, std::to_string(count),
          low == high ? std::to_string(low) : std::to_string(low) + " to " + std::to_string(high));
      return false;
    };
    // Checks both, so that both are reported.
    const bool bottoms = fits("bottoms", layer.bottom_size(), kind.min_bottoms, kind.max_bottoms);
    const bool tops = fits("tops", layer.top_size(), kind.min_tops, kind.max_tops);
    return bottoms && tops;
  }

  Tensor* find(const caffe::LayerParameter& layer, const std::string& bottom) {
    const auto found = current_.find(bottom);
    if (found != current_.end()) return &tensors_.at(found->second);
    const auto producer = producers_.find(bottom);
    problem(errors::net_unknown_bottom, layer, "bottom", bottom,
            producer == producers_.end() ? "no layer makes it"
            : producer->second == layer.name()
                ? "only this layer itself makes it"
                : "only layer " + producer->second + " after it makes it");
    return nullptr;
  }

  // Sets name, bottoms and input shapes of the op. Returns true if all shapes are known.
  bool begin(const caffe::LayerParameter& layer, TensorOp& op) {
    op.set_name(layer.name());
    op.set_calib_id(layer.name());
    bool known = true;
    for (const std::string& bottom : layer.bottom()) {
      Tensor* tensor = find(layer, bottom);
      known = known && tensor != nullptr && tensor->known;
      if (tensor == nullptr) continue;
      op.add_bottom(current_.at(bottom));
      *op.add_input_shape() = tensor->shape;
    }
    op.mutable_top()->CopyFrom(layer.top());
    return known;
  }

  void end(const caffe::LayerParameter& layer, TensorOp op, std::vector<Blob> blobs) {
    for (const std::string& bottom : op.bottom()) tensors_.at(bottom).used = true;
    for (int i = 0; i < op.top_size(); ++i)
      op.set_top(i, define(layer, op.top(i), {.shape = op.output_shape(i)}));
    if (!blobs.empty()) network_.blobs[op.name()] = std::move(blobs);
    if (layer.on_host() && can_leave_to_host(op)) op.set_cpu_op(true);
    network_.ops.push_back(std::move(op));
  }

  void import_layer(const caffe::LayerParameter& layer, const LayerKind& kind) {
    TensorOp op;
    const bool known = begin(layer, op);
    Importer importer(layer, op, options_.needs_weights,
                      known && op.bottom_size() == layer.bottom_size());
    if (op.bottom_size() == layer.bottom_size()) kind.import(importer);
    for (const Error& error : importer.problems()) problems_.push_back(error);
    if (!importer.ready()) return define_unknown(layer);
    if (importer.is_removed) return pass_on(layer, op);
    if (!floats_fit(layer, op)) return define_unknown(layer);
    end(layer, std::move(op), std::move(importer.blobs()));
  }

  // Handles a layer that moves nothing: its tops are its bottom. A top without readers is an
  // output.
  void pass_on(const caffe::LayerParameter& layer, const TensorOp& removed) {
    const std::string& bottom = removed.bottom(0);
    for (const std::string& top : layer.top()) {
      const bool is_same = top == network_.blob_name(bottom) && !tensors_.at(bottom).used;
      current_[top] = bottom;
      if (is_same || caffe_.output_size() > 0 || is_read_after(caffe_, layer, top)) continue;
      end(layer, make_alias(network_, layer, top, bottom, removed.input_shape(0)), {});
    }
  }

  // Checks element types. Inputs of moves are all int8 or all floats; other operations of the TPU
  // accept int8 only. Regions and image sizes that are inputs of the net become floats.
  bool floats_fit(const caffe::LayerParameter& layer, TensorOp& op) {
    const bool regions = is(op, Op::roi_pooling) || is(op, Op::psroi_pooling);
    if (regions) make_float(op, 1);
    if (is(op, Op::proposal)) make_float(op, 2);
    if (!takes_floats(op) || is(op, Op::concat))
      for (int i = 0; i < op.bottom_size(); ++i) {
        const int wanted =
            has_trait(op, trait::moves_elements) ? op.input_shape(0).data_type_size() : 1;
        if (op.input_shape(i).data_type_size() == wanted) continue;
        problem(errors::net_operand_shapes, layer, layer.bottom(i), wanted == 1 ? "floats" : "int8",
                has_trait(op, trait::moves_elements)
                    ? "inputs are all int8 or all floats"
                    : "the layer computes on int8; coordinates are floats");
        return false;
      }
    return true;
  }

  void make_float(TensorOp& op, int bottom) {
    Tensor& tensor = tensors_.at(op.bottom(bottom));
    if (!tensor.is_input || tensor.used) return;
    tensor.shape.set_data_type_size(4);
    op.mutable_input_shape(bottom)->set_data_type_size(4);
    for (TensorOp& start : network_.ops)
      if (is(start, Op::start) && start.top(0) == op.bottom(bottom))
        start.mutable_output_shape(0)->set_data_type_size(4);
  }

  void import_custom(const caffe::LayerParameter& layer, const LayerImporter& importer) {
    TensorOp op;
    const bool known = begin(layer, op);
    if (!known || op.bottom_size() != layer.bottom_size()) return define_unknown(layer);
    caffe::LayerParameter copy = layer;
    if (Status status = importer(copy, op); !status.ok()) {
      Error error = status.error();
      problems_.push_back(std::move(error).in(where(layer)));
      return define_unknown(layer);
    }
    if (op.output_shape_size() != op.top_size() || op.type().empty()) {
      problem(errors::net_custom_shape, layer, "output_shape",
              std::to_string(op.output_shape_size()),
              "the layer has " + std::to_string(op.top_size()) + " tops");
      return define_unknown(layer);
    }
    std::vector<Blob> blobs;
    for (const caffe::BlobProto& blob : layer.blobs()) {
      const auto& dims = blob.shape().dim();
      blobs.push_back({{dims.begin(), dims.end()}, {blob.data().begin(), blob.data().end()}});
    }
    end(layer, std::move(op), std::move(blobs));
  }

  // ---- Ends ----

  void import_input(const caffe::LayerParameter& layer) {
    for (int i = 0; i < layer.top_size(); ++i) {
      Tensor tensor{.shape = {}, .is_input = true};
      Dims dims;
      if (next_input_ < options_.input_shapes.size()) {
        dims = given_dims(layer, i, net::dims(options_.input_shapes[next_input_]));
      } else {
        auto own = input_dims(layer, i);
        if (!own.ok()) problems_.push_back(own.error());
        if (own.ok()) dims = *own;
        tensor.known = own.ok();
      }
      ++next_input_;
      if (options_.batch != 0 && !dims.empty()) dims[0] = options_.batch;
      if (tensor.known) tensor.known = input_shape_fits(layer, i, dims);
      if (tensor.known) tensor.shape = make_shape(dims);
      TensorOp op = input_op(input_name(layer, i), tensor.shape);
      op.add_top(define(layer, layer.top(i), std::move(tensor)));
      keep_byte_type(layer, op.top(0), network_);
      network_.ops.push_back(std::move(op));
    }
  }

  std::string input_name(const caffe::LayerParameter& layer, int top) const {
    if (top == 0) return layer.name();
    return names_.contains(layer.top(top)) ? layer.name() + "/" + layer.top(top) : layer.top(top);
  }

  bool input_shape_fits(const caffe::LayerParameter& layer, int top, const Dims& dims) {
    TensorOp op;
    op.add_top(layer.top(top));
    Importer importer(layer, op, false, true);
    importer.output(dims, false);
    check_batch(importer, top, dims);
    for (const Error& error : importer.problems()) problems_.push_back(error);
    return importer.ready();
  }

  // Removes operations whose results only Silence reads.
  void drop_silenced() {
    auto is_dead = [&](const std::string& top) {
      return tensors_.at(top).silenced && !tensors_.at(top).used;
    };
    auto& ops = network_.ops;
    for (size_t i = ops.size(); i-- > 0;) {
      if (is(ops[i], Op::start)) continue;
      if (!std::all_of(ops[i].top().begin(), ops[i].top().end(), is_dead)) continue;
      const TensorOp op = ops[i];
      ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(i));
      network_.blobs.erase(op.name());
      for (const std::string& bottom : op.bottom()) {
        tensors_.at(bottom).silenced = true;
        tensors_.at(bottom).used = network_.is_read(bottom);
      }
    }
  }

  // Adds the end with the outputs: those that the net lists, or else tensors without readers.
  void add_end() {
    std::vector<std::string> outputs = listed_outputs(caffe_, current_, network_, problems_);
    if (caffe_.output().empty())
      for (const TensorOp& op : network_.ops)
        std::ranges::copy_if(op.top(), std::back_inserter(outputs), [&](const std::string& top) {
          const Tensor& tensor = tensors_.at(top);
          return !is(op, Op::start) && !tensor.used && !tensor.silenced;
        });
    TensorOp end;
    end.set_name("end");
    set_type(end, Op::end);
    end.mutable_end_param();
    for (const std::string& tensor : outputs) {
      end.add_bottom(tensor);
      *end.add_input_shape() = tensors_.at(tensor).shape;
    }
    if (!problems_.empty()) return;
    if (outputs.empty()) return net_problem(errors::net_no_layer, "nothing is an output");
    network_.ops.push_back(std::move(end));
  }

  const caffe::NetParameter& caffe_;
  const ImportOptions& options_;
  Network network_;
  std::vector<Error> problems_;
  std::set<std::string> names_;
  // Maps a Caffe blob to the first layer that produces it.
  std::map<std::string, std::string> producers_;
  std::map<std::string, Tensor> tensors_;       // by unique name
  std::map<std::string, std::string> current_;  // maps a Caffe blob to its current tensor
  size_t next_input_ = 0;
};

}  // namespace

Result<Network> import_caffe(const caffe::NetParameter& net, const ImportOptions& options) {
  if (net.layers().empty() && net.input().empty()) return NetImporter(net, options).run();
  caffe::NetParameter upgraded = net;
  TW_RETURN_IF_ERROR(upgrade(upgraded));
  return NetImporter(upgraded, options).run();
}

}  // namespace tputwin::net
