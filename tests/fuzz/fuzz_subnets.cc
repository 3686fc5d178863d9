// Graphs of subnets, drawn from bytes. Most are legal; some have invalid indices, types and
// tensors, cycles, and commands that write arbitrary values into their outputs. Reading, checking
// and running a graph must end, stay inside its memories, and give the same result twice.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "bmodel/subnets168x.h"
#include "fuzz/targets.h"
#include "sdk/bmrt/storage.h"
#include "sdk/bmrt/subnet_run.h"

namespace tputwin::fuzz {
namespace {

using namespace bmodel::bm168x;
using samples::SubnetFile;

constexpr uint64_t kNeurons = 0x1'0000'1000, kMemory = 4096;

// Draws choices from bytes; 0 after their end.
class Choices {
 public:
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  uint8_t byte() {
    if (bytes_.empty()) return 0;
    const uint8_t value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }
  size_t below(size_t end) { return byte() % end; }
  bool rarely() { return byte() >= 250; }

 private:
  std::span<const uint8_t> bytes_;
};

constexpr const char* kOperators[] = {"nonzero",
                                      "nonzero order=torch",
                                      "topk k=1",
                                      "topk k=2 axis=0 largest=0",
                                      "argsort",
                                      "argmax axis=0",
                                      "argmax axis=-1 keepdims=0 smallest=1",
                                      "gather",
                                      "gather axis=1",
                                      "gather_elements",
                                      "gathernd",
                                      "fill shape=3,4 open=1",
                                      "pad pads=1,-1,0,2 mode=reflect",
                                      "scatternd reduction=add",
                                      "where",
                                      "masked_select",
                                      "embedding",
                                      "nms",
                                      "onnx_nms max_output_boxes_per_class=3",
                                      "interp height=2 width=3",
                                      "interp height=3 width=1 mode=nearest",
                                      "grid_sampler padding_mode=reflection",
                                      "roi_align output_height=2",
                                      "deformable_gather kernel_h=1 kernel_w=2",
                                      "detection_output num_classes=2",
                                      "prior_box min_size=2 img_h=4 img_w=4",
                                      "proposal scale=1 ratio=1 post_nms_topn=3",
                                      "roi_pooling pooled_h=2 pooled_w=1",
                                      "psroi_pooling group_size=1 output_dim=2",
                                      "region classes=1 coords=2",
                                      "yolo classes=1",
                                      "yolo_detections classes=1 anchors=1,2",
                                      "yolo_box anchors=1,2 class_num=1",
                                      "anchors sizes=4 aspect_ratios=1 stride_h=2 stride_w=2",
                                      "no_such_operator",
                                      "topk k=x"};

class GraphDrawer {
 public:
  explicit GraphDrawer(std::span<const uint8_t> bytes) : choices_(bytes) {}

  SubnetFile draw() {
    file_.stage().ctx_addr = kNeurons;
    file_.stage().ctx_size = kMemory;
    const size_t tensors = 2 + choices_.below(9);
    for (size_t i = 0; i < tensors; ++i) pool_.push_back(tensor(i));
    for (size_t i = choices_.below(4); i-- > 0;) file_.input(any());
    subnets_ = 1 + choices_.below(9);
    for (size_t i = 0; i < subnets_; ++i) add_subnet(i);
    for (size_t i = choices_.below(3); i-- > 0;) file_.output(any());
    return std::move(file_);
  }
  Choices& choices() { return choices_; }

 private:
  TensorT tensor(size_t number) {
    static constexpr ElementType kTypes[] = {ElementType::i32, ElementType::i8,  ElementType::u8,
                                             ElementType::f16, ElementType::u32, ElementType::i4};
    const uint8_t kind = choices_.byte();
    const ElementType type = kind < 160   ? ElementType::f32
                             : kind < 220 ? ElementType::i32
                                          : kTypes[kind % std::size(kTypes)];
    std::vector<uint64_t> dims;
    for (size_t axes = choices_.below(5); axes-- > 0;) dims.push_back(1 + choices_.below(4));
    // some tensors are on the device, where they may overlap
    const uint64_t address = choices_.below(3) == 0 ? 0 : kNeurons + choices_.byte() * 16;
    TensorT made = *samples::tensor168x("t" + std::to_string(number), address, dims, type);
    if (choices_.byte() >= 240 && type == ElementType::i8) made.gmem_stmode = 2;
    return made;
  }
  const TensorT& one() { return pool_[choices_.below(pool_.size())]; }
  std::unique_ptr<TensorT> any() {
    auto made = std::make_unique<TensorT>(one());
    if (choices_.rarely()) made->name = "missing";
    if (choices_.rarely()) made->shape[0]->dim = {2, 3};
    made->size = 0;
    return made;
  }
  SubnetFile::Tensors several(size_t least, size_t most) {
    SubnetFile::Tensors list;
    for (size_t i = least + choices_.below(most - least + 1); i-- > 0;) list.push_back(*any());
    return list;
  }
  // Returns the text; sometimes a letter or digit is replaced.
  std::string text(std::string written) {
    if (choices_.byte() < 32)
      written[choices_.below(written.size())] = "0123456789=, -.x"[choices_.below(16)];
    return written;
  }
  // Returns numbers below `end`, and a few others.
  std::vector<int32_t> numbers(size_t count, size_t end) {
    std::vector<int32_t> list;
    for (size_t i = 0; i < count; ++i)
      list.push_back(choices_.rarely() || end == 0 ? static_cast<int8_t>(choices_.byte())
                                                   : static_cast<int32_t>(choices_.below(end)));
    return list;
  }
  std::vector<int32_t> followers(size_t count) {
    std::vector<int32_t> list = numbers(count, subnets_ + 1);
    for (int32_t& id : list)
      if (id == static_cast<int32_t>(subnets_)) id = -1;
    return list;
  }

  void add_subnet(size_t index) {
    const auto inputs = several(choices_.below(8) == 0 ? 0 : 1, 3);
    const auto outputs = several(choices_.below(8) == 0 ? 0 : 1, 2);
    switch (choices_.below(5)) {
      case 0:
      case 1: {
        const size_t number = choices_.below(std::size(kOperators) + 1);
        if (number == std::size(kOperators))
          file_.cpu(choices_.byte(), "of another", inputs, outputs);
        else
          file_.cpu(text(kOperators[number]), inputs, outputs);
        break;
      }
      case 2: {
        const size_t branches = 1 + choices_.below(3);
        file_.branch(inputs, outputs, numbers(outputs.size(), inputs.size()),
                     numbers(outputs.size(), branches), followers(branches));
        return;
      }
      case 3: {
        std::vector<std::vector<int32_t>> from;
        for (size_t i = 0; i < outputs.size(); ++i)
          from.push_back(numbers(1 + choices_.below(2), inputs.size()));
        file_.merge(inputs, outputs, from);
        break;
      }
      default:
        file_.subnet(SubnetMode::tpu, inputs, outputs);
    }
    SubNetT& made = *file_.stage().sub_net[index];
    if (choices_.below(4) == 0) made.next_subnet_ids = followers(1);
    if (choices_.rarely()) made.next_subnet_ids = followers(2);
    if (choices_.rarely()) made.switch_param.reset();
    if (choices_.rarely()) made.merge_param.reset();
    if (choices_.rarely()) made.cpu_param.clear();
  }

  Choices choices_;
  SubnetFile file_;
  std::vector<TensorT> pool_;
  size_t subnets_ = 0;
};

// Memory instead of a device; its commands write small numbers into a subnet's outputs.
class Memory : public bmrt::SubnetDevice {
 public:
  explicit Memory(const bmrt::SubnetProgram& program) : program_(program), bytes_(kMemory) {}
  uint8_t* place(const TensorT& tensor, bool) override {
    const uint64_t inside = tensor.device_addr - kNeurons;
    const auto& dims = shape(tensor);
    const uint64_t images = dims.empty() ? 1 : dims[0];
    const uint64_t need = bmrt::stored_bytes(images, element_count(tensor) / images,
                                             element_bits(element_type(tensor)),
                                             static_cast<bm_store_mode_t>(tensor.gmem_stmode));
    return inside < kMemory && need <= kMemory - inside ? bytes_.data() + inside : nullptr;
  }
  Status run_commands(size_t node) override {
    ++runs_;
    for (const auto& tensor : program_.graph.nodes[node].subnet->output_tensor)
      if (uint8_t* at = place(*tensor, true); at != nullptr) *at = static_cast<uint8_t>(runs_ % 3);
    return {};
  }

 private:
  const bmrt::SubnetProgram& program_;
  std::vector<uint8_t> bytes_;
  uint64_t runs_ = 0;
};

struct Outcome {
  std::string error;
  std::vector<Bytes> outputs;
  bool operator==(const Outcome&) const = default;
};

uint64_t stored(const TensorT& tensor) {
  const auto& dims = shape(tensor);
  const uint64_t images = dims.empty() ? 1 : dims[0];
  return bmrt::stored_bytes(images, element_count(tensor) / images,
                            element_bits(element_type(tensor)), BM_STORE_1N);
}

Outcome run(const bmrt::SubnetProgram& program, const NetParameterT& stage,
            std::span<const uint8_t> data) {
  std::vector<Bytes> inputs, outputs;
  std::vector<bmrt::UserTensor> from, to;
  for (const auto& tensor : stage.input_tensor) {
    inputs.emplace_back(stored(*tensor));
    for (size_t i = 0; i < std::min(data.size(), inputs.back().size()); ++i)
      inputs.back()[i] = data[i];
  }
  for (const auto& tensor : stage.output_tensor) outputs.emplace_back(stored(*tensor));
  for (Bytes& bytes : inputs) from.push_back({bytes.data()});
  for (Bytes& bytes : outputs) to.push_back({bytes.data()});
  Memory memory(program);
  auto shapes = bmrt::run_subnets(program, memory, from, to);
  return {shapes.ok() ? "" : shapes.status().message(), std::move(outputs)};
}

struct Drawn {
  SubnetFile model;
  Bytes data;  // of the inputs
};
Drawn draw(std::span<const uint8_t> input) {
  GraphDrawer drawer(input);
  Drawn drawn{drawer.draw(), {}};
  for (int i = 0; i < 16; ++i) drawn.data.push_back(drawer.choices().byte());
  return drawn;
}

bool ends_well(std::span<const uint8_t> input) {
  const Drawn drawn = draw(input);
  const File file{drawn.model.model, drawn.model.binary};
  const NetParameterT& stage = *file.model.net[0]->parameter[0];
  if (is_tpu_chain(stage) || !validate(file.model, file.binary.size()).ok()) return false;
  const auto program = bmrt::SubnetProgram::make(file, stage);
  return program.ok() && run(*program, stage, drawn.data).error.empty();
}

}  // namespace

bool is_subnets(std::span<const uint8_t> input) {
  setenv("TPUTWIN_SUBNET_STEPS", "200", 1);
  return ends_well(input);
}

std::string fuzz_subnets(std::span<const uint8_t> input) {
  setenv("TPUTWIN_SUBNET_STEPS", "200", 1);
  const Drawn drawn = draw(input);
  const Bytes bytes = drawn.model.bytes();
  const auto file = read(bytes);
  if (!file.ok()) return "";
  const NetParameterT& stage = *file->model.net[0]->parameter[0];
  if (is_tpu_chain(stage)) return "";
  const auto program = bmrt::SubnetProgram::make(*file, stage);
  if (!program.ok()) return "";
  if (run(*program, stage, drawn.data) != run(*program, stage, drawn.data))
    return "two runs differ";
  return "";
}

// Returns random bytes that give graphs whose runs end successfully.
std::vector<Bytes> subnets_seeds() {
  constexpr size_t kSeeds = 24, kBytes = 160;
  std::vector<Bytes> seeds;
  for (unsigned number = 0; seeds.size() < kSeeds; ++number) {
    std::mt19937 random(number);
    Bytes bytes(kBytes);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    if (is_subnets(bytes)) seeds.push_back(std::move(bytes));
  }
  return seeds;
}

}  // namespace tputwin::fuzz
