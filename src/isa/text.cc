// Operands and parameters of instructions as a line, or as JSON members.
#include "isa/text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tputwin::isa {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kEngineNames[] = {"BD", "CPU", "GDMA"};  // by Engine
constexpr std::string_view kFlagNames[] = {"none", "neuron", "weight"};

std::string_view engine_name(Engine engine) { return kEngineNames[static_cast<size_t>(engine)]; }
Engine other(Engine engine) { return engine == Engine::compute ? Engine::dma : Engine::compute; }

// What an operation has besides its operands, under the names both forms use.
std::string axes(uint32_t h, uint32_t w) { return fmt::format("{}x{}", h, w); }

void add_window(Json& json, const Window& window) {
  const Axis &h = window.h, &w = window.w;
  json["kernel"] = axes(h.kernel, w.kernel);
  if (h.stride != 1 || w.stride != 1) json["stride"] = axes(h.stride, w.stride);
  if (h.dilation != 1 || w.dilation != 1) json["dilation"] = axes(h.dilation, w.dilation);
  if (h.pad_before || h.pad_after || w.pad_before || w.pad_after)
    json["pad"] = fmt::format("{},{},{},{}", h.pad_before, h.pad_after, w.pad_before, w.pad_after);
  if (h.insert || h.insert_last || w.insert || w.insert_last)
    json["insert"] = fmt::format("{},{},{},{}", h.insert, h.insert_last, w.insert, w.insert_last);
}

template <class Convolution>
void add_convolution(Json& json, const Convolution& op) {
  add_window(json, op.window);
  if (op.relu) json["relu"] = true;
  json["rshift"] = op.rshift;
}

void add(Json& json, const Conv2dBm1880& op) { add_convolution(json, op); }
void add(Json& json, const Winograd2d& op) { add_convolution(json, op); }
void add(Json& json, const Depthwise2dBm1880& op) {
  add_window(json, op.window);
  json["rshift"] = op.rshift;
}
void add(Json& json, const Pool2dBm1880& op) {
  add_window(json, op.window);
  if (op.kind == Pool2dBm1880::Kind::maximum) return;
  json["multiplier"] = op.multiplier;
  json["rshift"] = op.rshift;
}
void add(Json& json, const MatrixMac& op) {
  json["size"] = fmt::format("{}x{}x{}", op.left.rows, op.left.cols, op.right.cols);
  if (op.relu) json["relu"] = true;
  if (op.accumulate) json["lshift"] = op.lshift;
  json["rshift"] = op.rshift;
}
void add(Json& json, const Elementwise& op) {
  using Kind = Elementwise::Kind;
  if (op.b_is_constant && op.kind != Kind::copy) json["constant"] = op.constant;
  if (op.kind == Kind::mac) json["lshift"] = op.lshift;
  if (op.kind == Kind::mac || op.kind == Kind::mul) json["rshift"] = op.rshift;
}
void add(Json& json, const DmaTensor& op) {
  if (op.transpose_nc) json["transpose"] = true;
}
void add(Json& json, const DmaMatrix& op) {
  json["size"] = axes(op.dst.rows, op.dst.cols);
  if (op.transpose) json["transpose"] = true;
}
void add(Json& json, const DmaLrnShift& op) {
  json["direction"] = op.right ? "right" : "left";
  json["step"] = op.step;
}
void add(Json& json, const DmaWinogradKernel& op) { json["scale"] = op.scale; }
void add(Json& json, const CpuCall& op) {
  json[op.sync ? "label" : "operator"] = op.name;
  if (!op.sync) json["params_bytes"] = op.params.size();
}

// Sources that are no tensors.
void add_constant(Json& json, std::string_view key, const Source& source) {
  if (source.is_constant) json[std::string(key)] = fmt::format("{:#x}", source.constant);
}
void add_constants(Json& json, const Source& a, const Source& b) {
  add_constant(json, "a", a);
  add_constant(json, "b", b);
}
void add(Json& json, const Conv2dBm1684& op) {
  add_window(json, op.window);
  if (op.accumulate) json["accumulate"] = true;
}
void add(Json& json, const Depthwise2dBm1684& op) { add_window(json, op.window); }
void add(Json& json, const Pool2dBm1684& op) { add_window(json, op.window); }
void add(Json& json, const MatmulBm1684& op) {
  json["size"] = fmt::format("{}x{}x{}", op.left.rows, op.left.cols, op.right.cols);
  if (op.accumulate) json["accumulate"] = true;
}
void add(Json& json, const FloatArithmetic& op) {
  add_constants(json, op.a, op.b);
  if (op.kind == FloatArithmetic::Kind::mul_add) add_constant(json, "c", op.c);
  if (op.b_first) json["b_first"] = true;
}
void add(Json& json, const IntArithmetic& op) {
  add_constants(json, op.a, op.b);
  if (op.shift.is_constant) json["shift"] = static_cast<int32_t>(op.shift.constant);
  json["rounding"] = static_cast<int>(op.rounding);
  if (op.saturates) json["saturate"] = true;
  if (op.kind == IntArithmetic::Kind::mac) json["lshift"] = op.lshift;
}
void add(Json& json, const Bitwise& op) { add_constants(json, op.a, op.b); }
void add(Json& json, const Select& op) {
  add_constants(json, op.a, op.b);
  add_constant(json, "if_true", op.if_true);
  add_constant(json, "if_false", op.if_false);
}
void add(Json& json, const UnaryF32& op) {
  if (is_series(op.kind)) json["terms"] = op.terms;
}
void add(Json& json, const ChannelAffine& op) {
  if (op.accumulate) json["accumulate"] = true;
  if (op.adds_zero) json["adds_zero"] = true;
}
void add(Json& json, const FixedPoint& op) {
  add_constants(json, op.a, op.b);
  if (op.kind == FixedPoint::Kind::mac) {
    json["old"] = to_string(op.old_type);
    json["lshift"] = op.lshift;
  }
  if (op.kind <= FixedPoint::Kind::mac) json["rshift"] = op.rshift;
}
void add(Json& json, const Mul16By8& op) { json["rshift"] = op.rshift; }
void add(Json& json, const MulS16ByU8& op) { json["rshift"] = op.rshift; }
void add(Json& json, const Copy& op) { add_constant(json, "value", op.src); }
void add(Json& json, const CopyMatrix& op) { json["size"] = axes(op.dst.rows, op.dst.cols); }
// Operations that are all operands.
template <class Op>
void add(Json&, const Op&) {}

Json attributes(const Operation& operation) {
  Json json = Json::object();
  std::visit([&](const auto& op) { add(json, op); }, operation);
  return json;
}

std::string_view access_name(Access access) {
  constexpr std::string_view names[] = {"read", "write", "read_write"};
  return names[static_cast<size_t>(access)];
}

Json to_json(const Operand& operand) {
  const TensorView& v = *operand.view;
  Json json{{"name", operand.name},
            {"access", access_name(operand.access)},
            {"space", to_string(v.space)},
            {"type", to_string(v.dtype)},
            {"address", v.address},
            {"shape", {v.shape.n, v.shape.c, v.shape.h, v.shape.w}},
            {"stride", {v.stride.n, v.stride.c, v.stride.h, v.stride.w}}};
  if (v.pack > 1) json["pack"] = v.pack;
  if (is_16bit(v.dtype) || v.plane_stride) json["plane_stride"] = v.plane_stride;
  return json;
}

Json to_json(const Command& command) {
  const Instruction& in = command.instruction;
  Json json{{"offset", command.offset}, {"engine", engine_name(in.engine)}};
  if (in.engine != Engine::cpu) {
    json["id"] = in.id;
    json["wait"] = in.wait;
  }
  if (command.flags != kFlagNone) json["flag"] = kFlagNames[command.flags];
  json["op"] = name(in.op);
  json["operands"] = Json::array();
  for (const Operand& operand : operands(in.op)) json["operands"].push_back(to_json(operand));
  json.update(attributes(in.op));
  if (!command.residue.empty()) json["residue"] = Json::object();
  for (const auto& r : command.residue)
    json["residue"][std::string(residue_name(in.engine, r))] = r.value;
  return json;
}

}  // namespace

std::string to_text(const Instruction& in) {
  std::string text = fmt::format("{:4}", engine_name(in.engine));
  if (in.engine != Engine::cpu) text += fmt::format(" {:5}", in.id);
  if (in.wait) text += fmt::format(" <- {} {}", engine_name(other(in.engine)), in.wait);
  text += fmt::format("  {}", name(in.op));
  for (const Operand& operand : operands(in.op))
    text += fmt::format(" {}={}", operand.name, describe(*operand.view));
  const Json more = attributes(in.op);
  for (const auto& [key, value] : more.items()) {
    if (value.is_boolean())
      text += fmt::format(" {}", key);
    else
      text +=
          fmt::format(" {} {}", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

std::string to_text(const Command& command) {
  std::string text = fmt::format("{:#08x}  {}", command.offset, to_text(command.instruction));
  if (command.flags != kFlagNone) text += fmt::format("  [{}]", kFlagNames[command.flags]);
  return text;
}

// Text inside CPU records need not be UTF-8; bytes that are not are replaced.
std::string to_json(std::span<const Command> commands) {
  Json json = Json::array();
  for (const Command& command : commands) json.push_back(to_json(command));
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tputwin::isa
