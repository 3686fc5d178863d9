#include <algorithm>

#include "bmodel/containers.h"
#include "fuzz/roundtrip.h"

namespace tputwin::fuzz {
namespace {

std::string run(std::span<const uint8_t> input) {
  auto write = [](const bmodel::Model& model) { return bmodel::write_v21(model); };
  return roundtrip(bmodel::read_v21(input), write, bmodel::read_v21);
}

// For the framing with weights after the message: reduces its size to the range that the file can
// hold. Otherwise mutations of message or weights would never be read.
std::vector<uint8_t> with_size_in_range(std::span<const uint8_t> input) {
  std::vector<uint8_t> file(input.begin(), input.end());
  uint32_t size = 0;
  for (size_t i = 0; i < 4; ++i) size |= uint32_t{file[4 + i]} << (8 * i);
  size %= static_cast<uint32_t>(std::min<size_t>(file.size() - 8, UINT32_MAX - 1) + 1);
  for (size_t i = 0; i < 4; ++i) file[4 + i] = static_cast<uint8_t>(size >> (8 * i));
  return file;
}

}  // namespace

std::string fuzz_bmodel_v21(std::span<const uint8_t> input) {
  if (std::string failure = run(input); !failure.empty()) return failure;
  if (input.size() < 8 || input[0] != 0xdd || !bmodel::has_v21_frame(input)) return "";
  return run(with_size_in_range(input));
}

}  // namespace tputwin::fuzz
