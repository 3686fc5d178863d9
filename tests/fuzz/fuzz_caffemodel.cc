#include "bmnet/caffe/upgrade.h"
#include "fuzz/network.h"
#include "fuzz/targets.h"

namespace tputwin::fuzz {

std::string fuzz_caffemodel(std::span<const uint8_t> input) {
  auto read = net::read_caffemodel(input);
  auto weights = net::read_weights(input);
  if (read.ok() && !weights.ok()) return "the weights of a readable file are not";
  if (!read.ok()) return "";
  const std::string bytes = net::to_caffemodel(*read);
  auto again = net::read_caffemodel({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  if (!again.ok()) return "what was written cannot be read: " + again.error().message();
  if (net::to_caffemodel(*again) != bytes) return "what was written reads back different";
  if (auto text = net::read_prototxt(net::to_prototxt(*read)); !text.ok())
    return "the text cannot be read: " + text.error().message();
  auto merged = net::merge_caffe(*read, {});
  if (!merged.ok()) return "";
  return import_all(*merged, true);
}

}  // namespace tputwin::fuzz
