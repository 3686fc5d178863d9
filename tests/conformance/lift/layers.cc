// conformance-lift-layers [--refused NAME] FILE.jsonl...: lifts the recorded layers of the BM1684
// (../bm168x/README.md) to OKKernel programs and compiles them all to one shared object. Then it
// runs each on the recorded memory, at other addresses, and compares global memory with the
// reference model's. The layer NAME must not lift. Prints FAIL lines and, last, "N passed, N
// failed".
#include <okk.h>
#include <tputwin/error.h>

#include <fstream>
#include <map>
#include <numeric>

#include "../commands/case.h"
#include "kernels.h"
#include "sdk/bmlib/card.h"
#include "tools/lift/lift.h"

namespace tputwin::recorded {
namespace {

namespace b168x = bmodel::bm168x;
using conformance::Bytes;

// A layer as the file of a net: its commands form a group, and the memory that it uses is the net's
// neurons.
class Layer {
 public:
  explicit Layer(conformance::Case recorded) : recorded_(std::move(recorded)) {
    for (const auto* regions : {&recorded_.before, &recorded_.after})
      for (const Bytes& region : *regions) {
        begin_ = std::min(begin_, region.address);
        end_ = std::max(end_, region.address + region.bytes.size());
      }
    file_.model.chip = recorded_.chip;
    file_.model.net.push_back(std::make_unique<b168x::NetT>());
    file_.model.net[0]->name = recorded_.name;
    file_.model.net[0]->parameter.push_back(stage());
    file_.binary = binary_;
  }
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  const std::string& name() const { return recorded_.name; }
  // Returns the program's text; an error is in `why`.
  std::string lifted(const std::string& kernel, lift::Recorder& recorder, lift::Tally& tally,
                     std::string& why) const {
    auto stage = lift::read_stage(file_, *file_.model.net[0], 0, recorder);
    if (!stage.ok()) return why = stage.error().message(), "";
    return lift::kernel_text(*stage, {kernel, recorded_.name}, recorder.chip(), tally);
  }

  // Returns the difference after the kernel; "" if there is none.
  std::string run(bm_handle_t device, const std::string& kernel) const {
    const size_t bytes = end_ - begin_;
    const std::vector<uint8_t> before = image({&recorded_.before}),
                               after = image({&recorded_.before, &recorded_.after});
    std::vector<uint8_t> is(bytes);
    Memory elsewhere(device, 4096), memory(device, bytes);
    const uint64_t address = memory.address();
    if (!memory.write(before.data(), bytes, 0) ||
        okkernel_launch_sync(device, kernel.c_str(), &address, sizeof address) != BM_SUCCESS ||
        !memory.read(is.data(), bytes, 0))
      return tputwin_last_error();
    const auto at = std::ranges::mismatch(after, is).in1 - after.begin();
    return at == std::ssize(after) ? "" : fmt::format("differs at {:#x}", begin_ + uint64_t(at));
  }

 private:
  std::unique_ptr<b168x::NetParameterT> stage() {
    auto stage = std::make_unique<b168x::NetParameterT>();
    stage->ctx_addr = begin_;
    stage->ctx_size = end_ - begin_;
    auto group = std::make_unique<b168x::CmdGroupT>();
    for (Engine engine : {Engine::compute, Engine::dma}) {
      const size_t start = binary_.size();
      for (const conformance::RecordedCommand& command : recorded_.commands)
        if (command.engine == engine) {
          binary_.insert(binary_.end(), command.bytes.begin(), command.bytes.end());
          binary_.resize(start + (binary_.size() - start + kCommand - 1) / kCommand * kCommand);
        }
      auto part = std::make_unique<b168x::Binary>(start, binary_.size() - start);
      (engine == Engine::dma ? group->binary_gdma : group->binary_bdc) = std::move(part);
    }
    stage->cmd_group.push_back(std::move(group));
    return stage;
  }
  std::vector<uint8_t> image(std::initializer_list<const std::vector<Bytes>*> lists) const {
    std::vector<uint8_t> bytes(end_ - begin_, 0xee);
    for (const auto* regions : lists)
      for (const Bytes& region : *regions)
        std::ranges::copy(region.bytes,
                          bytes.begin() + static_cast<ptrdiff_t>(region.address - begin_));
    return bytes;
  }

  static constexpr size_t kCommand = 128;
  const conformance::Case recorded_;
  uint64_t begin_ = UINT64_MAX, end_ = 0;
  std::vector<uint8_t> binary_;
  b168x::File file_;
};

struct Checked {
  unsigned passed = 0, failed = 0;

  void count(const Layer& layer, const std::string& why) {
    ++(why.empty() ? passed : failed);
    if (!why.empty()) fmt::print("FAIL {}: {}\n", layer.name(), why);
  }
};

int check(const std::vector<std::unique_ptr<Layer>>& layers, const std::string& refused) {
  char pattern[] = "/tmp/tputwin-lift-XXXXXX";
  const std::filesystem::path work = mkdtemp(pattern);
  const auto recorder = std::move(lift::Recorder::create(bm1684()).value());
  lift::Tally tally;
  Checked checked;
  std::map<std::string, const Layer*> kernels;
  std::string sources;
  for (const auto& layer : layers) {
    const std::string kernel = fmt::format("lifted_{}", kernels.size());
    std::string why;
    const std::string text = layer->lifted(kernel, *recorder, tally, why);
    if (layer->name() == refused) {
      checked.count(*layer, why.empty() ? "it is not refused any more" : "");
    } else if (!why.empty()) {
      checked.count(*layer, why);
    } else {
      std::ofstream(work / (kernel + ".c")) << text;
      sources += " " + kernel + ".c";
      kernels[kernel] = layer.get();
    }
  }
  const std::string broken = load_kernels(work, "layers.so", sources);
  bmlib::use_chip(bm1684());
  bm_handle_t device = nullptr;
  bm_dev_request(&device, 0);
  for (const auto& [kernel, layer] : kernels)
    checked.count(*layer, broken.empty() ? layer->run(device, kernel) : broken);
  bm_dev_free(device);
  if (checked.failed == 0)
    std::filesystem::remove_all(work);
  else
    fmt::print("kernels are in {}\n", work.string());
  fmt::print("{} commands, {} without a call, {} sections, {} parts\n", tally.commands, tally.raw,
             tally.sections, tally.parts);
  fmt::print("{} passed, {} failed\n", checked.passed, checked.failed);
  return checked.failed != 0 || checked.passed == 0;
}

}  // namespace
}  // namespace tputwin::recorded

int main(int argc, char** argv) {
  using namespace tputwin;
  std::vector<std::unique_ptr<recorded::Layer>> layers;
  std::string refused;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--refused" && i + 1 < argc) {
      refused = argv[++i];
      continue;
    }
    std::ifstream file(word);
    for (std::string line; std::getline(file, line);) {
      conformance::ParsedCase parsed = conformance::parse_case(line);
      if (!parsed.why_not.empty()) {
        fmt::print(stderr, "{}: {}\n", word, parsed.why_not);
        return 2;
      }
      layers.push_back(std::make_unique<recorded::Layer>(std::move(parsed.recorded)));
    }
  }
  return recorded::check(layers, refused);
}
