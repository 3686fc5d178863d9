// conformance-bm168x FOLDER [--shard I/N] [--refused TEXT] [WORD...]: runs the recorded networks of
// FOLDER/cases.jsonl through bmrt and compares every output with the reference model's. WORDs
// select cases whose "FILE NET" contains one of them. Cases whose "FILE NET" contains TEXT must be
// refused with the name of a field. Prints FAIL lines and, last, "N passed, N failed".
#include <bmruntime_interface.h>
#include <fmt/format.h>
#include <tputwin/error.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "../../common/chosen.h"
#include "synthetic_input.h"

namespace tputwin::recorded {
namespace {

using Json = nlohmann::json;

bm_shape_t shape_of(const Json& extents) {
  bm_shape_t shape{};
  for (int extent : extents) shape.dims[shape.num_dims++] = extent;
  return shape;
}

// A device, and a runtime for each file: several files use the same names of nets.
class Networks {
 public:
  explicit Networks(std::string folder) : folder_(std::move(folder)) {
    bm_dev_request(&device_, 0);
  }
  ~Networks() {
    bmrt_destroy(runtime_);
    bm_dev_free(device_);
  }
  Networks(const Networks&) = delete;
  Networks& operator=(const Networks&) = delete;

  // Returns the difference; "" if there is none.
  std::string run(const Json& test) {
    if (!open(test["file"])) return tputwin_last_error();
    std::vector<std::vector<uint8_t>> inputs;
    std::vector<void*> in;
    std::vector<bm_shape_t> shapes;
    for (const Json& one : test["inputs"]) {
      shapes.push_back(shape_of(one["shape"]));
      inputs.push_back(synthetic_input(one["gen"], one["seed"], one["index"], one["dtype"],
                                       bmrt_shape_count(&shapes.back())));
      if (sha256(inputs.back().data(), inputs.back().size()) != one["sha256"])
        return "the input is not the recorded one";
      in.push_back(inputs.back().data());
    }
    std::vector<void*> out(test["outputs"].size());
    std::vector<bm_shape_t> out_shapes(out.size());
    const std::string net = test["net"];
    if (!bmrt_launch_data(runtime_, net.c_str(), in.data(), shapes.data(),
                          static_cast<int>(in.size()), out.data(), out_shapes.data(),
                          static_cast<int>(out.size()), /*user_mem=*/false))
      return tputwin_last_error();
    return compare(test["outputs"], out);
  }

 private:
  bool open(const std::string& file) {
    if (file == open_) return true;
    bmrt_destroy(runtime_);
    runtime_ = bmrt_create(device_);
    open_ = bmrt_load_bmodel(runtime_, (folder_ + "/" + file).c_str()) ? file : "";
    return !open_.empty();
  }

  static std::string compare(const Json& outputs, const std::vector<void*>& memories) {
    std::string wrong;
    for (size_t i = 0; i < memories.size(); ++i) {
      const bm_shape_t shape = shape_of(outputs[i]["shape"]);
      const bm_tensor_t tensor{outputs[i]["dtype"].get<bm_data_type_t>(), shape, {}, BM_STORE_1N};
      if (sha256(memories[i], bmrt_tensor_bytesize(&tensor)) != outputs[i]["sha256"])
        wrong += (wrong.empty() ? "differs: " : ", ") + outputs[i]["name"].get<std::string>();
      std::free(memories[i]);
    }
    return wrong;
  }

  std::string folder_, open_;
  bm_handle_t device_ = nullptr;
  void* runtime_ = nullptr;
};

int run(const Chosen& chosen) {
  std::ifstream lines(chosen.folder + "/cases.jsonl");
  Networks networks(chosen.folder);
  unsigned passed = 0, failed = 0;
  std::map<std::string, unsigned> files;
  for (std::string line; std::getline(lines, line);) {
    const Json test = Json::parse(line);
    const std::string file = test["file"], label = file + " " + test["net"].get<std::string>();
    const unsigned number = files.emplace(file, files.size()).first->second;
    if (!chosen(label, number)) continue;
    const std::string problem = chosen.judge(label, networks.run(test));
    ++(problem.empty() ? passed : failed);
    if (!problem.empty()) fmt::print("FAIL {}: {}\n", label, problem);
  }
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed != 0 || passed == 0;
}

}  // namespace
}  // namespace tputwin::recorded

int main(int argc, char** argv) {
  tputwin::recorded::Chosen chosen;
  if (!chosen.read(argc, argv)) {
    fmt::print(stderr,
               "usage: conformance-bm168x FOLDER [--shard I/N] [--refused TEXT] [WORD...]\n");
    return 2;
  }
  return tputwin::recorded::run(chosen);
}
