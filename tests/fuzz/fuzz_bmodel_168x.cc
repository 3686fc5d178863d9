// Files of BM1684 and BM1684X: any bytes; and any message and binary part in a frame that fits.
#include <algorithm>

#include "bmodel/bm168x/frame.h"
#include "bmodel/bm168x/model.h"
#include "bmodel/bm168x/subnets.h"
#include "bmodel/little_endian.h"
#include "fuzz/targets.h"

namespace tputwin::fuzz {
namespace {

using namespace bmodel::bm168x;

std::string roundtrip_168x(std::span<const uint8_t> input) {
  auto file = read(input);
  if (!file.ok()) return "";
  const auto bytes = write(file->model, file->binary);
  auto again = read(bytes);
  if (!again.ok()) return "what was written cannot be read: " + again.status().message();
  if (write(again->model, again->binary) != bytes) return "what was written reads back different";
  static_cast<void>(message_text(input));
  for (const auto& net : file->model.net)
    for (const auto& stage : net->parameter) static_cast<void>(subnet_graph(*stage));
  return "";
}

// Reduces the frame's sizes to the range that the file can hold. Otherwise mutations of the message
// would never be read.
Bytes with_sizes_in_range(std::span<const uint8_t> input) {
  Bytes file(input.begin(), input.end());
  const auto available =
      static_cast<uint32_t>(std::min<size_t>(file.size() - kHeaderBytes, 1u << 30));
  const auto message = bmodel::little_endian<uint32_t>(input.subspan(8)) % (available + 1);
  Bytes header;
  for (uint32_t word : {kMagic, uint32_t{kHeaderBytes}, message, available - message})
    bmodel::append_little_endian(header, word);
  header.resize(kHeaderBytes);
  std::copy(header.begin(), header.end(), file.begin());
  return file;
}

}  // namespace

std::string fuzz_bmodel_168x(std::span<const uint8_t> input) {
  if (std::string failure = roundtrip_168x(input); !failure.empty()) return failure;
  return input.size() < kHeaderBytes ? "" : roundtrip_168x(with_sizes_in_range(input));
}

}  // namespace tputwin::fuzz
