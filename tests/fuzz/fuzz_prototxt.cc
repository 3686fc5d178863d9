#include "fuzz/network.h"
#include "fuzz/targets.h"

namespace tputwin::fuzz {

std::string fuzz_prototxt(std::span<const uint8_t> input) {
  auto read = net::read_prototxt({reinterpret_cast<const char*>(input.data()), input.size()});
  if (!read.ok()) return "";
  const std::string text = net::to_prototxt(*read);
  auto again = net::read_prototxt(text);
  if (!again.ok()) return "what was written cannot be read: " + again.error().message();
  if (net::to_prototxt(*again) != text) return "what was written reads back different";
  auto merged = net::merge_caffe(*read, *read);
  if (!merged.ok()) return "";
  return import_all(*merged, false);
}

}  // namespace tputwin::fuzz
