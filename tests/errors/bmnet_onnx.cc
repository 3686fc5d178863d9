// TW-NET: ONNX models. The tests write their bytes field by field, without the format's library.
#include <fstream>

#include "base/errors/bmnet.h"
#include "bmnet/onnx/load.h"
#include "common/temporary_directory.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

std::string part(int field, const std::string& bytes) {
  return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}
std::string number(int field, int value) {
  return {static_cast<char>(field << 3), static_cast<char>(value)};
}

// Returns a graph of an input x of a type, a node, and further fields.
std::string onnx_model(int opset, const std::string& type, const std::string& op,
                       const std::string& more = "") {
  const std::string node = part(1, "x") + part(2, "y") + part(4, op);
  const std::string graph = part(1, node) + more + part(11, part(1, "x") + part(2, part(1, type))) +
                            part(12, part(1, "y"));
  return number(1, 8) + part(7, graph) + part(8, number(2, opset));
}

const std::string kFour = number(1, 1) + part(2, part(1, number(1, 4)));

Status load_onnx(const std::string& bytes) {
  const TemporaryDirectory folder;
  const std::string path = folder / "model.onnx";
  std::ofstream(path, std::ios::binary) << bytes;
  return net::load_net(path, "").status();
}

TW_TRIGGER(net_onnx, [] { return load_onnx("no model"); });
TW_TRIGGER(net_onnx_opset, [] { return load_onnx(onnx_model(3, kFour, "Relu")); });
TW_TRIGGER(net_onnx_operator, [] { return load_onnx(onnx_model(13, kFour, "NonZero")); });
TW_TRIGGER(net_onnx_shape, [] { return load_onnx(onnx_model(13, number(1, 1), "Relu")); });
TW_TRIGGER(net_onnx_external, [] {
  const std::string place = part(1, "location") + part(2, "../w.bin");
  return load_onnx(onnx_model(
      13, kFour, "Relu",
      part(5, number(1, 1) + number(2, 1) + part(8, "w") + part(13, place) + number(14, 1))));
});
TW_TRIGGER(net_onnx_reader, [] { return net::find_onnx_reader("libno_such_reader.so").status(); });

}  // namespace
}  // namespace tputwin::testing
