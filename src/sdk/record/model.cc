// Conversion of launches to nets: constants, inputs and outputs get addresses of their own, and
// commands are changed to them.
#include "sdk/record/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/bits.h"
#include "base/file.h"
#include "bmodel/bm168x/model.h"

namespace tputwin::record {
namespace {

using namespace bmodel::bm168x;

constexpr uint64_t kPage = 4096;
// Weights at its multiples are mapped from the file.
constexpr uint64_t kPart = 64;

ElementType element_type(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return ElementType::f32;
    case DType::f16:
      return ElementType::f16;
    case DType::bf16:
      return ElementType::bf16;
    case DType::i8:
      return ElementType::i8;
    case DType::u16:
      return ElementType::u16;
    case DType::i16:
      return ElementType::i16;
    case DType::u32:
      return ElementType::u32;
    case DType::i32:
      return ElementType::i32;
    default:
      return ElementType::u8;
  }
}

// Returns true if another launch read the block with equal bytes.
bool is_the_same(const std::vector<Recorded>& launches, const Recorded& own, const Block& block) {
  if (!block.written.place.empty()) return false;
  return std::ranges::any_of(launches, [&](const Recorded& other) {
    return &other != &own && std::ranges::any_of(other.blocks, [&](const Block& candidate) {
      return candidate.written.place.empty() && candidate.touched.begin == block.touched.begin &&
             candidate.read.bytes == block.read.bytes;
    });
  });
}

// Weights are blocks that stay equal while another block changes.
bool is_constant(const std::vector<Recorded>& launches, const Recorded& own, const Block& block) {
  return is_the_same(launches, own, block) &&
         std::ranges::any_of(own.blocks, [&](const Block& other) {
           return !other.read.place.empty() && !is_the_same(launches, own, other);
         });
}

// Addresses of the blocks of a launch in the memory that the file is compiled for. Each keeps its
// offset in its page.
struct Placed {
  const Block& block;
  uint64_t address;
  bool is_constant;

  uint64_t at(uint64_t offset) const { return address + (offset - block.touched.begin); }
};

class NetWriter {
 public:
  NetWriter(const std::vector<Recorded>& launches, const Recorded& own,
            std::vector<uint8_t>& binary)
      : launches_(launches), own_(own), binary_(binary) {}

  Result<std::unique_ptr<NetT>> run();

 private:
  uint64_t place(bool constants, uint64_t from);
  std::unique_ptr<CoeffMemT> coefficients(uint64_t begin, uint64_t end);
  std::unique_ptr<TensorT> tensor(std::string name, const Placed& placed, const Contents& contents,
                                  const tputwin::Shape& extents) const;
  void move(Operation& op) const;
  Binary append(std::span<const uint8_t> bytes);

  const std::vector<Recorded>& launches_;
  const Recorded& own_;
  std::vector<uint8_t>& binary_;
  std::vector<Placed> placed_;
};

// Places blocks from an address on; returns their end.
uint64_t NetWriter::place(bool constants, uint64_t from) {
  for (const Block& block : own_.blocks) {
    if (is_constant(launches_, own_, block) != constants) continue;
    const uint64_t address = align_up(from, kPage) + block.touched.begin % kPage;
    placed_.push_back({block, address, constants});
    from = address + block.touched.size();
  }
  return from;
}

// Bytes that the file contains already are not written again.
Binary NetWriter::append(std::span<const uint8_t> bytes) {
  const auto found = std::search(binary_.begin(), binary_.end(), bytes.begin(), bytes.end());
  if (found != binary_.end() && (found - binary_.begin()) % kPart == 0)
    return {static_cast<uint64_t>(found - binary_.begin()), bytes.size()};
  binary_.resize(align_up(binary_.size(), kPart));
  const Binary part(binary_.size(), bytes.size());
  binary_.insert(binary_.end(), bytes.begin(), bytes.end());
  return part;
}

std::unique_ptr<CoeffMemT> NetWriter::coefficients(uint64_t begin, uint64_t end) {
  auto memory = std::make_unique<CoeffMemT>();
  memory->address = begin;
  std::vector<uint8_t> bytes(end - begin);
  for (const Placed& placed : placed_)
    if (placed.is_constant)
      std::ranges::copy(
          placed.block.read.bytes,
          bytes.begin() + static_cast<int64_t>(placed.at(placed.block.read.place.begin) - begin));
  memory->binary_coeff = std::make_unique<Binary>(append(bytes));
  return memory;
}

std::unique_ptr<TensorT> NetWriter::tensor(std::string name, const Placed& placed,
                                           const Contents& contents,
                                           const tputwin::Shape& extents) const {
  auto tensor = std::make_unique<TensorT>();
  const uint64_t bytes = contents.place.size(), size = element_bytes(placed.block.dtype);
  const bool whole = placed.block.dtype != DType::b32 && bytes % size == 0;
  tensor->name = std::move(name);
  tensor->data_type =
      static_cast<uint32_t>(whole ? element_type(placed.block.dtype) : ElementType::u8);
  tensor->device_addr = placed.at(contents.place.begin);
  tensor->size = bytes;
  tensor->mem_type = 1;  // of the TPU
  tensor->shape.push_back(std::make_unique<ShapeT>());
  if (whole && extents.count() * size == bytes)
    tensor->shape[0]->dim = {extents.n, extents.c, extents.h, extents.w};
  else
    tensor->shape[0]->dim = {1, whole ? bytes / size : bytes};
  return tensor;
}

// Moves the operands of a copy of an operation to the addresses of their blocks.
void NetWriter::move(Operation& op) const {
  std::vector<const TensorView*> moved;
  for (const Operand& operand : operands(op)) {
    if (operand.view->space != Space::global || std::ranges::count(moved, operand.view) != 0)
      continue;
    moved.push_back(operand.view);
    auto& address = const_cast<TensorView*>(operand.view)->address;
    const auto placed = std::ranges::find_if(placed_, [&](const Placed& candidate) {
      const Bytes& range = candidate.block.touched;
      return range.begin <= address && address < range.end;
    });
    address = placed->at(address) - own_.chip->global_base;
  }
}

Result<std::unique_ptr<NetT>> NetWriter::run() {
  const Chip& chip = *own_.chip;
  auto stage = std::make_unique<NetParameterT>();
  const uint64_t first = compiled_base(chip);
  const uint64_t weights_end = place(/*constants=*/true, first);
  if (weights_end != first) stage->coeff_mem = coefficients(first, weights_end);
  stage->ctx_addr = align_up(weights_end, kPage);
  stage->ctx_size = place(/*constants=*/false, stage->ctx_addr) - stage->ctx_addr;
  stage->ctx_sizes = {stage->ctx_size};
  for (const Placed& placed : placed_) {
    const Block& block = placed.block;
    if (!block.read.place.empty() && !placed.is_constant)
      stage->input_tensor.push_back(tensor(fmt::format("in{}", stage->input_tensor.size()), placed,
                                           block.read, block.read_shape));
    if (!block.written.place.empty())
      stage->output_tensor.push_back(tensor(fmt::format("out{}", stage->output_tensor.size()),
                                            placed, block.written, block.written_shape));
  }
  std::vector<Instruction> program = own_.program;
  for (Instruction& instruction : program) move(instruction.op);
  TW_ASSIGN_OR_RETURN(streams, isa::encode_streams(program, chip));
  auto group = std::make_unique<CmdGroupT>();
  const auto tiu = std::ranges::count(program, Engine::compute, &Instruction::engine);
  group->bdc_num = static_cast<uint32_t>(tiu) + 1;  // including the end commands
  group->gdma_num = static_cast<uint32_t>(program.size() - tiu) + 1;
  group->binary_bdc = std::make_unique<Binary>(append(streams.tiu));
  group->binary_gdma = std::make_unique<Binary>(append(streams.gdma));
  group->bdc_cmd_byte = static_cast<uint32_t>(streams.tiu.size());
  group->gdma_cmd_byte = static_cast<uint32_t>(streams.gdma.size());
  stage->cmd_group.push_back(std::move(group));
  auto net = std::make_unique<NetT>();
  net->name = own_.name;
  net->parameter.push_back(std::move(stage));
  return net;
}

bool is_directory(const std::string& path) {
  return path.ends_with('/') || std::filesystem::is_directory(path);
}

// Writes the inputs and outputs of nets, in the order of their tensors.
Status write_data(const std::vector<Recorded>& launches, const std::filesystem::path& folder) {
  std::vector<uint8_t> inputs, outputs;
  auto append = [](std::vector<uint8_t>& to, const Contents& contents) {
    to.insert(to.end(), contents.bytes.begin(), contents.bytes.end());
  };
  for (const Recorded& launch : launches)
    for (const Block& block : launch.blocks) {
      if (!is_constant(launches, launch, block)) append(inputs, block.read);
      append(outputs, block.written);
    }
  TW_RETURN_IF_ERROR(write_bytes((folder / "input_ref_data.dat").string(), inputs));
  return write_bytes((folder / "output_ref_data.dat").string(), outputs);
}

}  // namespace

Status write_recording(const std::vector<Recorded>& launches, const std::string& path) {
  ModelT model;
  model.type = "tputwin";
  model.version = "2.2";
  model.time = "recorded";
  model.chip = launches.front().chip->name;
  model.device_num = 1;
  std::vector<uint8_t> binary;
  for (const Recorded& launch : launches) {
    TW_ASSIGN_OR_RETURN(net, NetWriter(launches, launch, binary).run());
    model.neuron_size = std::max(model.neuron_size, net->parameter[0]->ctx_size);
    model.net.push_back(std::move(net));
  }
  TW_RETURN_IF_ERROR(validate(model, binary.size()));
  const std::vector<uint8_t> file = bmodel::bm168x::write(model, binary);
  if (!is_directory(path)) return write_bytes(path, file);
  const std::filesystem::path folder(path);
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  TW_RETURN_IF_ERROR(write_bytes((folder / "compilation.bmodel").string(), file));
  return write_data(launches, folder);
}

}  // namespace tputwin::record
