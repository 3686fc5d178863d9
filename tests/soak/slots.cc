// Nets through the tools' API, and recordings through their player.
#include "soak/slots.h"

#include <fmt/format.h>

#include "bmodel/open.h"
#include "common/temporary_directory.h"
#include "insight/recording/random_run.h"
#include "tools/models.h"
#include "tools/net.h"

namespace tputwin::soak {
namespace {

namespace rec = insight::recording;
using File = std::shared_ptr<const bmodel::OpenFile>;

class NetSlot final : public Slot {
 public:
  NetSlot(std::string name, File file, uint64_t seed)
      : name_(std::move(name)), file_(std::move(file)), seed_(seed) {}
  std::string name() const override { return name_; }

  Status renew() override {
    net_.reset();
    tools::NetChoice choice{.stage = {}};
    if (const auto* model = file_->bm1880())
      choice.shapes = {model->varieties.front().inputs.front().shape};
    TW_ASSIGN_OR_RETURN(net, tools::open_net(file_, choice));
    net_ = std::move(net);
    return {};
  }
  Result<bool> work() override {
    std::vector<tools::Array> inputs;
    for (const tools::NetTensor& tensor : net_->inputs()) {
      tools::Array array{.kind = 'f', .element_bytes = 4, .shape = tensor.shape, .bytes = {}};
      for (uint64_t i = 0; i < tensor.count(); ++i) {
        const auto value = static_cast<float>((i * 37 + seed_) % 61) / 8 - 3;
        const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
        array.bytes.insert(array.bytes.end(), bytes, bytes + sizeof value);
      }
      inputs.push_back(std::move(array));
    }
    TW_ASSIGN_OR_RETURN(outputs, net_->run(inputs, false));
    std::vector<uint8_t> bytes;
    for (const tools::Array& output : outputs)
      bytes.insert(bytes.end(), output.bytes.begin(), output.bytes.end());
    if (expected_.empty()) expected_ = bytes;
    return bytes == expected_;
  }

 private:
  const std::string name_;
  const File file_;
  const uint64_t seed_;
  std::unique_ptr<tools::Net> net_;
  std::vector<uint8_t> expected_;
};

class ReplaySlot final : public Slot {
 public:
  ReplaySlot(std::string name, std::shared_ptr<const rec::Recording> recording)
      : name_(std::move(name)), recording_(std::move(recording)) {}
  std::string name() const override { return name_; }

  Status renew() override {
    device_.reset();
    TW_ASSIGN_OR_RETURN(device, rec::make_device(*recording_, {}));
    device_ = std::move(device);
    return {};
  }
  // Replays on a new device, because a recording begins with one. The device stays until the next
  // replay.
  Result<bool> work() override {
    TW_RETURN_IF_ERROR(renew());
    TW_ASSIGN_OR_RETURN(replayed, rec::replay(*recording_, *device_));
    return replayed.equals;
  }

 private:
  const std::string name_;
  const std::shared_ptr<const rec::Recording> recording_;
  std::unique_ptr<Device> device_;
};

Result<File> file_of(const std::string& path) {
  TW_ASSIGN_OR_RETURN(file, bmodel::open_file(path));
  return std::make_shared<const bmodel::OpenFile>(std::move(file));
}

Result<File> tiny_file() {
  const testing::TemporaryDirectory folder;  // mapped bytes stay after deletion
  const std::string path = folder / "tiny.bmodel";
  const bmodel::Model model = tools::models::tiny();
  TW_RETURN_IF_ERROR(bmodel::write_file(model, model.container, path));
  return file_of(path);
}

}  // namespace

Result<std::vector<std::unique_ptr<Slot>>> make_slots(size_t count,
                                                      const std::vector<std::string>& models) {
  TW_ASSIGN_OR_RETURN(tiny, tiny_file());
  std::vector<File> files;
  for (const std::string& path : models) {
    TW_ASSIGN_OR_RETURN(file, file_of(path));
    files.push_back(std::move(file));
  }
  constexpr uint64_t kRecordings = 4;
  std::vector<std::shared_ptr<const rec::Recording>> recordings;
  for (uint64_t seed = 1; seed <= kRecordings; ++seed)
    recordings.push_back(std::make_shared<const rec::Recording>(
        rec::testing::record_random_run(ChipFamily::bm1684, seed, 8)));
  std::vector<std::unique_ptr<Slot>> slots;
  for (size_t i = 0; i < count; ++i) {
    if (i % 3 == 0)
      slots.push_back(std::make_unique<NetSlot>(fmt::format("{} BM1880", i), tiny, i));
    else if (i % 3 == 1)
      slots.push_back(std::make_unique<ReplaySlot>(fmt::format("{} BM1684", i),
                                                   recordings[i / 3 % recordings.size()]));
    else
      slots.push_back(
          std::make_unique<NetSlot>(fmt::format("{} BM1684X", i), files[i / 3 % files.size()], i));
    TW_RETURN_IF_ERROR(slots.back()->renew());
    for (int run = 0; run < 3; ++run)  // plans are made before the second
      TW_RETURN_IF_ERROR(slots.back()->work().status());
  }
  return slots;
}

}  // namespace tputwin::soak
