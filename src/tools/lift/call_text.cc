// C text of arguments, and the macros that shorten it.
#include "tools/lift/call_text.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "numerics/float16.h"

namespace tputwin::lift {

std::string identifier(std::string_view name) {
  std::string result;
  for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])) != 0)
    result.insert(0, "net_");
  return result;
}

namespace {

std::string float_literal(float value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

std::string real_text(uint32_t bits) {
  const float value = f32::from_bits(bits);
  return std::isfinite(value) ? float_literal(value) : fmt::format("F32_BITS({:#x})", bits);
}

// Returns a 32-bit literal of a signed number; the smallest number has none.
std::string signed_literal(int32_t value) {
  return value == INT32_MIN ? "(-2147483647 - 1)" : fmt::format("{}", value);
}

std::string scalar_text(const Constant& c) {
  const auto value = static_cast<int32_t>(c.bits);
  switch (c.dtype) {
    case DType::f32:
      return std::isfinite(f32::from_bits(c.bits))
                 ? fmt::format("F32({})", float_literal(f32::from_bits(c.bits)))
                 : fmt::format("U32({:#x})", c.bits);
    case DType::f16:
      return fmt::format("F16({:#x} /* {} */)", c.bits & 0xffff,
                         f16::to_f32(static_cast<uint16_t>(c.bits)));
    case DType::bf16:
      return fmt::format("BF16({:#x} /* {} */)", c.bits & 0xffff, f32::from_bits(c.bits << 16));
    case DType::u8:
      return fmt::format("U8({})", c.bits & 0xff);
    case DType::i8:
      return fmt::format("I8({})", static_cast<int8_t>(value));
    case DType::u16:
      return fmt::format("U16({})", c.bits & 0xffff);
    case DType::i16:
      return fmt::format("I16({})", static_cast<int16_t>(value));
    case DType::i32:
      return fmt::format("I32({})", signed_literal(value));
    default:
      return fmt::format("U32({:#x})", c.bits);
  }
}

std::string_view rounding_text(Rounding mode) {
  constexpr std::string_view kNames[] = {"RM_HALF_TO_EVEN", "RM_HALF_AWAY_FROM_ZERO",
                                         "RM_TOWARDS_ZERO", "RM_DOWN",
                                         "RM_UP",           "RM_HALF_UP",
                                         "RM_HALF_DOWN"};
  return kNames[static_cast<size_t>(mode)];
}

std::string_view type_text(DType dtype) {
  switch (dtype) {
#define TW_TYPE(type, name, code) \
  case DType::type:               \
    return #code;
#include "tools/lift/types.def"
    default:
      return "DT_FP32";
  }
}

std::string four(std::string_view macro, const std::array<uint32_t, 4>& of) {
  return fmt::format("{}({}, {}, {}, {})", macro, of[0], of[1], of[2], of[3]);
}

// Writes each kind of argument as text.
struct Writer {
  const Dialect& dialect;
  const GlobalNames& globals;
  const LocalNames& locals;

  std::string operator()(const Address& a) const {
    if (!a.is_used) return "NO_USE";
    if (a.place == Place::tables) return fmt::format("{:#x}", a.at);
    return a.place == Place::local ? locals.text(a.at) : globals.text(a.at);
  }
  std::string operator()(const Extents& e) const { return four("DIMS", e.of); }
  std::string operator()(const Steps& s) const { return s.of ? four("STRIDE", *s.of) : "NULL"; }
  std::string operator()(const Pair& p) const { return fmt::format("HW({}, {})", p.h, p.w); }
  std::string operator()(const Padding& p) const {
    return fmt::format("PAD({}, {}, {}, {})", p.top, p.bottom, p.left, p.right);
  }
  std::string operator()(const Number& n) const { return fmt::format("{}", n.value); }
  std::string operator()(const Flag& f) const { return f.value ? "true" : "false"; }
  std::string operator()(const Real& r) const { return real_text(r.bits); }
  std::string operator()(const Scalar& s) const { return scalar_text(s); }
  std::string operator()(const Variable& v) const {
    using Kind = Variable::Kind;
    const std::string_view suffix = v.is_choice && !dialect.has_scalars ? "_X32" : "";
    if (v.kind == Kind::vector) return fmt::format("ONE_A_NPU({})", (*this)(v.address));
    if (v.kind == Kind::tensor) return fmt::format("AT{}({})", suffix, (*this)(v.address));
    if (dialect.has_scalars) return fmt::format("VALUE({})", scalar_text(v.constant));
    return suffix.empty() ? fmt::format("VALUE({})", real_text(v.constant.bits))
                          : fmt::format("VALUE_X32(U32({:#x}))", v.constant.bits);
  }
  std::string operator()(DType dtype) const { return std::string(type_text(dtype)); }
  std::string operator()(Rounding mode) const { return std::string(rounding_text(mode)); }
  std::string operator()(const PackedTypes& t) const {
    auto name = [](DType type) {
      return fmt::format("{}{}", is_signed(type) ? 'S' : 'U', 8 * element_bytes(type));
    };
    return fmt::format("{}_OP_{}_TO_{}", name(t.a), name(t.b), name(t.out));
  }
};

}  // namespace

std::string text(const Argument& argument, const Dialect& dialect, const GlobalNames& globals,
                 const LocalNames& locals) {
  return std::visit(Writer{dialect, globals, locals}, argument);
}

std::string call_text(std::string_view name, const std::vector<std::string>& arguments,
                      size_t indent) {
  constexpr size_t kWidth = 100;
  std::string all, line = fmt::format("{:{}}{}(", "", indent, name);
  const std::string next_line(indent + 4, ' ');
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string word = arguments[i] + (i + 1 < arguments.size() ? "," : ");");
    const bool first = line.back() == '(' || line == next_line;
    if (line.size() + word.size() + 1 > kWidth) {
      all += line + "\n";
      line = next_line + word;
    } else {
      line += (first ? "" : " ") + word;
    }
  }
  if (arguments.empty()) line += ");";
  return all + line + "\n";
}

std::string comment_text(std::string_view text, size_t indent) {
  constexpr size_t kWidth = 96;
  std::string all, line = fmt::format("{:{}}/*", "", indent);
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    std::string word(text.substr(0, end));
    for (size_t at; (at = word.find("*/")) != std::string::npos;) word.replace(at, 2, "* /");
    if (line.size() + word.size() + 1 > kWidth) {
      all += line + "\n";
      line = fmt::format("{:{}} *", "", indent);
    }
    line += " " + word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all + line + " */\n";
}

std::string macros_for(std::string_view code, const Dialect& dialect) {
  std::string macros, all(code);
  for (const Macro& macro : dialect.macros) {
    const size_t length = macro.name.size();
    const bool takes_arguments = macro.definition[length] == '(';
    const std::string_view use = macro.definition.substr(0, length + (takes_arguments ? 1 : 0));
    bool is_used = false;
    for (size_t at = all.find(use); at != std::string::npos; at = all.find(use, at + 1)) {
      const auto before = at == 0 ? ' ' : all[at - 1];
      is_used |= std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_';
    }
    if (is_used) macros += fmt::format("#define {}\n", macro.definition);
  }
  return macros;
}

}  // namespace tputwin::lift
