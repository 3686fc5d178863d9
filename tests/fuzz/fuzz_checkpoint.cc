// Checkpoints of a calibration: lines of statistics, from an untrusted file.
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "base/file.h"
#include "bmnet/caffe/import.h"
#include "bmnet/calibrate/statistics.h"
#include "common/temporary_directory.h"
#include "fuzz/memory_file.h"
#include "fuzz/targets.h"
#include "tools/campaign/checkpoint.h"
#include "tools/campaign/packed_line.h"

namespace tputwin::fuzz {
namespace {

constexpr const char* kIdentity = "fuzz";
constexpr uint64_t kSecondPart = 2, kUnits = 4;
constexpr int kBins = 128;

const net::Network& network() {
  static const net::Network kNetwork = [] {
    const auto graph = net::read_prototxt(R"(
      input: "data" input_dim: 1 input_dim: 2 input_dim: 3 input_dim: 3
      layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
        convolution_param { num_output: 2 kernel_size: 1 } }
      layer { name: "ip" type: "InnerProduct" bottom: "conv" top: "ip"
        inner_product_param { num_output: 2 } })");
    return *net::import_caffe(*graph, {.needs_weights = false});
  }();
  return kNetwork;
}

Result<tools::Checkpoint> open(std::span<const uint8_t> input) {
  const MemoryFile file(input);
  return tools::Checkpoint::open(file.path(), {.identity = kIdentity, .units = kUnits});
}

// Combines lines as a calibration does.
Status put_together(const tools::Checkpoint& part, net::TensorRanges& ranges,
                    std::optional<net::Distributions>& sum) {
  for (const auto& [unit, line] : part.results()) {
    TW_ASSIGN_OR_RETURN(bytes, tools::unpacked_line(line));
    if (unit < kSecondPart) {
      TW_ASSIGN_OR_RETURN(of_unit, net::ranges_of(bytes, network()));
      net::widen(ranges, of_unit);
      continue;
    }
    if (!sum) sum = net::no_distributions(network(), ranges, kBins, true);
    TW_RETURN_IF_ERROR(net::add_bytes(*sum, bytes));
  }
  return {};
}

// Returns lines of all units, as a calibration writes them.
Bytes whole_checkpoint() {
  std::map<std::string, net::Blob> values;
  net::TensorRanges ranges;
  for (const net::TensorOp& op : network().ops)
    for (const std::string& top : op.top()) {
      const net::TensorShape& shape = *network().shape_of(top);
      values[top] = {net::dims(shape), std::vector<float>(net::count(shape), 0.75f)};
      ranges[top] = {.least = -1, .largest = 2};
    }
  net::Distributions found = net::no_distributions(network(), ranges, kBins, true);
  for (const auto& [tensor, value] : values) {
    found.histograms.at(tensor).add(value.data);
    found.means.add(tensor, value);
  }
  const testing::TemporaryDirectory folder;
  const std::string path = folder / "part";
  auto part = *tools::Checkpoint::open(path, {.identity = kIdentity, .units = kUnits});
  for (uint64_t unit = 0; unit < kUnits; ++unit)
    (void)part.add(unit, tools::packed_line(unit < kSecondPart ? net::to_bytes(ranges)
                                                               : net::to_bytes(found)));
  (void)part.write();
  return *read_bytes(path);
}

}  // namespace

// Combined ranges must read back equal, and must give finite means and thresholds.
std::string fuzz_checkpoint(std::span<const uint8_t> input) {
  auto part = open(input);
  net::TensorRanges ranges;
  std::optional<net::Distributions> sum;
  if (!part.ok() || !put_together(*part, ranges, sum).ok() || ranges.empty()) return "";
  const std::string written = net::to_bytes(ranges);
  auto again = net::ranges_of(written, network());
  if (!again.ok()) return "joined ranges are refused: " + again.error().message();
  if (net::to_bytes(*again) != written) return "joined ranges read back different";
  if (!sum) return "";
  const auto is_finite = [](float x) { return std::isfinite(x); };
  for (const auto& [tensor, means] : sum->means.means())
    if (sum->means.tensors().at(tensor).count > 0 && !std::ranges::all_of(means, is_finite))
      return "a mean of " + tensor + " is no number";
  for (const auto& [tensor, histogram] : sum->histograms)
    if (!is_finite(net::squared_error_threshold(histogram)))
      return "the threshold of " + tensor + " is no number";
  return "";
}

std::vector<Bytes> checkpoint_seeds() { return {whole_checkpoint()}; }

bool is_checkpoint(std::span<const uint8_t> input) {
  auto part = open(input);
  net::TensorRanges ranges;
  std::optional<net::Distributions> sum;
  return part.ok() && put_together(*part, ranges, sum).ok();
}

// Changes some bytes of a line and packs it again.
Bytes mutate_checkpoint(std::span<const uint8_t> input, uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::string text(input.begin(), input.end());
  std::vector<size_t> begins;  // starts of the lines' results
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1))
    if (const size_t space = text.find(' ', end); space != std::string::npos)
      begins.push_back(space + 1);
  const Bytes same(input.begin(), input.end());
  if (begins.empty()) return same;
  const size_t begin = begins[random() % begins.size()];
  const size_t end = std::min(text.find('\n', begin), text.size());
  auto bytes = tools::unpacked_line(text.substr(begin, end - begin));
  if (!bytes.ok() || bytes->empty()) return same;
  for (uint64_t changes = 1 + random() % 4; changes > 0; --changes)
    (*bytes)[random() % bytes->size()] = static_cast<char>(random());
  const std::string changed = text.substr(0, begin) + tools::packed_line(*bytes) + text.substr(end);
  return {changed.begin(), changed.end()};
}

}  // namespace tputwin::fuzz
