// The import of a model: its inputs, its nodes one after the other, and its outputs.
#pragma once

#include "bmnet/onnx/load.h"
#include "bmnet/onnx/reader/node.h"

namespace tputwin::net::onnx_reader {

Error malformed(std::string what, std::string detail);

class ModelImporter {
 public:
  // Frees the numbers of the model's initializers as it reads them.
  ModelImporter(onnx::ModelProto& model, int64_t opset, const ImportOptions& options,
                std::string folder);
  Result<Graph> run();

 private:
  // A limit to what functions and loops expand to.
  static constexpr size_t kMostNodes = 200000;
  template <class Function>
  void guard(const Function& function) {
    try {
      function();
    } catch (const Refusal& refusal) {
      problems_.push_back(refusal.error);
    }
  }
  void initializer(onnx::TensorProto& tensor);

  // ---- Inputs ----
  void inputs();
  Dims input_dims(const onnx::ValueInfoProto& input, size_t index) const;
  void input(const onnx::ValueInfoProto& input, size_t index);

  // ---- Nodes ----
  void import_all(const Nodes& nodes, int64_t opset);
  void import_node(const onnx::NodeProto& proto, int64_t opset);
  void import_operator(const onnx::NodeProto& proto, Node& node);
  void loop(Node& node);
  bool is_of_lists(const onnx::NodeProto& proto) const;
  void import_list(Node& node);

  // ---- Outputs ----
  std::string output_tensor(const std::string& name, const Value& value,
                            const std::set<std::string>& taken);
  Value output_value(const std::string& name);
  Value integers_of(const std::string& name, const Value& value);
  void finish();

  onnx::GraphProto& proto_;
  const int64_t opset_;
  const ImportOptions& options_;
  const std::string folder_;
  Graph graph_;
  std::map<std::string, Value> values_;
  std::map<std::string, std::vector<std::string>> lists_;  // sequences of tensors, by their names
  // Inputs and results of nodes that were refused.
  std::set<std::string> unknown_;
  std::set<std::string> wanted_;  // tensors that outputs or nodes need
  std::vector<Error> problems_;
  std::vector<bool> takes_batch_;  // true for inputs whose first extent is the batch
  size_t imported_nodes_ = 0;
};

}  // namespace tputwin::net::onnx_reader
