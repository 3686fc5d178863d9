// Runs of the float net and of the model for an evaluation.
#include "tools/accuracy/sides.h"

#include <cstring>
#include <functional>
#include <map>
#include <numeric>

#include "base/errors/bmnet.h"
#include "tools/bm168x/tensor_values.h"

namespace tputwin::tools {

Status FloatSide::open(const net::Network& network, const std::string& output) {
  if (network.inputs().empty() || network.outputs().empty())
    return Error(errors::net_no_input).in(network.name);
  inputs_ = network.inputs();
  for (const std::string& input : inputs_) {
    shapes_.push_back(net::dims(*network.shape_of(input)));
    names_.push_back(network.blob_name(input));
  }
  output_ = network.outputs().front();
  for (const std::string& name : network.outputs())
    if (network.blob_name(name) == output) output_ = name, has_output_ = true;
  auto executor = net::FloatExecutor::create(network);
  if (!executor.ok()) return executor.error();
  executor_ = std::move(*executor);
  return {};
}

std::vector<size_t> FloatSide::values() const {
  std::vector<size_t> counts;
  for (const auto& shape : shapes_)
    counts.push_back(static_cast<size_t>(
        std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>())));
  return counts;
}

Result<EvalScores> FloatSide::run(const EvalSamples& samples) {
  std::map<std::string, net::Blob> inputs;
  for (size_t i = 0; i < inputs_.size(); ++i) inputs[inputs_[i]] = {shapes_[i], samples[i]};
  auto outputs = executor_->run(inputs);
  if (!outputs.ok()) return outputs.error();
  const auto& scores = outputs->at(output_).data;
  return EvalScores(scores.begin(), scores.end());
}

Status ModelSide::open(std::shared_ptr<const bmodel::OpenFile> file, const EvalOptions& options) {
  NetChoice choice{.net = options.net,
                   .stage = options.stage,
                   .shapes = {},
                   .plugin_directory = options.plugin_directory,
                   .first_stage = true};
  if (const bmodel::Model* model = file->bm1880())
    for (const bmodel::Input& input : model->varieties.front().inputs)
      choice.shapes.push_back(input.shape);
  TW_ASSIGN_OR_RETURN(net, open_net(std::move(file), choice));
  net_ = std::move(net);
  if (net_->inputs().empty() || net_->outputs().empty())
    return Error(errors::net_no_input).in(net_->name());
  for (size_t i = 0; i < net_->outputs().size(); ++i)
    if (net_->outputs()[i].name == options.output) output_ = i, has_output_ = true;
  return {};
}

size_t ModelSide::batch() const {
  std::vector<std::vector<uint64_t>> shapes;
  for (const NetTensor& input : inputs()) shapes.push_back(input.shape);
  return batch_of(shapes);
}

Result<EvalScores> ModelSide::run(const EvalSamples& samples) {
  std::vector<Array> arrays;
  for (size_t i = 0; i < samples.size(); ++i) {
    Array& array = arrays.emplace_back(Array{.shape = inputs()[i].shape});
    array.bytes.resize(samples[i].size() * sizeof(float));
    std::memcpy(array.bytes.data(), samples[i].data(), array.bytes.size());
  }
  TW_ASSIGN_OR_RETURN(outputs, net_->run(arrays, /*as_float=*/false));
  const Array& scores = outputs[output_];
  EvalScores values(scores.count());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = number_at(scores.bytes, scores.kind, scores.element_bytes, i);
  return values;
}

}  // namespace tputwin::tools
