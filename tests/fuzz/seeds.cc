#include "bmnet/caffe/caffe_net.h"
#include "bmnet/integers/table.h"
#include "bmodel/containers.h"
#include "bmodel/samples.h"
#include "bmodel/samples168x.h"
#include "fuzz/file_mutators.h"
#include "fuzz/message_mutator.h"
#include "fuzz/model_mutators.h"
#include "fuzz/onnx_seeds.h"
#include "fuzz/stream_mutator.h"
#include "fuzz/targets.h"
#include "isa/bm1880_codec.h"
#include "memory/layout.h"
#include "tools/models.h"

namespace tputwin::fuzz {
namespace {

TensorView local(uint64_t address, const Shape& shape, bool aligned = true,
                 DType dtype = DType::i8) {
  return local_tensor(bm1880(), address, shape, aligned, dtype);
}

Window window(uint32_t kernel, uint32_t pad) {
  Axis axis{.kernel = kernel, .pad_before = pad, .pad_after = pad};
  return {axis, axis};
}

// Returns a 16-bit operand whose high plane is `plane` bytes after the low one.
TensorView wide(uint64_t address, const Shape& shape, uint32_t plane, DType dtype = DType::i16) {
  TensorView view = local(address, shape, true, dtype);
  view.plane_stride = plane;
  return view;
}

// Small examples of every operation.
const Shape kImage{1, 8, 6, 6};

std::vector<Operation> moves() {
  const Chip& chip = bm1880();
  return {
      DmaTensor{.dst = local(0x1000, kImage), .src = global_tensor(0x100, kImage)},
      DmaTensor{.dst = global_tensor(0x200, kImage), .src = local(0x1000, kImage)},
      DmaTensor{.dst = local(0x1000, {8, 2, 6, 6}),
                .src = global_tensor(0, {2, 8, 6, 6}),
                .transpose_nc = true},
      DmaTensor{.dst = global_tensor(0x200, kImage), .src = global_tensor(0x900, kImage)},
      DmaMatrix{.dst = local_matrix(chip, 0, 4, 40, DType::i8),
                .src = global_matrix(0x100, 4, 40, 40)},
      DmaLrnShift{.dst = local(0, kImage), .src = local(0x1000, kImage), .step = 2},
      DmaWinogradKernel{.dst = local(0, {1, 8, 8, 16}, false),
                        .src = global_tensor(0, {1, 8, 8, 9})},
  };
}

std::vector<Operation> elements() {
  auto elementwise = [&](Elementwise::Kind kind) {
    return Elementwise{.kind = kind,
                       .out = local(0, kImage),
                       .a = local(0x1000, kImage),
                       .b = local(0x2000, kImage)};
  };
  Elementwise mac = elementwise(Elementwise::Kind::mac);
  mac.out = wide(0, kImage, 0x400);
  mac.lshift = 1;
  Elementwise shift = elementwise(Elementwise::Kind::shift);
  shift.out = wide(0, kImage, 0x400);
  shift.a = wide(0x1000, kImage, 0x400);
  shift.b_is_constant = true;
  shift.constant = -3;
  return {
      elementwise(Elementwise::Kind::mul),
      elementwise(Elementwise::Kind::max),
      elementwise(Elementwise::Kind::bit_xor),
      elementwise(Elementwise::Kind::copy),
      mac,
      shift,
  };
}

std::vector<Operation> windows_and_others() {
  const Chip& chip = bm1880();
  MatrixMac matrix{.res = local_matrix(chip, 0, 4, 40, DType::i8),
                   .left = local_matrix(chip, 0x1000, 4, 20, DType::i8),
                   .right = local_matrix(chip, 0x2000, 20, 40, DType::i8),
                   .rshift = 4};
  return {
      Conv2dBm1880{.out = local(0, kImage),
                   .in = local(0x1000, kImage),
                   .weight = conv_weight(0x2000, {8, 8, 3, 3}, DType::i8),
                   .bias = conv_bias(chip, 0x3000, 8, true),
                   .window = window(3, 1),
                   .relu = true,
                   .rshift = 6},
      Depthwise2dBm1880{.out = local(0, kImage),
                        .in = local(0x1000, kImage),
                        .weight = local(0x2000, {1, 8, 3, 3}),
                        .window = window(3, 1),
                        .rshift = 3},
      Pool2dBm1880{.kind = Pool2dBm1880::Kind::average,
                   .out = local(0, {1, 8, 5, 5}),
                   .in = local(0x1000, kImage),
                   .window = window(2, 0),
                   .multiplier = 64,
                   .rshift = 8},
      Pool2dBm1880{
          .out = local(0, {1, 8, 5, 5}), .in = local(0x1000, kImage), .window = window(2, 0)},
      matrix,
      Mdsum{.out = local(0, {1, 8, 1, 1}, false), .a = local(0x1000, kImage)},
      Lut{.out = local(0, kImage),
          .in = local(0x1000, kImage),
          .table = local(0x2000, {1, 32, 16, 16})},
      CpuCall{.name = "ELU", .params = {1, 2, 3, 4, 5}},
  };
}

std::vector<Operation> operations() {
  std::vector<Operation> all = moves();
  for (const auto& more : {windows_and_others(), elements()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Returns each operation alone, and all of them in sequence.
std::vector<Bytes> cmdbuf_seeds() {
  std::vector<Bytes> seeds;
  tools::models::Program all;
  for (const Operation& op : operations()) {
    seeds.push_back(tools::models::Program().add(op).bytes());
    all.add(op, engine(op) == Engine::dma ? isa::kFlagNeuron : isa::kFlagNone);
  }
  seeds.push_back(all.bytes());
  return seeds;
}

std::vector<Bytes> v011_seeds() {
  bmodel::Model model = bmodel::samples::common(), plain = model;
  plain.libraries.clear();
  plain.varieties.resize(1);
  return {*bmodel::write_v011(model), *bmodel::write_v011(plain),
          *bmodel::write_v011(bmodel::samples::own_weights())};
}

std::vector<Bytes> v21_seeds() {
  bmodel::Model rich = bmodel::samples::rich(), after_message = rich;
  after_message.weights_after_message = true;
  const Bytes inside = *bmodel::write_v21(rich);
  const Bytes bare(inside.begin() + 4, inside.end());  // without the leading magic
  return {inside, *bmodel::write_v21(bmodel::samples::common()), *bmodel::write_v21(after_message),
          bare};
}

std::vector<Bytes> bm168x_seeds() {
  bmodel::bm168x::ModelT one = bmodel::bm168x::samples::model168x();
  one.net.erase(one.net.begin());
  bmodel::bm168x::ModelT named = one;
  auto layers = std::make_unique<bmodel::bm168x::LayersT>();
  layers->name = {"conv", "relu"};
  layers->bdc = {{1, 1}};
  layers->gdma = {{0, 1}};
  named.net[0]->parameter[0]->sub_net[0]->cmd_group[0]->layers = std::move(layers);
  const auto binary = bmodel::bm168x::samples::binary168x();
  return {bmodel::bm168x::samples::file168x(), bmodel::bm168x::write(one, binary),
          bmodel::bm168x::write(named, binary)};
}

bool is_cmdbuf(std::span<const uint8_t> input) { return isa::decode_program(input, bm1880()).ok(); }
bool is_model(std::span<const uint8_t> input) { return bmodel::read(input).ok(); }
bool is_bm168x(std::span<const uint8_t> input) { return bmodel::bm168x::read(input).ok(); }
bool is_prototxt(std::span<const uint8_t> input) {
  return net::read_prototxt({reinterpret_cast<const char*>(input.data()), input.size()}).ok();
}
bool is_caffemodel(std::span<const uint8_t> input) { return net::read_caffemodel(input).ok(); }
bool is_table(std::span<const uint8_t> input) { return net::read_table(input).ok(); }

}  // namespace

std::span<const Target> targets() {
  static constexpr Target kTargets[] = {
      {"fuzz_cmdbuf", fuzz_cmdbuf, cmdbuf_seeds, is_cmdbuf, mutate_cmdbuf},
      {"fuzz_bm1684x_commands", fuzz_bm1684x_commands, bm1684x_command_seeds, is_bm1684x_command,
       mutate_bm1684x_commands},
      {"fuzz_bm1684x_streams", fuzz_bm1684x_streams, bm1684x_stream_seeds, is_bm1684x_streams,
       mutate_bm1684x_streams},
      {"fuzz_bm1684_streams", fuzz_bm1684_streams, bm1684_stream_seeds, is_bm1684_streams,
       mutate_bm1684_streams},
      {"fuzz_bmodel_v011", fuzz_bmodel_v011, v011_seeds, is_model, mutate_bmodel_v011},
      {"fuzz_bmodel_v21", fuzz_bmodel_v21, v21_seeds, is_model, mutate_bmodel_v21},
      {"fuzz_bmodel_168x", fuzz_bmodel_168x, bm168x_seeds, is_bm168x, mutate_bmodel_168x},
      {"fuzz_subnets", fuzz_subnets, subnets_seeds, is_subnets},
      {"fuzz_prototxt", fuzz_prototxt, prototxt_seeds, is_prototxt, mutate_prototxt},
      {"fuzz_caffemodel", fuzz_caffemodel, caffemodel_seeds, is_caffemodel, mutate_caffemodel},
      {"fuzz_table", fuzz_table, table_seeds, is_table, mutate_table},
#ifdef TPUTWIN_ONNX
      {"fuzz_onnx", fuzz_onnx, onnx_seeds, is_onnx, mutate_onnx},
      {"fuzz_compile", fuzz_compile, compile_seeds, is_compiled, nullptr, 50},
      {"fuzz_compile_onnx", fuzz_compile_onnx, compile_onnx_seeds, is_compiled_onnx, mutate_onnx,
       10},
      {"fuzz_compile_caffe", fuzz_compile_caffe, compile_caffe_seeds, is_compiled_caffe,
       mutate_caffemodel, 10},
#endif
      {"fuzz_picture", fuzz_picture, picture_seeds, is_picture, mutate_picture},
      {"fuzz_description", fuzz_description, description_seeds, is_description, mutate_json},
      {"fuzz_arrays", fuzz_arrays, array_seeds, is_array, mutate_arrays},
      {"fuzz_idx", fuzz_idx, idx_seeds, is_idx_file, mutate_idx, 3},
      {"fuzz_recording", fuzz_recording, recording_seeds, is_recording, mutate_recording, 10},
      {"fuzz_timeline", fuzz_timeline, timeline_seeds, is_timeline, mutate_json},
      {"fuzz_checkpoint", fuzz_checkpoint, checkpoint_seeds, is_checkpoint, mutate_checkpoint},
      {"fuzz_board", fuzz_board, board_seeds, is_board, mutate_json, 3},
      {"fuzz_lines", fuzz_lines, line_seeds, are_lines},
  };
  return kTargets;
}

}  // namespace tputwin::fuzz
