// ONNX models: any bytes give a net or an error; the mutator's changes keep valid models.
#include "fuzz/onnx_seeds.h"

#include <onnx/onnx_pb.h>

#include <random>

#include "base/errors/bmnet.h"
#include "bmnet/onnx/load.h"
#include "fuzz/network.h"

namespace tputwin::fuzz {
namespace {

net::ReadOnnx* reader() {
  static net::ReadOnnx* const found = [] {
    auto read = net::find_onnx_reader("libtputwin_onnx.so");
    return read.ok() ? *read : nullptr;
  }();
  return found;
}

onnx::ModelProto parse(std::span<const uint8_t> input) {
  onnx::ModelProto model;
  if (!model.ParseFromArray(input.data(), static_cast<int>(input.size()))) model.Clear();
  return model;
}

// Returns an extent, an index or a parameter that is likely to find errors.
int64_t random_edge(std::mt19937_64& random) {
  static constexpr int64_t kValues[] = {-1, 0,  1,   2,          3,         4,         5,
                                        7,  16, 255, 2147483647, INT64_MIN, INT64_MAX, 1 << 20};
  return kValues[random() % std::size(kValues)];
}

void change_attribute(onnx::NodeProto& node, std::mt19937_64& random) {
  if (node.attribute().empty()) return;
  auto& a = *node.mutable_attribute(
      static_cast<int>(random() % static_cast<size_t>(node.attribute_size())));
  if (a.has_i()) a.set_i(random_edge(random));
  if (a.has_f()) a.set_f(static_cast<float>(random_edge(random)));
  if (!a.ints().empty())
    a.set_ints(static_cast<int>(random() % static_cast<size_t>(a.ints_size())),
               random_edge(random));
  if (random() % 4 == 0) a.add_ints(random_edge(random));
}

std::string output_of(const onnx::NodeProto& node) {
  return node.output().empty() ? "" : node.output(0);
}

void change_node(onnx::GraphProto& graph, std::mt19937_64& random) {
  if (graph.node().empty()) return;
  const auto any = [&] {
    return static_cast<int>(random() % static_cast<size_t>(graph.node_size()));
  };
  auto& node = *graph.mutable_node(any());
  switch (random() % 5) {
    case 0:
      return change_attribute(node, random);
    case 1:
      return node.set_op_type(graph.node(any()).op_type());
    case 2:
      if (!node.input().empty())
        node.set_input(static_cast<int>(random() % static_cast<size_t>(node.input_size())),
                       output_of(graph.node(any())));
      return;
    case 3:
      graph.mutable_node()->SwapElements(any(), any());
      return;
    default:
      node.add_input(random() % 2 == 0 ? "" : output_of(graph.node(any())));
  }
}

void change_tensor(onnx::GraphProto& graph, std::mt19937_64& random) {
  if (graph.initializer().empty()) return;
  auto& tensor = *graph.mutable_initializer(
      static_cast<int>(random() % static_cast<size_t>(graph.initializer_size())));
  if (random() % 2 == 0 && !tensor.int64_data().empty())
    return tensor.set_int64_data(
        static_cast<int>(random() % static_cast<size_t>(tensor.int64_data_size())),
        random_edge(random));
  if (!tensor.dims().empty())
    tensor.set_dims(static_cast<int>(random() % static_cast<size_t>(tensor.dims_size())),
                    random_edge(random));
}

void change_input(onnx::GraphProto& graph, std::mt19937_64& random) {
  if (graph.input().empty()) return;
  auto& shape = *graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  if (shape.dim().empty() || random() % 8 == 0)
    shape.add_dim()->set_dim_value(random_edge(random));
  else
    shape.mutable_dim(static_cast<int>(random() % static_cast<size_t>(shape.dim_size())))
        ->set_dim_value(random_edge(random));
}

}  // namespace

std::string fuzz_onnx(std::span<const uint8_t> input) {
  if (reader() == nullptr) return "no reader";
  auto loaded = reader()(input, "model.onnx", {});
  if (!loaded.ok()) return "";
  auto network = net::import_caffe(loaded->net);
  if (!network.ok()) return "the net that was read is refused: " + network.error().message();
  if (!net::verify(*network).ok()) return "an imported network is not in order";
  return import_all(loaded->net, true);
}

bool is_onnx(std::span<const uint8_t> input) {
  return reader() != nullptr && reader()(input, "model.onnx", {}).ok();
}

Bytes mutate_onnx(std::span<const uint8_t> input, uint64_t seed) {
  std::mt19937_64 random(seed);
  onnx::ModelProto model = parse(input);
  auto& graph = *model.mutable_graph();
  for (size_t rounds = 1 + random() % 3; rounds > 0; --rounds) {
    const auto kind = random() % 8;
    if (kind < 5)
      change_node(graph, random);
    else if (kind < 7)
      change_tensor(graph, random);
    else
      change_input(graph, random);
  }
  const std::string bytes = model.SerializeAsString();
  return {bytes.begin(), bytes.end()};
}

}  // namespace tputwin::fuzz
