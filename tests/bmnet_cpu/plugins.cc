// The shipped plugins, run by the runtime from command buffers.
#include <bmkernel/bm1880/bmkernel_1880.h>
#include <bmkernel/bm_regcpu.h>
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmkernel.h>
#include <tputwin/cpu_op.h>
#include <tputwin/error.h>

#include <bmnet/proto/TensorOps.hpp>
#include <cstring>
#include <filesystem>

#include "bmnet_cpu/call.h"
#include "isa/bm1880_codec.h"
#include "isa/dmabuf.h"

namespace tputwin::test {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes bytes_of(const Floats& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
Floats floats_of(const Bytes& bytes) {
  Floats values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

void add(google::protobuf::RepeatedPtrField<bmnet::TensorShape>* shapes, const Shape& extents,
         int element_bytes) {
  auto* shape = shapes->Add();
  for (int64_t extent : extents) shape->add_dim(extent);
  shape->set_data_type_size(element_bytes);
}

Bytes commands_of(const std::string& plugin, const bmnet::TensorOp& op) {
  Bytes memory(1 << 20);
  bmk1880_info_t info{};
  info.chip_version = 1880;
  info.cmdbuf = memory.data();
  info.cmdbuf_size = static_cast<u32>(memory.size());
  bmk1880_context_t* context = bmk1880_register(&info);
  const std::string payload = op.SerializeAsString();
  tputwin_cpu_op(context, plugin.c_str(), payload.data(), payload.size());
  u32 size = 0;
  const u8* commands = bmk1880_acquire_cmdbuf(context, &size);
  Bytes result(commands, commands + size);
  bmk1880_cleanup(context);
  return result;
}

// A chip and a block of its memory: the operator's input, followed by its output.
class Chip {
 public:
  Chip() {
    setenv("TPUTWIN_PLUGIN_PATH", TPUTWIN_BIN_DIR "/../plugins", 1);
    EXPECT_EQ(bm_init(0, &ctx_), BM_SUCCESS);
    tputwin_clear_errors();
  }
  ~Chip() {
    bm_exit(ctx_);
    unsetenv("TPUTWIN_PLUGIN_PATH");
  }
  Chip(const Chip&) = delete;

  // Runs an op with one input and one output; returns the bytes that it writes.
  Bytes run(bmnet::TensorOp op, Bytes input) {
    op.set_type(op.name());
    const size_t written = bmnet::GetTensorSize(op.output_shape(0)), read = input.size();
    bmmem_device_t memory = bmmem_device_alloc_raw(ctx_, read + written);
    const u64 address = bmmem_device_addr(ctx_, memory);
    input.resize(read + written);
    bm_memcpy_s2d(ctx_, memory, input.data());
    op.add_global_input(address);
    op.add_global_output(address + read);
    Bytes commands = commands_of(op.name(), op);
    uint16_t sequence = 0;
    status_ = bm_send_cmdbuf(ctx_, commands.data(), commands.size(), &sequence);
    bm_memcpy_d2s(ctx_, input.data(), memory);
    bmmem_device_free(ctx_, memory);
    return {input.begin() + static_cast<ptrdiff_t>(read), input.end()};
  }
  bmerr_t status() const { return status_; }
  // Stores the bytes; returns their address.
  u64 store(Bytes bytes) {
    bmmem_device_t memory = bmmem_device_alloc_raw(ctx_, bytes.size());
    bm_memcpy_s2d(ctx_, memory, bytes.data());
    return bmmem_device_addr(ctx_, memory);
  }

 private:
  bmctx_t ctx_ = nullptr;
  bmerr_t status_ = BM_SUCCESS;
};

// Softmax over two int8 values.
bmnet::TensorOp softmax() {
  bmnet::TensorOp op;
  op.set_name("Softmax");
  op.mutable_tg_softmax_param()->set_axis(1);
  add(op.mutable_input_shape(), {1, 2}, 1);
  add(op.mutable_output_shape(), {1, 2}, 1);
  op.add_threshold_x(2);
  op.add_threshold_y(1);
  return op;
}

TEST(Plugins, SoftmaxOfBytes) {
  Chip chip;
  const Bytes out = chip.run(softmax(), {64, 0xc0});  // 1 and -1
  EXPECT_EQ(chip.status(), BM_SUCCESS) << tputwin_last_error();
  EXPECT_EQ(out, (Bytes{113, 15}));
}

TEST(Plugins, AnOpOfSomeKibibytes) {
  Chip chip;
  bmnet::TensorOp op = softmax();
  op.set_calib_id(std::string(5000, 'x'));
  EXPECT_EQ(chip.run(op, {64, 0xc0}), (Bytes{113, 15})) << tputwin_last_error();
}

TEST(Plugins, FloatOutputs) {
  Chip chip;
  bmnet::TensorOp op;
  op.set_name("Dequantized");
  add(op.mutable_input_shape(), {4}, 1);
  add(op.mutable_output_shape(), {4}, 4);
  op.add_threshold_x(64);
  expect_near(floats_of(chip.run(op, {2, 4, 0xfe, 0x80})), {1, 2, -1, -64});
}

TEST(Plugins, CoefficientsAreInputsToo) {
  Chip chip;
  bmnet::TensorOp op;
  op.set_name("Normalize");
  op.mutable_tg_norm_param()->set_channel_shared(false);
  add(op.mutable_input_shape(), {1, 2, 1, 1}, 4);
  add(op.mutable_output_shape(), {1, 2, 1, 1}, 4);
  add(op.mutable_coeff_shape(), {2}, 4);
  const u64 weight = chip.store(bytes_of({10, 20}));
  op.add_global_coeff(weight);
  expect_near(floats_of(chip.run(op, bytes_of({3, 4}))), {6, 16});
}

TEST(Plugins, AnOperandWithoutAPlaceIsRefused) {
  Chip chip;
  bmnet::TensorOp op = softmax();
  add(op.mutable_input_shape(), {2}, 4);
  (void)chip.run(op, {64, 0xc0});
  EXPECT_NE(chip.status(), BM_SUCCESS);
  EXPECT_NE(std::string(tputwin_last_error()).find("TW-NET-0502"), std::string::npos);
}

TEST(Plugins, EveryOneIsThere) {
  const std::filesystem::path folder = TPUTWIN_BIN_DIR "/../plugins";
  size_t found = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    found += file.path().extension() == ".so";
  constexpr const char* kPlugins[] = {
#define TW_OP_HOST(name, plugin, ...) #plugin,
#define TW_PLUGIN(name, plugin, ...) #plugin,
#include "bmnet/ir/ops.def"
  };
  EXPECT_EQ(found, std::size(kPlugins));
  constexpr const char* kTypes[] = {
#define TW_OP_HOST(name, ...) "tg_" #name,
#include "bmnet/ir/ops.def"
  };
  for (const char* type : kTypes) {
    Chip chip;
    bmnet::TensorOp op;
    op.set_name(std::string(net::cpu_plugin_name(type)));
    add(op.mutable_input_shape(), {1}, 4);
    add(op.mutable_output_shape(), {1}, 2);  // no operator writes two bytes
    (void)chip.run(op, bytes_of({1}));
    EXPECT_NE(std::string(tputwin_last_error()).find("TW-NET-0501"), std::string::npos)
        << type << ": " << tputwin_last_error();
  }
}

TEST(Plugins, LongRecordsInTheDeviceForm) {
  bmnet::TensorOp op = softmax();
  op.set_type("Softmax");
  op.set_calib_id(std::string(3000, 'x'));
  Bytes commands = commands_of("Softmax", op), first = commands_of("Softmax", softmax());
  commands.insert(commands.begin(), first.begin(), first.end());
  commands.insert(commands.end(), first.begin(), first.end());
  auto decoded = isa::decode_program(commands, bm1880());
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  ASSERT_EQ(decoded->size(), 3U);
  const auto& params = std::get<::tputwin::CpuCall>((*decoded)[1].op).params;
  EXPECT_EQ(std::string(params.begin(), params.end()), op.SerializeAsString());
  Bytes image(*isa::dmabuf_size(commands));
  ASSERT_TRUE(isa::dmabuf_convert(commands, image).ok());
  ASSERT_TRUE(isa::dmabuf_relocate(image, 0x1000).ok());
  const auto text = isa::dmabuf_dump(image, bm1880());
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("segment 2"), std::string::npos);
  EXPECT_EQ(text->find("TW-ISA"), std::string::npos) << *text;
  EXPECT_NE(std::search(image.begin(), image.end(), params.begin(), params.end()), image.end());
}

TEST(Plugins, ShortParametersGiveTheDocumentedRecord) {
  Bytes memory(1 << 16), other(1 << 16);
  char params[CPU_OP_PARAM_BYTES];
  std::memset(params, 7, sizeof(params));
  auto record = [&](auto emit, Bytes& into) {
    bmk1880_info_t info{};
    info.chip_version = 1880;
    info.cmdbuf = into.data();
    info.cmdbuf_size = static_cast<u32>(into.size());
    bmk1880_context_t* context = bmk1880_register(&info);
    emit(context);
    u32 size = 0;
    const u8* commands = bmk1880_acquire_cmdbuf(context, &size);
    Bytes result(commands, commands + size);
    bmk1880_cleanup(context);
    return result;
  };
  EXPECT_EQ(record([&](auto* c) { bmk1880_cpu_op(c, "Any", params, sizeof(params)); }, memory),
            record([&](auto* c) { tputwin_cpu_op(c, "Any", params, sizeof(params)); }, other));
}

}  // namespace
}  // namespace tputwin::test
