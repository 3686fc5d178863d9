// Nets of the BM1684 and BM1684X: stages, scales, and shapes that only a run determines.
#include <fmt/format.h>

#include <algorithm>

#include "tools/bm168x/run168x.h"
#include "tools/bm168x/session168x.h"
#include "tools/bm168x/tensor_values.h"
#include "tools/net.h"
#include "tools/run.h"

namespace tputwin::tools {
namespace {

namespace bm168x = bmodel::bm168x;

enum class Side : uint8_t { input, output };

NetTensor described(const bm168x::TensorT& tensor, Side side) {
  const bm168x::ElementType type = bm168x::element_type(tensor);
  const auto shape = bm168x::shape(tensor);
  const bool is_float = type == bm168x::ElementType::f32 || type == bm168x::ElementType::f16 ||
                        type == bm168x::ElementType::bf16;
  const double scale = tensor.scale;
  return {.name = tensor.name,
          .type = std::string(bm168x::to_string(type)),
          .shape = {shape.begin(), shape.end()},
          // The scale is a factor of inputs, and the step of outputs.
          .step = is_float || scale == 0 ? 0
                  : side == Side::input  ? 1 / scale
                                         : scale,
          .zero_point = tensor.zero_point};
}

class Net168x final : public Net {
 public:
  Net168x(std::shared_ptr<const bmodel::OpenFile> file, ChosenStage stage)
      : file_(std::move(file)), stage_(stage) {}

  Status open(const NetChoice& choice) {
    name_ = stage_.net->name;
    number_ = stage_.index;
    chip_ = bm168x::chip_of(file_->bm168x()->model);
    for (const auto& tensor : stage_.stage->input_tensor)
      inputs_.push_back(described(*tensor, Side::input));
    for (const auto& tensor : stage_.stage->output_tensor)
      outputs_.push_back(described(*tensor, Side::output));
    TW_ASSIGN_OR_RETURN(card, bmlib::Card::create(*chip_));
    TW_ASSIGN_OR_RETURN(session, Session168x::open(*file_, std::move(card), choice.host_libraries));
    session_ = std::move(session);
    if (choice.reference) session_->runtime().card().set_kernel_choice(KernelChoice::reference);
    return {};
  }

  Result<std::vector<Array>> run(std::span<const Array> inputs, bool as_float) override {
    TW_RETURN_IF_ERROR(check_inputs(inputs));
    Session168x::Buffers in;
    for (size_t i = 0; i < inputs.size(); ++i) {
      TW_ASSIGN_OR_RETURN(bytes, tensor_of(inputs[i], *stage_.stage->input_tensor[i]));
      in.push_back(std::move(bytes));
    }
    std::vector<bm_shape_t> shapes;
    TW_ASSIGN_OR_RETURN(out, session_->infer(name_, stage_.index, in, &shapes));
    std::vector<Array> arrays;
    for (size_t i = 0; i < out.size(); ++i) {
      bm168x::TensorT tensor(*stage_.stage->output_tensor[i]);
      tensor.shape[0]->dim.assign(shapes[i].dims, shapes[i].dims + shapes[i].num_dims);
      out[i].resize(bm168x::tensor_bytes(tensor));
      arrays.push_back(array_of(out[i], tensor, as_float));
    }
    return arrays;
  }

  Result<std::vector<Instruction>> program() override {
    return session_->program(name_, stage_.index);
  }
  Status watch(Observer* observer) override {
    session_->watch(observer);
    return {};
  }
  const Device& device() const override { return session_->runtime().card().device(); }

 private:
  const std::shared_ptr<const bmodel::OpenFile> file_;
  const ChosenStage stage_;
  std::unique_ptr<Session168x> session_;
};

}  // namespace

Result<std::unique_ptr<Net>> open_net168x(std::shared_ptr<const bmodel::OpenFile> file,
                                          const NetChoice& choice) {
  TW_RETURN_IF_ERROR(
      refuse_options({{"plugin", !choice.plugin_directory.empty()}}, "BM1684 or BM1684X"));
  const InputFiles none;
  TW_ASSIGN_OR_RETURN(
      stage, choose_stage(*file->bm168x(),
                          {.net = choice.net, .stage = choice.stage, .shapes = choice.shapes},
                          choice.first_stage ? &none : nullptr));
  auto net = std::make_unique<Net168x>(std::move(file), stage);
  TW_RETURN_IF_ERROR(net->open(choice));
  return std::unique_ptr<Net>(std::move(net));
}

}  // namespace tputwin::tools
