// ONNX models: any bytes give a net or an error.
#include "fuzz/onnx_seeds.h"

#include "bmnet/onnx/load.h"
#include "fuzz/network.h"

namespace tputwin::fuzz {
namespace {

net::ReadOnnx* reader() {
  static net::ReadOnnx* const found = [] {
    auto read = net::find_onnx_reader("libtputwin_onnx.so");
    return read.ok() ? *read : nullptr;
  }();
  return found;
}

}  // namespace

std::string fuzz_onnx(std::span<const uint8_t> input) {
  if (reader() == nullptr) return "no reader";
  auto loaded = reader()(input, "model.onnx", {});
  if (!loaded.ok()) return "";
  auto network = net::import_caffe(loaded->net);
  if (!network.ok()) return "the net that was read is refused: " + network.error().message();
  if (!net::verify(*network).ok()) return "an imported network is not in order";
  return import_all(loaded->net, true);
}

bool is_onnx(std::span<const uint8_t> input) {
  return reader() != nullptr && reader()(input, "model.onnx", {}).ok();
}

}  // namespace tputwin::fuzz
