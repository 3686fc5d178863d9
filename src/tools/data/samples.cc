// Samples for the inputs of a net, declared in samples.h.
#include "tools/data/samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "tools/bm168x/tensor_values.h"

namespace tputwin::tools {
namespace {

// An array whose first axis counts the samples.
class ArraySamples final : public net::DataSet {
 public:
  explicit ArraySamples(Array array) : array_(std::move(array)) {
    labels_.assign(array_.shape.front(), -1);
  }

  Status sample(size_t index, std::span<float> values) const override {
    const size_t first = index * values.size();
    for (size_t i = 0; i < values.size(); ++i)
      values[i] =
          static_cast<float>(number_at(array_.bytes, array_.kind, array_.element_bytes, first + i));
    return {};
  }
  Result<net::Extents> natural_shape() const override {
    return Error(errors::net_data).in("array").detail("its shape does not name channels");
  }

 private:
  Array array_;
};

int64_t count(const net::Extents& e) { return e.n * e.c * e.h * e.w; }

Result<std::unique_ptr<net::DataSet>> of_array(Array array, const std::string& path,
                                               const net::SampleInput& input) {
  const auto wrong = [&](std::string why) {
    return Error(errors::net_data_shape)
        .in("data set")
        .argument(path, fmt::format("array ({})", fmt::join(array.shape, ",")))
        .detail(std::move(why));
  };
  const net::Extents& e = input.shape;
  std::vector<uint64_t> extents;
  if (e.n != 1) extents.push_back(static_cast<uint64_t>(e.n));
  for (const int64_t extent : {e.c, e.h, e.w}) extents.push_back(static_cast<uint64_t>(extent));
  if (array.shape.size() == extents.size() + 1 &&
      !std::equal(extents.begin(), extents.end(), array.shape.begin() + 1))
    return wrong(
        fmt::format("samples of the input {} are ({})", input.name, fmt::join(extents, ",")));
  const auto values = static_cast<uint64_t>(count(input.shape));
  if (array.shape.empty() || array.count() != array.shape.front() * values)
    return wrong(fmt::format("the first axis counts samples, of {} values each for the input {}",
                             values, input.name));
  if (array.shape.front() == 0)
    return Error(errors::net_data_empty).in("data set").argument("--data", path);
  return std::unique_ptr<net::DataSet>(std::make_unique<ArraySamples>(std::move(array)));
}

Result<std::unique_ptr<net::DataSet>> open_one(const std::string& path, net::DataOptions options,
                                               const net::SampleInput& input) {
  if (path.ends_with(".npy")) {
    TW_ASSIGN_OR_RETURN(bytes, read_bytes(path));
    TW_ASSIGN_OR_RETURN(array, read_npy(std::move(bytes)));
    return of_array(std::move(array), path, input);
  }
  if (input.shape.n != 1)
    return Error(errors::net_data_shape)
        .in("data set")
        .argument("--data", path)
        .detail(fmt::format("the first extent of {} differs from that of another input, so a "
                            "sample is all {} parts of it: give an array (.npy, .npz)",
                            input.name, input.shape.n));
  options.shape = input.shape;
  return net::open_data_set(path, options);
}

std::string names_of(const std::vector<net::SampleInput>& inputs) {
  std::string names;
  for (const net::SampleInput& input : inputs) names += (names.empty() ? "" : ", ") + input.name;
  return names;
}

Result<DataSets> of_archive(const std::string& path, const std::vector<net::SampleInput>& inputs) {
  TW_ASSIGN_OR_RETURN(arrays, read_npz(path));
  DataSets sets;
  for (const net::SampleInput& input : inputs) {
    auto found = arrays.find(input.name);
    if (found == arrays.end() && inputs.size() == 1 && arrays.size() == 1) found = arrays.begin();
    if (found == arrays.end())
      return Error(errors::net_data)
          .in("data set")
          .argument("--data", path)
          .detail(fmt::format("it has no array {}; the net's inputs are {}", input.name,
                              names_of(inputs)));
    TW_ASSIGN_OR_RETURN(set, of_array(std::move(found->second), path, input));
    sets.push_back(std::move(set));
  }
  return sets;
}

// Returns a path for each input. INPUT= is a name only if the net has that input.
Result<std::vector<std::string>> paths_of(const std::vector<std::string>& data,
                                          const std::vector<net::SampleInput>& inputs) {
  std::map<std::string, std::string> named;
  std::vector<std::string> in_order;
  for (const std::string& text : data) {
    const size_t equals = text.find('=');
    const bool is_named =
        equals != std::string::npos && std::ranges::any_of(inputs, [&](const auto& i) {
          return i.name == text.substr(0, equals);
        });
    if (is_named)
      named[text.substr(0, equals)] = text.substr(equals + 1);
    else
      in_order.push_back(text);
  }
  const bool is_complete =
      data.size() == inputs.size() && (named.empty() || named.size() == inputs.size());
  if (!is_complete)
    return Error(errors::net_data)
        .in("data sets")
        .argument("--data", fmt::format("given {} times", data.size()))
        .detail(fmt::format("the net has {} inputs ({}); give --data INPUT=PATH for each, or one "
                            ".npz with an array for each",
                            inputs.size(), names_of(inputs)));
  if (named.empty()) return in_order;
  std::vector<std::string> paths;
  for (const net::SampleInput& input : inputs) paths.push_back(named.at(input.name));
  return paths;
}

Status check_counts(const DataSets& sets, const std::vector<net::SampleInput>& inputs) {
  for (size_t i = 1; i < sets.size(); ++i)
    if (sets[i]->size() != sets[0]->size())
      return Error(errors::net_data)
          .in("data sets")
          .argument("samples of " + inputs[i].name, std::to_string(sets[i]->size()))
          .detail(fmt::format("{} has {}; sample i of each input belongs together", inputs[0].name,
                              sets[0]->size()));
  return {};
}

bool is_array(const std::string& path) { return path.ends_with(".npy") || path.ends_with(".npz"); }

// Options of pictures and raw tensors would be ignored if there are only arrays.
Status check_options(const std::vector<std::string>& data, const net::DataOptions& options) {
  const bool prepares = !options.mean.empty() || !options.mean_image.empty() ||
                        !options.scale.empty() || options.rgb || options.crop ||
                        options.letterbox || options.resize_h > 0 || !options.list.empty() ||
                        options.kind != net::DataKind::automatic;
  if (!prepares || !std::ranges::all_of(data, is_array)) return {};
  return Error(errors::net_cli)
      .in("data sets")
      .argument("--data", data[0])
      .detail(
          "arrays are taken as they are: --mean, --scale, --rgb, --crop, --letterbox, "
          "--resize, --list and --data-kind must not be given with them");
}

}  // namespace

Result<DataSets> open_samples(const std::vector<std::string>& data, const net::DataOptions& options,
                              const std::vector<net::SampleInput>& inputs) {
  TW_RETURN_IF_ERROR(check_options(data, options));
  if (data.size() == 1 && data[0].ends_with(".npz")) {
    TW_ASSIGN_OR_RETURN(sets, of_archive(data[0], inputs));
    TW_RETURN_IF_ERROR(check_counts(sets, inputs));
    return sets;
  }
  TW_ASSIGN_OR_RETURN(paths, paths_of(data, inputs));
  DataSets sets;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TW_ASSIGN_OR_RETURN(set, open_one(paths[i], options, inputs[i]));
    sets.push_back(std::move(set));
  }
  TW_RETURN_IF_ERROR(check_counts(sets, inputs));
  return sets;
}

namespace {

constexpr const char* kLabels = "labels";

// Returns whole numbers, one for each sample.
Result<std::vector<int>> labels_of(const Array& array, const std::string& path) {
  std::vector<int> labels;
  const auto wrong = [&](const std::string& value, const char* why) {
    return Error(errors::net_data_label).in("labels").argument(path, value).detail(why);
  };
  if (array.shape.empty() || array.count() != array.shape.front())
    return wrong(fmt::format("array ({})", fmt::join(array.shape, ",")),
                 "an array of classes has one number for each sample");
  for (size_t i = 0; i < array.count(); ++i) {
    const double value = number_at(array.bytes, array.kind, array.element_bytes, i);
    if (!(value >= 0 && value < INT32_MAX) || value != std::floor(value))
      return wrong(fmt::format("{}", value), "classes are whole numbers from 0 on");
    labels.push_back(static_cast<int>(value));
  }
  return labels;
}

// Takes the classes out of `data`, if they are given there: "labels=FILE.npy".
Result<std::vector<int>> take_labels(std::vector<std::string>& data) {
  const std::string begin = std::string(kLabels) + "=";
  const auto given =
      std::ranges::find_if(data, [&](const std::string& text) { return text.starts_with(begin); });
  if (given == data.end()) {
    if (data.size() != 1 || !data[0].ends_with(".npz")) return std::vector<int>();
    TW_ASSIGN_OR_RETURN(arrays, read_npz(data[0]));
    const auto found = arrays.find(kLabels);
    if (found == arrays.end()) return std::vector<int>();
    return labels_of(found->second, data[0]);
  }
  const std::string path = given->substr(begin.size());
  data.erase(given);
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path));
  TW_ASSIGN_OR_RETURN(array, read_npy(std::move(bytes)));
  return labels_of(array, path);
}

bool has_labels(const net::DataSet& set) {
  for (size_t i = 0; i < set.size(); ++i)
    if (set.label(i) >= 0) return true;
  return false;
}

}  // namespace

Result<LabelledSamples> open_labelled(const std::vector<std::string>& data,
                                      const net::DataOptions& options,
                                      const std::vector<net::SampleInput>& inputs) {
  LabelledSamples result;
  std::vector<std::string> samples = data;
  if (std::ranges::find(inputs, kLabels, &net::SampleInput::name) == inputs.end()) {
    TW_ASSIGN_OR_RETURN(labels, take_labels(samples));
    result.labels = std::move(labels);
  }
  TW_ASSIGN_OR_RETURN(sets, open_samples(samples, options, inputs));
  result.sets = std::move(sets);
  const size_t count = result.sets.empty() ? 0 : result.sets[0]->size();
  if (!result.labels.empty() && result.labels.size() != count)
    return Error(errors::net_data_label)
        .in("labels")
        .argument("classes", std::to_string(result.labels.size()))
        .detail(fmt::format("there are {} samples", count));
  if (!result.labels.empty()) return result;
  const auto from = std::ranges::find_if(result.sets, [](const auto& s) { return has_labels(*s); });
  for (size_t i = 0; i < count; ++i)
    result.labels.push_back(from == result.sets.end() ? -1 : (*from)->label(i));
  return result;
}

}  // namespace tputwin::tools
