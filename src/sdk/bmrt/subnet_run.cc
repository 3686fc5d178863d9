// Values move to the memory of the next subnet: from the user, the device and the host's arrays.
#include "sdk/bmrt/subnet_run.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/errors/bmrt.h"
#include "base/errors/machine.h"
#include "base/variables.h"
#include "host/operator.h"
#include "machine/stop.h"
#include "sdk/bmrt/storage.h"

namespace tputwin::bmrt {

using namespace bmodel::bm168x;

namespace {

using Node = SubnetGraph::Node;

// Bytes in memory, and the layout of their elements.
struct Place {
  const uint8_t* bytes = nullptr;
  Stored as;
  bool operator==(const Place&) const = default;
};

// The value of a tensor. An array of the host never changes, so it is the value if there is one.
// Otherwise the value is stored at the address where the user or the device wrote it.
struct Value {
  uint64_t written = 0;  // step that wrote it; 0: none
  host::Shape shape;
  std::shared_ptr<const host::Array> array;
  Place origin;
  // Memory from which commands read it last; later commands may have overwritten it.
  Place copy;
  // Owns the memory of `origin`, if no other object does.
  std::shared_ptr<const std::vector<uint8_t>> own;
};

host::Shape shape_of(const TensorT& tensor) { return {shape(tensor).begin(), shape(tensor).end()}; }

const void* data_of(const host::Array& array) {
  return std::visit([](const auto& list) { return static_cast<const void*>(list.data()); },
                    array.values);
}

host::Array empty_array(ElementType type) {
  host::Array array;
  if (type == ElementType::i32) array.values = std::vector<int32_t>();
  return array;
}

// Returns the memory that certainly holds a value.
Place source_of(const Value& value) {
  if (value.array == nullptr) return value.origin;
  return {static_cast<const uint8_t*>(data_of(*value.array))};
}

uint64_t images_of(const host::Shape& shape) {
  return shape.empty() ? 1 : static_cast<uint64_t>(shape[0]);
}

// Checks that a value fits a tensor of the file in a storage mode. Cells of several images may need
// more bytes than their elements.
Status check_capacity(const Value& value, const TensorT& tensor, bm_store_mode_t storage,
                      std::string_view taker) {
  const auto bytes = [&](const host::Shape& shape) {
    const auto elements = static_cast<uint64_t>(host::count(shape));
    const uint64_t images = elements == 0 ? 1 : images_of(shape);
    return stored_bytes(images, elements / images, element_bits(element_type(tensor)), storage);
  };
  if (host::count(value.shape) <= static_cast<int64_t>(element_count(tensor)) &&
      bytes(value.shape) <= bytes(shape_of(tensor)))
    return {};
  return Error(errors::brt_host_capacity)
      .in(taker)
      .argument(tensor.name, host::describe(value.shape))
      .detail(fmt::format("compiled for {}", host::describe(shape_of(tensor))));
}

uint64_t most_steps() {
  constexpr uint64_t kDefault = 100'000;
  const uint64_t given = number_in(EnvVariable::subnet_steps);
  return given != 0 ? given : kDefault;
}

class SubnetRun {
 public:
  SubnetRun(const SubnetProgram& program, SubnetDevice& device)
      : program_(program), graph_(program.graph), device_(device), values_(graph_.tensors.size()) {}

  Status run(const std::vector<UserTensor>& inputs);
  Result<std::vector<bm_shape_t>> write(const std::vector<UserTensor>& outputs);

 private:
  const TensorT& file(size_t tensor) const { return *graph_.tensors[tensor].file; }
  ElementType type(size_t tensor) const { return element_type(file(tensor)); }

  void copy(const Value& value, ElementType type, uint8_t* to, const Stored& as);
  Result<Value*> value(size_t tensor, std::string_view taker);
  Result<std::shared_ptr<const host::Array>> array(size_t tensor, std::string_view taker);
  Status bring(size_t tensor, const TensorT& to, std::string_view taker);
  Status pass(size_t from, size_t to, const TensorT& output, std::string_view taker);

  Status run_tpu(size_t index, const Node& node);
  Status run_cpu(size_t index, const Node& node);
  Status run_merge(const Node& node);
  Result<size_t> run_switch(const Node& node);
  Result<size_t> branch_of(const Node& node);
  Result<size_t> step(size_t index);

  const SubnetProgram& program_;
  const SubnetGraph& graph_;
  SubnetDevice& device_;
  std::vector<Value> values_;
  uint64_t step_ = 1;  // step 1 writes the user's inputs
};

std::string label(const Node& node) { return fmt::format("subnet {}", node.subnet->id); }

// Copies a value, as a tensor of that type, to memory in the layout `as`.
void SubnetRun::copy(const Value& value, ElementType type, uint8_t* to, const Stored& as) {
  const Place from = source_of(value);
  const auto elements = static_cast<uint64_t>(host::count(value.shape));
  if (elements == 0) return;
  const uint64_t images = images_of(value.shape), bits = element_bits(type);
  const auto bytes = [&](const Stored& stored) {
    return stored_bytes(images, elements / images, bits, stored);
  };
  device_.before_read(from.bytes, bytes(from.as), bytes(from.as) == bytes(BM_STORE_1N));
  device_.before_write(to, bytes(as));
  copy_stored(to, as, from.bytes, from.as, images, elements / images, bits);
}

Result<Value*> SubnetRun::value(size_t tensor, std::string_view taker) {
  Value& value = values_[tensor];
  if (value.written != 0) return &value;
  return Error(errors::brt_not_written).in(taker).argument("tensor", file(tensor).name);
}

Result<std::shared_ptr<const host::Array>> SubnetRun::array(size_t tensor, std::string_view taker) {
  TW_ASSIGN_OR_RETURN(from, value(tensor, taker));
  if (from->array != nullptr) return from->array;
  host::Array made = empty_array(type(tensor));
  made.shape = from->shape;
  std::visit(
      [&](auto& list) {
        list.resize(static_cast<size_t>(host::count(from->shape)));
        copy(*from, type(tensor), reinterpret_cast<uint8_t*>(list.data()), BM_STORE_1N);
      },
      made.values);
  from->array = std::make_shared<const host::Array>(std::move(made));
  return from->array;
}

// Copies a value to the memory where commands read it.
Status SubnetRun::bring(size_t tensor, const TensorT& to, std::string_view taker) {
  TW_ASSIGN_OR_RETURN(from, value(tensor, taker));
  if (host::count(from->shape) != static_cast<int64_t>(element_count(to)))
    return Error(errors::brt_run_time_shape)
        .in(taker)
        .argument(to.name, host::describe(from->shape))
        .detail(fmt::format("compiled for {}", host::describe(shape_of(to))));
  const Stored as = stored_as(to);
  const host::Shape compiled = shape_of(to);
  // The layout of cells of several images and of padded rows depends on the extents.
  const bool same_layout = as.is_plain() || from->shape == compiled;
  const Place there{device_.place(to, /*to_write=*/false), as};
  if (same_layout && there.bytes != nullptr && (there == from->origin || there == from->copy))
    return {};
  uint8_t* place = device_.place(to, /*to_write=*/true);
  if (place == nullptr)
    return Error(errors::brt_tensor_place)
        .in(taker)
        .argument(to.name, fmt::format("{:#x}", to.device_addr));
  const bool overwrites = place == from->origin.bytes;
  if (!same_layout || overwrites) {
    auto plain = std::make_shared<std::vector<uint8_t>>(tensor_bytes(to));
    copy(*from, type(tensor), plain->data(), BM_STORE_1N);
    const Value reshaped{.shape = compiled, .origin = {plain->data()}};
    copy(reshaped, type(tensor), place, as);
    if (overwrites) from->origin = {plain->data()}, from->own = std::move(plain);
    return {};
  }
  copy(*from, type(tensor), place, as);
  from->copy = {place, as};
  return {};
}

Status SubnetRun::run_tpu(size_t index, const Node& node) {
  const std::string taker = label(node);
  for (size_t i = 0; i < node.inputs.size(); ++i)
    TW_RETURN_IF_ERROR(bring(node.inputs[i], *node.subnet->input_tensor[i], taker));
  TW_RETURN_IF_ERROR(device_.run_commands(index));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const TensorT& output = *node.subnet->output_tensor[i];
    const uint8_t* place = device_.place(output, /*to_write=*/false);
    if (place == nullptr)
      return Error(errors::brt_tensor_place)
          .in(taker)
          .argument(output.name, fmt::format("{:#x}", output.device_addr));
    values_[node.outputs[i]] = {
        .written = step_, .shape = shape_of(output), .origin = {place, stored_as(output)}};
  }
  return {};
}

Status SubnetRun::run_cpu(size_t index, const Node& node) {
  const std::string taker = label(node);
  std::vector<host::Array> in, out;
  for (size_t tensor : node.inputs) {
    TW_ASSIGN_OR_RETURN(from, array(tensor, taker));
    in.push_back(*from);
  }
  std::vector<int64_t> capacity;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    out.push_back(empty_array(type(node.outputs[i])));
    capacity.push_back(static_cast<int64_t>(element_count(*node.subnet->output_tensor[i])));
  }
  Status status = host::run(program_.operators[index], in, out, capacity);
  if (!status.ok())
    return Error(status.error())
        .in(fmt::format("{} (result {})", status.error().call(),
                        node.outputs.empty() ? "" : node.subnet->output_tensor[0]->name));
  for (size_t i = 0; i < out.size(); ++i) {
    auto result = std::make_shared<host::Array>(std::move(out[i]));
    values_[node.outputs[i]] = {.written = step_, .shape = result->shape, .array = result};
  }
  return {};
}

// An output of a switch or merge is the current value of the input. If the output has memory of its
// own, the value is copied there, because later commands may overwrite the input. With other
// extents than compiled it is stored plain, which needs the least memory.
Status SubnetRun::pass(size_t from, size_t to, const TensorT& output, std::string_view taker) {
  TW_ASSIGN_OR_RETURN(source, value(from, taker));
  TW_RETURN_IF_ERROR(check_capacity(*source, output, BM_STORE_1N, taker));
  Value passed = *source;
  passed.written = step_;
  uint8_t* place = device_.place(output, /*to_write=*/true);
  if (passed.array == nullptr && place != nullptr && place != passed.origin.bytes) {
    const Stored as = passed.shape == shape_of(output) ? stored_as(output) : Stored();
    copy(passed, type(from), place, as);
    passed.origin = {place, as};
    passed.copy = {};
  }
  values_[to] = std::move(passed);
  return {};
}

Status SubnetRun::run_merge(const Node& node) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    size_t latest = node.inputs[0];
    uint64_t written = 0;
    for (int32_t input : node.subnet->merge_param->output_from[i]->indice) {
      const size_t tensor = node.inputs[static_cast<size_t>(input)];
      if (values_[tensor].written > written || written == 0) latest = tensor;
      written = std::max(written, values_[tensor].written);
    }
    TW_RETURN_IF_ERROR(pass(latest, node.outputs[i], *node.subnet->output_tensor[i], label(node)));
  }
  return {};
}

// Returns an element of memory as a number.
double number_at(const uint8_t* bytes, ElementType type) {
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
  };
  if (type == ElementType::f32) return read(float{});
  if (type == ElementType::i8) return read(int8_t{});
  if (type == ElementType::u8) return read(uint8_t{});
  if (type == ElementType::i16) return read(int16_t{});
  if (type == ElementType::u16) return read(uint16_t{});
  if (type == ElementType::u32) return read(uint32_t{});
  return read(int32_t{});
}

Result<size_t> SubnetRun::branch_of(const Node& node) {
  const size_t tensor = node.inputs.back();
  TW_ASSIGN_OR_RETURN(from, value(tensor, label(node)));
  const auto refuse = [&](std::string what) {
    return Error(errors::brt_branch)
        .in(label(node))
        .argument(file(tensor).name, std::move(what))
        .detail(fmt::format("it has {} branches", node.next.size()));
  };
  if (host::count(from->shape) != 1) return refuse(host::describe(from->shape));
  std::array<uint8_t, sizeof(double)> element;
  copy(*from, type(tensor), element.data(), BM_STORE_1N);
  const double number = number_at(element.data(), type(tensor));
  if (!(number >= 0 && number < static_cast<double>(node.next.size())) ||
      number != std::trunc(number))
    return refuse(fmt::format("{}", number));
  return static_cast<size_t>(number);
}

Result<size_t> SubnetRun::run_switch(const Node& node) {
  TW_ASSIGN_OR_RETURN(branch, branch_of(node));
  const SwitchParamT& p = *node.subnet->switch_param;
  for (size_t i = 0; i < node.outputs.size(); ++i)
    if (static_cast<size_t>(p.output_branch[i]) == branch)
      TW_RETURN_IF_ERROR(pass(node.inputs[static_cast<size_t>(p.output_from[i])], node.outputs[i],
                              *node.subnet->output_tensor[i], label(node)));
  return node.next[branch];
}

// Runs a subnet; returns the next one.
Result<size_t> SubnetRun::step(size_t index) {
  const Node& node = graph_.nodes[index];
  ++step_;
  switch (node.mode) {
    case SubnetMode::tpu:
      TW_RETURN_IF_ERROR(run_tpu(index, node));
      break;
    case SubnetMode::cpu:
      TW_RETURN_IF_ERROR(run_cpu(index, node));
      break;
    case SubnetMode::merge:
      TW_RETURN_IF_ERROR(run_merge(node));
      break;
    case SubnetMode::switch_branch:
      return run_switch(node);
  }
  return node.next.front();
}

Status SubnetRun::run(const std::vector<UserTensor>& inputs) {
  for (size_t i = 0; i < graph_.tensors.size(); ++i)
    if (const TensorT& weights = file(i); graph_.tensors[i].is_constant)
      if (const uint8_t* place = device_.place(weights, /*to_write=*/false); place != nullptr)
        values_[i] = {
            .written = step_, .shape = shape_of(weights), .origin = {place, stored_as(weights)}};
  for (size_t i = 0; i < graph_.inputs.size(); ++i)
    values_[graph_.inputs[i]] = {.written = step_,
                                 .shape = shape_of(*graph_.stage->input_tensor[i]),
                                 .origin = {inputs[i].memory, inputs[i].storage}};
  const uint64_t most = most_steps();
  for (size_t index = 0; index != SubnetGraph::kEnd;) {
    if (is_stop_wanted()) return Error(errors::mch_stopped);
    if (step_ > most)
      return Error(errors::brt_steps)
          .in(label(graph_.nodes[index]))
          .argument("subnets", fmt::format("{}", step_));
    TW_ASSIGN_OR_RETURN(next, step(index));
    index = next;
  }
  return {};
}

Result<std::vector<bm_shape_t>> SubnetRun::write(const std::vector<UserTensor>& outputs) {
  std::vector<bm_shape_t> shapes;
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    const size_t tensor = graph_.outputs[i];
    const TensorT& output = *graph_.stage->output_tensor[i];
    TW_ASSIGN_OR_RETURN(from, value(tensor, "outputs"));
    TW_RETURN_IF_ERROR(check_capacity(*from, output, outputs[i].storage, "outputs"));
    copy(*from, type(tensor), outputs[i].memory, outputs[i].storage);
    bm_shape_t shape{};
    for (int64_t extent : from->shape) shape.dims[shape.num_dims++] = static_cast<int>(extent);
    shapes.push_back(shape);
  }
  return shapes;
}

}  // namespace

Result<SubnetProgram> SubnetProgram::make(const File& file, const NetParameterT& stage,
                                          std::string_view host_libraries) {
  SubnetProgram program;
  TW_ASSIGN_OR_RETURN(graph, subnet_graph(stage));
  TW_ASSIGN_OR_RETURN(libraries, open_host_libraries(file, host_libraries));
  program.graph = std::move(graph);
  for (const Node& node : program.graph.nodes) {
    host::Operator op;
    if (node.mode == SubnetMode::cpu) {
      TW_ASSIGN_OR_RETURN(found, host_operator(file, *node.subnet, libraries));
      op = {fmt::format("{}: {}", label(node), found.text), std::move(found.function)};
    }
    program.operators.push_back(std::move(op));
  }
  return program;
}

Result<std::vector<bm_shape_t>> run_subnets(const SubnetProgram& program, SubnetDevice& device,
                                            const std::vector<UserTensor>& inputs,
                                            const std::vector<UserTensor>& outputs) {
  SubnetRun run(program, device);
  TW_RETURN_IF_ERROR(run.run(inputs));
  return run.write(outputs);
}

}  // namespace tputwin::bmrt
