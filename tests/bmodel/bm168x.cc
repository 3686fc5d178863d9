// The container of BM1684 and BM1684X: written files are read back; inconsistent files are refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/errors/bmodel.h"
#include "bmodel/open.h"
#include "bmodel/samples.h"
#include "bmodel/samples168x.h"

namespace tputwin::bmodel::bm168x {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> recorded_files() {
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::directory_iterator(TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/bm1684x"))
    if (entry.path().extension() == ".bmodel") paths.push_back(entry.path());
  return paths;
}

TEST(Bm168x, WhatIsWrittenIsReadAgain) {
  const auto bytes = samples::file168x();
  auto file = bm168x::read(bytes);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(bm168x::write(file->model, file->binary), bytes);
  EXPECT_EQ(file->model.net[0]->parameter[1]->input_tensor[0]->shape[0]->dim,
            (std::vector<uint64_t>{1, 2, 7, 4}));
  const auto weights = file->bytes(file->model.net[0]->parameter[0]->coeff_mem->binary_coeff);
  EXPECT_EQ(weights.size(), 64u);
  EXPECT_EQ(weights[63], 63);
}

TEST(Bm168x, EveryRecordedFileIsReadAndWrittenTheSame) {
  const auto paths = recorded_files();
  EXPECT_EQ(paths.size(), 41u);
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path);
    auto opened = open_file(path);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    ASSERT_NE(opened->bm168x(), nullptr);
    const File& file = *opened->bm168x();
    const auto bytes = bm168x::write(file.model, file.binary);
    auto again = bm168x::read(bytes);
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_TRUE(std::ranges::equal(again->binary, file.binary));
    EXPECT_EQ(bm168x::write(again->model, again->binary), bytes);
  }
}

TEST(Bm168x, OpenDistinguishesContainers) {
  auto open_bytes = [](std::vector<uint8_t> bytes) {
    return bmodel::open(std::make_shared<const MappedFile>(std::move(bytes)));
  };
  EXPECT_NE(open_bytes(samples::file168x())->bm168x(), nullptr);
  for (Container container : {Container::v0_1_1, Container::v2_1}) {
    auto opened = open_bytes(*bmodel::write(bmodel::samples::common(), container));
    ASSERT_TRUE(opened.ok());
    ASSERT_NE(opened->bm1880(), nullptr);
    EXPECT_EQ(opened->bm1880()->container, container);
  }
  EXPECT_EQ(open_bytes({1, 2, 3}).error().id(), errors::mod_unknown_container);
}

TEST(Bm168x, TheMessageAsTextIsJson) {
  const auto json = nlohmann::json::parse(message_text(samples::file168x()));
  EXPECT_EQ(json["net"][0]["name"], "first");
  EXPECT_EQ(json["net"][0]["parameter"][0]["coeff_mem"]["binary_coeff"]["size"], 64);
}

// Every proper prefix of a file is refused.
TEST(Bm168x, BeginningsOfFilesAreRefused) {
  const auto bytes = samples::file168x();
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_FALSE(bm168x::read({bytes.data(), size}).ok()) << size;
}

// Many offsets lead to one table: the reader's budget limits the work.
TEST(Bm168x, SharedTablesAreCounted) {
  flatbuffers::FlatBufferBuilder builder;
  const std::string long_name(60'000, 'x');
  const auto name = builder.CreateString(long_name);
  const auto shape = CreateShape(builder, builder.CreateVector(std::vector<uint64_t>{1, 1}));
  const auto tensor =
      CreateTensor(builder, name, 0, 0, 0, 8, builder.CreateVector(std::vector{shape}));
  const auto tensors = builder.CreateVector(std::vector(10'000, tensor));
  const auto stage = CreateNetParameter(builder, tensors, tensors);
  const auto net = CreateNet(builder, name, 0, 0, builder.CreateVector(std::vector(50, stage)));
  FinishModelBuffer(builder, CreateModel(builder, name, name, name, name,
                                         builder.CreateVector(std::vector(20, net))));
  std::vector<uint8_t> file(64);
  const auto size = builder.GetSize();
  const uint32_t words[] = {0xff55aaee, 64, size, 0};
  std::memcpy(file.data(), words, sizeof words);
  file.insert(file.end(), builder.GetBufferPointer(), builder.GetBufferPointer() + size);
  const auto result = bm168x::read(file);
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().id() == errors::mod_tables ||
              result.error().id() == errors::mod_shared_tables);
}

// A vector of 8-byte numbers with its count at an aligned position; its numbers must be aligned
// too.
TEST(Bm168x, NumbersAreAtMultiplesOfTheirSize) {
  constexpr size_t kHeader = 64, kMessageSize = 8;
  auto file = samples::file168x();
  uint32_t size = 0;
  std::memcpy(&size, &file[kMessageSize], sizeof size);
  const size_t end = (kHeader + size + 7) / 8 * 8;
  const auto* tensor = GetModel(&file[kHeader])->net()->Get(0)->parameter()->Get(0)->input_tensor();
  const auto* shape = reinterpret_cast<const flatbuffers::Table*>(tensor->Get(0)->shape()->Get(0));
  const auto offset = static_cast<size_t>(shape->GetAddressOf(Shape::VT_DIM) - file.data());
  for (const size_t place : {size_t{4}, size_t{0}}) {
    auto moved = file;
    const uint32_t vector[] = {1, 2, 0};  // one number, 2
    std::vector<uint8_t> more(end - kHeader - size + place + sizeof vector);
    std::memcpy(&more[end - kHeader - size + place], vector, sizeof vector);
    moved.insert(moved.begin() + static_cast<ptrdiff_t>(kHeader + size), more.begin(), more.end());
    const auto message = static_cast<uint32_t>(size + more.size());
    const auto distance = static_cast<uint32_t>(end + place - offset);
    std::memcpy(&moved[kMessageSize], &message, sizeof message);
    std::memcpy(&moved[offset], &distance, sizeof distance);
    const auto result = bm168x::read(moved);
    const bool refused = !result.ok() && result.error().id() == errors::mod_tables;
    EXPECT_EQ(refused, place == 0);
  }
}

TEST(Bm168x, ErrorsNameTheField) {
  ModelT model = samples::model168x();
  model.net[1]->parameter[0]->output_tensor[0]->device_addr = 0x1'0000'1fff;
  const Status status = validate(model, samples::binary168x().size());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().argument(), "net[1].parameter[0].output_tensor[0].device_addr");
}

}  // namespace
}  // namespace tputwin::bmodel::bm168x
