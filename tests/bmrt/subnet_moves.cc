// Locations of tensors of subnets, and when they are copied: runs on memory that replaces a device.
#include <cstring>

#include "bmodel/subnets168x.h"
#include "bmrt/support.h"
#include "sdk/bmrt/storage.h"
#include "sdk/bmrt/subnet_run.h"

namespace tputwin::testing {
namespace {

using namespace bmodel::bm168x;
using samples::SubnetFile;

constexpr uint64_t kBase = 0x1'0000'1000;

TensorT tensor(std::string name, uint64_t offset, std::vector<uint64_t> dims,
               ElementType type = ElementType::f32) {
  return *samples::tensor168x(std::move(name), kBase + offset, std::move(dims), type);
}
std::unique_ptr<TensorT> owned(const TensorT& tensor) { return std::make_unique<TensorT>(tensor); }

// A device on host memory; each subnet of the TPU calls `commands`.
class FakeDevice : public bmrt::SubnetDevice {
 public:
  explicit FakeDevice(std::function<void(uint8_t*)> commands) : commands_(std::move(commands)) {}
  uint8_t* place(const TensorT& tensor, bool) override {
    const uint64_t offset = tensor.device_addr - kBase;
    return offset < memory.size() ? memory.data() + offset : nullptr;
  }
  Status run_commands(size_t) override {
    commands_(memory.data());
    return {};
  }
  void before_read(const uint8_t* bytes, uint64_t count, bool) override {
    note(bytes, count, read);
  }
  void before_write(const uint8_t* bytes, uint64_t count) override { note(bytes, count, written); }

  std::vector<uint8_t> memory = std::vector<uint8_t>(4096, 0xee);
  // Offsets in the memory and bytes of what the host read and wrote.
  using Bytes = std::vector<std::pair<uint64_t, uint64_t>>;
  Bytes read, written;

 private:
  void note(const uint8_t* bytes, uint64_t count, Bytes& list) {
    const uint64_t at =
        reinterpret_cast<uintptr_t>(bytes) - reinterpret_cast<uintptr_t>(memory.data());
    if (at < memory.size()) list.emplace_back(at, count);
  }

  std::function<void(uint8_t*)> commands_;
};

struct Ran {
  Status status;
  std::vector<bm_shape_t> shapes;
};
Ran run(const SubnetFile& model, FakeDevice& device, std::vector<bmrt::UserTensor> inputs,
        std::vector<bmrt::UserTensor> outputs) {
  const File file{model.model, model.binary};
  auto program = bmrt::SubnetProgram::make(file, *file.model.net[0]->parameter[0]);
  if (!program.ok()) return {program.status(), {}};
  auto shapes = bmrt::run_subnets(*program, device, inputs, outputs);
  if (!shapes.ok()) return {shapes.status(), {}};
  return {Status(), *shapes};
}

template <class T>
bmrt::UserTensor user(std::vector<T>& values, bm_store_mode_t storage = BM_STORE_1N) {
  return {reinterpret_cast<uint8_t*>(values.data()), storage};
}
float float_at(const FakeDevice& device, size_t offset) {
  float value;
  std::memcpy(&value, device.memory.data() + offset, sizeof value);
  return value;
}

// Checks see what the host reads and writes: it does not read memory that it only writes.
TEST(SubnetMoves, AreAnnounced) {
  SubnetFile file;
  file.input(owned(tensor("x", 0, {4})));
  file.subnet(SubnetMode::tpu, {tensor("x", 0, {4})}, {tensor("y", 64, {4})});
  file.cpu("unary op=abs", {tensor("y", 64, {4})}, {tensor("z", 128, {4})});
  file.subnet(SubnetMode::tpu, {tensor("z", 128, {4})}, {tensor("w", 192, {4})});
  file.output(owned(tensor("z", 128, {4})));
  file.output(owned(tensor("w", 192, {4})));
  FakeDevice device([](uint8_t* memory) { std::memset(memory + 64, 0, 16); });
  std::vector<float> x{1, 2, 3, 4}, z(4), w(4);
  const Ran ran = run(file, device, {user(x)}, {user(z), user(w)});
  ASSERT_TRUE(ran.status.ok()) << ran.status.message();
  EXPECT_EQ(device.written, (FakeDevice::Bytes{{0, 16}, {128, 16}}));
  EXPECT_EQ(device.read, (FakeDevice::Bytes{{64, 16}, {192, 16}}));
}

// Outputs in memory of the device are written with an announcement before.
TEST(SubnetMoves, OutputsAreAnnouncedToo) {
  SubnetFile file;
  file.input(owned(tensor("x", 0, {4})));
  file.cpu("unary op=abs", {tensor("x", 0, {4})}, {tensor("y", 64, {4})});
  file.output(owned(tensor("y", 64, {4})));
  FakeDevice device([](uint8_t*) {});
  uint8_t* const memory = device.memory.data();
  const Ran ran = run(file, device, {{memory + 256}}, {{memory + 512}});
  ASSERT_TRUE(ran.status.ok()) << ran.status.message();
  EXPECT_EQ(device.read, (FakeDevice::Bytes{{256, 16}}));
  EXPECT_EQ(device.written, (FakeDevice::Bytes{{512, 16}}));
}

// Tensors that only the host reads are not copied to the device, even if the file gives an address.
TEST(SubnetMoves, ToTheDeviceOnlyForCommands) {
  for (bool with_tpu : {false, true}) {
    SubnetFile file;
    file.input(owned(tensor("x", 0, {4})));
    file.cpu("argsort", {tensor("x", 0, {4})}, {tensor("order", 64, {4})});
    file.cpu("gather", {tensor("x", 0, {4}), tensor("order", 64, {4})},
             {tensor("sorted", 128, {4})});
    if (with_tpu) file.subnet(SubnetMode::tpu, {tensor("order", 64, {4})}, {});
    file.output(owned(tensor("sorted", 128, {4})));
    FakeDevice device([](uint8_t*) {});
    const auto before = device.memory;
    std::vector<float> x{3, 1, 2, 0}, sorted(4);
    const Ran ran = run(file, device, {user(x)}, {user(sorted)});
    ASSERT_TRUE(ran.status.ok()) << ran.status.message();
    EXPECT_EQ(sorted, (std::vector<float>{0, 1, 2, 3}));
    if (with_tpu)
      EXPECT_EQ(float_at(device, 64), 3);
    else
      EXPECT_EQ(device.memory, before);
  }
}

// The TPU's tensors are at their addresses; a reader with another address gets a copy.
TEST(SubnetMoves, BetweenAddresses) {
  SubnetFile file;
  file.input(owned(tensor("x", 0, {1})));
  file.subnet(SubnetMode::tpu, {tensor("x", 0, {1})}, {tensor("y", 64, {1})});
  file.subnet(SubnetMode::tpu, {tensor("y", 256, {1})}, {tensor("z", 0, {1})});
  file.output(owned(tensor("z", 0, {1})));
  FakeDevice device([](uint8_t* memory) {  // y = x + 1 and z = y at its second address * 10
    float x, y, z;
    std::memcpy(&x, memory, 4);
    std::memcpy(&z, memory + 256, 4);
    y = x + 1;
    z *= 10;
    std::memcpy(memory + 64, &y, 4);
    std::memcpy(memory, &z, 4);
  });
  std::vector<float> x{4}, z(1);
  // the first run of the commands computes z from uninitialized memory; the second has y
  ASSERT_TRUE(run(file, device, {user(x)}, {user(z)}).status.ok());
  EXPECT_EQ(z[0], 50);
}

// Images in groups of four reach the user and the host's branches in the storage that these expect.
TEST(SubnetMoves, Storages) {
  constexpr uint64_t kImages = 5, kElements = 3;
  TensorT grouped = tensor("y", 64, {kImages, kElements}, ElementType::i8);
  grouped.gmem_stmode = 2;
  TensorT plain = tensor("z", 256, {kImages, kElements}, ElementType::i8);
  const TensorT which = tensor("which", 512, {1}, ElementType::i32);
  SubnetFile file;
  file.input(owned(which));
  file.subnet(SubnetMode::tpu, {}, {grouped});
  file.branch({grouped, which}, {plain}, {0}, {0}, {-1});
  file.output(owned(plain));
  std::vector<uint8_t> values(kImages * kElements);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint8_t>(i + 1);
  FakeDevice device([&](uint8_t* memory) {
    bmrt::copy_stored(memory + 64, BM_STORE_4N, values.data(), BM_STORE_1N, kImages, kElements, 8);
  });
  std::vector<int32_t> zero{0};
  for (bm_store_mode_t storage : {BM_STORE_1N, BM_STORE_4N}) {
    std::vector<uint8_t> z(bmrt::stored_bytes(kImages, kElements, 8, storage)), back(values.size());
    ASSERT_TRUE(run(file, device, {user(zero)}, {user(z, storage)}).status.ok());
    bmrt::copy_stored(back.data(), BM_STORE_1N, z.data(), storage, kImages, kElements, 8);
    EXPECT_EQ(back, values);
    EXPECT_TRUE(std::equal(values.begin(), values.end(), device.memory.begin() + 256));
  }
}

// Rows of zeros are added around the user's rows, and removed again.
TEST(SubnetMoves, PaddedRows) {
  constexpr uint64_t kImages = 3, kChannels = 2, kHeight = 2, kWidth = 3, kAbove = 2, kBelow = 1,
                     kAll = kAbove + kHeight + kBelow;
  constexpr uint64_t kElements = kChannels * kHeight * kWidth;
  std::vector<uint8_t> plain(kImages * kElements);
  for (size_t i = 0; i < plain.size(); ++i) plain[i] = static_cast<uint8_t>(i + 1);
  TensorT tensor =
      ::tputwin::testing::tensor("x", 0, {kImages, kChannels, kHeight, kWidth}, ElementType::i8);
  tensor.pad_h = kAbove << 16 | kBelow;
  for (int32_t mode : {0, 2}) {
    tensor.gmem_stmode = mode;
    const bmrt::Stored as = bmrt::stored_as(tensor);
    std::vector<uint8_t> stored(bmrt::stored_bytes(tensor), 0xee), back(plain.size());
    EXPECT_EQ(stored.size(), (mode == 0 ? kImages : 4) * kChannels * kAll * kWidth);
    bmrt::copy_stored(stored.data(), as, plain.data(), BM_STORE_1N, kImages, kElements, 8);
    for (uint64_t n = 0; n < kImages; ++n)
      for (uint64_t c = 0; c < kChannels; ++c)
        for (uint64_t y = 0; y < kAll; ++y)
          for (uint64_t x = 0; x < kWidth; ++x) {
            const uint64_t element = (c * kAll + y) * kWidth + x;
            const bool inside = kAbove <= y && y < kAbove + kHeight;
            EXPECT_EQ(
                stored[mode == 0 ? n * kChannels * kAll * kWidth + element : element * 4 + n],
                inside ? plain[((n * kChannels + c) * kHeight + y - kAbove) * kWidth + x] : 0);
          }
    bmrt::copy_stored(back.data(), BM_STORE_1N, stored.data(), as, kImages, kElements, 8);
    EXPECT_EQ(back, plain);
  }
}

// The memory of a packed tensor is filled with other extents, and read again with those.
TEST(SubnetMoves, OtherExtentsThanCompiled) {
  const TensorT given = tensor("x", 0, {6, 2}, ElementType::i8),
                which = tensor("which", 512, {1}, ElementType::i32);
  TensorT cells = tensor("y", 64, {4, 3}, ElementType::i8);
  cells.gmem_stmode = 2;
  SubnetFile file;
  file.input(owned(given));
  file.input(owned(which));
  file.branch({given, which}, {cells}, {0}, {0}, {1});
  file.subnet(SubnetMode::tpu, {cells}, {});
  file.output(owned(cells));
  std::vector<uint8_t> x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, y(12);
  std::vector<int32_t> zero{0};
  FakeDevice device([](uint8_t*) {});
  const Ran ran = run(file, device, {user(x), user(zero)}, {user(y)});
  ASSERT_TRUE(ran.status.ok()) << ran.status.message();
  EXPECT_EQ(y, x);
  EXPECT_EQ(ran.shapes[0].dims[0], 6);
  // Commands see the compiled extents: four images of three elements.
  for (size_t image = 0; image < 4; ++image)
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(device.memory[64 + 4 * i + image], x[3 * image + i]);
  // six images need more memory than four, as cells hold four
  std::vector<uint8_t> grouped(16);
  const Ran refused = run(file, device, {user(x), user(zero)}, {user(grouped, BM_STORE_4N)});
  ASSERT_FALSE(refused.status.ok());
  EXPECT_EQ(refused.status.error().code(), "TW-BRT-0222");
}

// An output of a merge keeps its value when the TPU overwrites the input of the merge.
TEST(SubnetMoves, MergedValuesStay) {
  const TensorT start = tensor("start", 0, {1}), next = tensor("next", 64, {1}),
                before = tensor("before", 128, {1});
  SubnetFile file;
  file.input(owned(start));
  file.subnet(SubnetMode::tpu, {start}, {next});
  file.merge({start, next}, {before}, {{0, 1}});
  file.subnet(SubnetMode::tpu, {start}, {next});
  file.output(owned(before));
  file.output(owned(next));
  float count = 0;
  FakeDevice device([&](uint8_t* memory) {
    ++count;
    std::memcpy(memory + 64, &count, 4);
  });
  std::vector<float> x{9}, kept(1), last(1);
  ASSERT_TRUE(run(file, device, {user(x)}, {user(kept), user(last)}).status.ok());
  EXPECT_EQ(kept[0], 1);
  EXPECT_EQ(last[0], 2);
}

// The user's input does not change when commands write to its copy on the device.
TEST(SubnetMoves, InputsStay) {
  SubnetFile file;
  const TensorT x = tensor("x", 0, {3});
  file.input(owned(x));
  file.subnet(SubnetMode::tpu, {x}, {});
  file.cpu("argsort descending=1", {x}, {tensor("order", 64, {3})});
  file.subnet(SubnetMode::tpu, {tensor("order", 64, {3})}, {});
  file.output(owned(tensor("order", 64, {3})));
  file.output(owned(x));
  FakeDevice device([](uint8_t* memory) { std::memset(memory, 0, 128); });
  std::vector<float> values{1, 3, 2}, order(3), back(3);
  ASSERT_TRUE(run(file, device, {user(values)}, {user(order), user(back)}).status.ok());
  EXPECT_EQ(order, (std::vector<float>{1, 2, 0}));
  EXPECT_EQ(back, values);
}

// A tensor for the TPU outside of device memory is an error, not a write elsewhere.
TEST(SubnetMoves, PositionsHaveToBeThere) {
  SubnetFile file;
  file.input(owned(tensor("x", 8192, {1})));
  file.subnet(SubnetMode::tpu, {tensor("x", 8192, {1})}, {});
  file.cpu("nonzero", {tensor("x", 8192, {1})}, {tensor("y", 0, {1, 1})});
  file.output(owned(tensor("y", 0, {1, 1})));
  FakeDevice device([](uint8_t*) {});
  std::vector<float> x{9}, y(1);
  EXPECT_EQ(run(file, device, {user(x)}, {user(y)}).status.error().code(), "TW-BRT-0111");
}

}  // namespace
}  // namespace tputwin::testing
