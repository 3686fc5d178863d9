// conformance-lift FOLDER [--shard I/N] [--each K] [WORD...]: lifts the recorded networks of
// FOLDER/cases.jsonl to kernels in C. It compiles those of a file with the system's compiler into
// one shared object, runs them, and compares every output with the reference model's. --each: only
// the first K of each kind in a file. WORDs select cases whose "FILE NET" contains one of them.
// Prints FAIL lines and, last, "N passed, N failed".
#include <bmlib_runtime.h>
#include <fmt/format.h>
#include <tpu_kernel.h>
#include <tputwin/error.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "../common/chosen.h"
#include "base/file.h"
#include "kernels.h"
#include "sdk/bmlib/card.h"
#include "sdk/bmrt/storage.h"
#include "synthetic_input.h"
#include "tools/lift/lift.h"

namespace tputwin::recorded {
namespace {

using Json = nlohmann::json;
using bmodel::bm168x::File;
using bmodel::bm168x::NetT;

struct Case {
  Json test;
  const NetT* net = nullptr;
  size_t stage = 0;
  std::string kernel;  // name of its function
  std::string wrong;
};

// Returns the stage whose inputs have the recorded shapes.
size_t stage_of(const NetT& net, const Json& inputs) {
  for (size_t i = 0; i < net.parameter.size(); ++i) {
    const auto& tensors = net.parameter[i]->input_tensor;
    bool same = tensors.size() == inputs.size();
    for (size_t k = 0; same && k < tensors.size(); ++k)
      same = std::ranges::equal(bmodel::bm168x::shape(*tensors[k]), inputs[k]["shape"],
                                [](uint64_t a, const Json& b) { return a == b.get<uint64_t>(); });
    if (same) return i;
  }
  return 0;
}

// Converts a tensor from plain image order to the net's storage, or back.
std::vector<uint8_t> restored(const bmodel::bm168x::TensorT& tensor,
                              const std::vector<uint8_t>& from, bool to_device) {
  const bmrt::Stored stored = bmrt::stored_as(tensor);
  if (stored.is_plain()) return from;
  const uint64_t plain_bytes = bmodel::bm168x::tensor_bytes(tensor);
  uint64_t count = 1;
  for (const uint64_t extent : bmodel::bm168x::shape(tensor)) count *= extent;
  const uint64_t images = bmodel::bm168x::shape(tensor)[0];
  const uint64_t bits = plain_bytes * 8 / count;
  std::vector<uint8_t> to(to_device ? bmrt::stored_bytes(tensor) : plain_bytes);
  bmrt::copy_stored(to.data(), to_device ? stored : bmrt::Stored(), from.data(),
                    to_device ? bmrt::Stored() : stored, images, count / images, bits);
  return to;
}

// The host's part: memory of a net, its weights and inputs, the launch, the outputs.
class Run {
 public:
  Run(bm_handle_t device, const File& file, const lift::Stage& stage)
      : device_(device), file_(file), stage_(stage) {
    for (const lift::Region& region : stage.regions)
      memories_.push_back(std::make_unique<Memory>(device, region.bytes));
  }

  // Returns the difference; "" if there is none.
  std::string compare(const Case& one) {
    if (const std::string wrong = fill(one.test["inputs"]); !wrong.empty()) return wrong;
    std::vector<uint64_t> addresses;
    for (const auto& memory : memories_) addresses.push_back(memory->address());
    if (tpu_kernel_launch_sync(device_, one.kernel.c_str(), addresses.data(),
                               static_cast<unsigned>(addresses.size() * sizeof(uint64_t))) !=
        BM_SUCCESS)
      return tputwin_last_error();
    std::string wrong;
    const Json& outputs = one.test["outputs"];
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto& tensor = *stage_.outputs.at(i).file;
      std::vector<uint8_t> stored(bmrt::stored_bytes(tensor));
      const auto [memory, offset] = place(stage_.outputs.at(i));
      if (!memory->read(stored.data(), stored.size(), offset)) return tputwin_last_error();
      const auto bytes = restored(tensor, stored, /*to_device=*/false);
      if (sha256(bytes.data(), bytes.size()) != outputs[i]["sha256"])
        wrong += (wrong.empty() ? "differs: " : ", ") + outputs[i]["name"].get<std::string>();
    }
    return wrong;
  }

 private:
  std::pair<Memory*, uint64_t> place(const lift::Tensor& tensor) {
    for (size_t i = 0; i < memories_.size(); ++i) {
      const lift::Region& region = stage_.regions[i];
      if (tensor.compiled >= region.compiled && tensor.compiled - region.compiled < region.bytes)
        return {memories_[i].get(), tensor.compiled - region.compiled};
    }
    throw std::runtime_error(tensor.name + " is in no memory of the net");
  }

  std::string fill(const Json& inputs) {
    for (size_t i = 0; i < memories_.size(); ++i)
      if (stage_.regions[i].field == "weights") {
        const auto weights = file_.bytes(stage_.file->coeff_mem->binary_coeff);
        if (!memories_[i]->write(weights.data(), weights.size(), 0)) return tputwin_last_error();
      }
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Json& one = inputs[i];
      uint64_t count = 1;
      for (const Json& extent : one["shape"]) count *= extent.get<uint64_t>();
      const auto bytes =
          synthetic_input(one["gen"], one["seed"], one["index"], one["dtype"], count);
      if (sha256(bytes.data(), bytes.size()) != one["sha256"])
        return "the input is not the recorded one";
      const auto [memory, offset] = place(stage_.inputs.at(i));
      const auto stored = restored(*stage_.inputs.at(i).file, bytes, /*to_device=*/true);
      if (!memory->write(stored.data(), stored.size(), offset)) return tputwin_last_error();
    }
    return "";
  }

  bm_handle_t device_;
  const File& file_;
  const lift::Stage& stage_;
  std::vector<std::unique_ptr<Memory>> memories_;
};

// Lifts, compiles and runs the cases of a file.
class Networks {
 public:
  Networks(std::string folder, std::filesystem::path work)
      : folder_(std::move(folder)), work_(std::move(work)) {}
  ~Networks() {
    if (device_ != nullptr) bm_dev_free(device_);
  }
  Networks(const Networks&) = delete;
  Networks& operator=(const Networks&) = delete;

  void run(const std::string& name, std::vector<Case>& cases) {
    const auto bytes = read_bytes(folder_ + "/" + name);
    if (!bytes.ok()) return all_wrong(cases, bytes.error().message());
    const auto file = bmodel::bm168x::read(*bytes);
    if (!file.ok()) return all_wrong(cases, file.error().message());
    if (recorder_ == nullptr) open(*bmodel::bm168x::chip_of(file->model));
    std::vector<lift::Stage> stages;
    std::string sources;
    for (Case& one : cases) {
      stages.emplace_back();
      one.wrong = write(*file, one, stages.back());
      if (one.wrong.empty()) sources += fmt::format(" {}.c", one.kernel);
    }
    if (const std::string why = load_kernels(work_, cases.front().kernel + ".so", sources);
        !why.empty())
      return all_wrong(cases, why);
    for (size_t i = 0; i < cases.size(); ++i)
      if (cases[i].wrong.empty()) cases[i].wrong = Run(device_, *file, stages[i]).compare(cases[i]);
  }

  const lift::Tally& tally() const { return tally_; }

 private:
  // All models of a folder are for one chip.
  void open(const Chip& chip) {
    recorder_ = std::move(lift::Recorder::create(chip).value());
    bmlib::use_chip(chip);
    bm_dev_request(&device_, 0);
  }

  static void all_wrong(std::vector<Case>& cases, const std::string& why) {
    for (Case& one : cases)
      if (one.wrong.empty()) one.wrong = why;
  }

  std::string write(const File& file, Case& one, lift::Stage& stage) {
    const std::string net = one.test["net"];
    const auto found =
        std::ranges::find(file.model.net, net, [](const auto& n) { return n->name; });
    if (found == file.model.net.end()) return "no such net";
    const size_t index = stage_of(**found, one.test["inputs"]);
    auto read = lift::read_stage(file, **found, index, *recorder_);
    if (!read.ok()) return read.error().message();
    stage = std::move(*read);
    one.kernel = fmt::format("lifted_{}", number_++);
    std::ofstream(work_ / (one.kernel + ".c"))
        << lift::kernel_text(stage, {one.kernel, one.test["file"]}, recorder_->chip(), tally_);
    return "";
  }

  std::string folder_;
  std::filesystem::path work_;
  bm_handle_t device_ = nullptr;
  std::unique_ptr<lift::Recorder> recorder_;
  lift::Tally tally_;
  size_t number_ = 0;
};

// Returns the selected cases by file.
std::map<std::string, std::vector<Case>> read_cases(const Chosen& chosen) {
  std::ifstream lines(chosen.folder + "/cases.jsonl");
  std::map<std::string, unsigned> files, kinds;
  std::map<std::string, std::vector<Case>> cases;
  for (std::string line; std::getline(lines, line);) {
    Json test = Json::parse(line);
    const std::string file = test["file"], net = test["net"];
    const unsigned number = files.emplace(file, files.size()).first->second;
    if (!chosen(file + " " + net, number)) continue;
    if (kinds[file + test["kind"].get<std::string>()]++ >= chosen.each) continue;
    cases[file].push_back({.test = std::move(test)});
  }
  return cases;
}

int run(const Chosen& chosen) {
  char pattern[] = "/tmp/tputwin-lift-XXXXXX";
  const std::filesystem::path work = mkdtemp(pattern);
  unsigned passed = 0, failed = 0;
  Networks networks(chosen.folder, work);
  for (auto& [file, cases] : read_cases(chosen)) {
    networks.run(file, cases);
    for (const Case& one : cases) {
      const std::string net = one.test["net"];
      const std::string wrong = chosen.judge(file + " " + net, one.wrong);
      ++(wrong.empty() ? passed : failed);
      if (!wrong.empty()) fmt::print("FAIL {} {} ({}): {}\n", file, net, one.kernel, wrong);
    }
  }
  if (failed == 0 && std::getenv("TPUTWIN_KEEP_LIFTED") == nullptr)
    std::filesystem::remove_all(work);
  else
    fmt::print("kernels are in {}\n", work.string());
  const lift::Tally& tally = networks.tally();
  fmt::print("{} commands, {} without a call, {} sections, {} parts\n", tally.commands, tally.raw,
             tally.sections, tally.parts);
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed != 0 || passed == 0;
}

}  // namespace
}  // namespace tputwin::recorded

int main(int argc, char** argv) {
  tputwin::recorded::Chosen chosen;
  if (!chosen.read(argc, argv)) {
    fmt::print(stderr, "usage: conformance-lift FOLDER [--shard I/N] [--each K] [WORD...]\n");
    return 2;
  }
  return tputwin::recorded::run(chosen);
}
