// float_function: contract, cost and reference kernel.
#include "ops/elementwise/float_function.h"

#include <algorithm>

#include "base/bits.h"
#include "base/errors/tpukernel.h"
#include "memory/layout.h"
#include "numerics/constant_tables.h"
#include "ops/contract/attributes.h"
#include "ops/contract/kernel_steps.h"
#include "ops/contract/timing.h"
#include "ops/rules/bm1684x.h"

namespace tputwin {
namespace {

// The lane of a channel, and its round over all lanes.
struct Place {
  uint32_t lane;
  uint64_t in_round;
};
Place place_of(const TensorView& view, const LocalMemory& local, uint32_t c) {
  const uint64_t channel = view.address / local.lane_bytes() + c;
  return {static_cast<uint32_t>(channel % local.lanes()), channel / local.lanes()};
}

// ---- functions of any floating-point type ----

float taylor(const FloatFunction& op, const Memory& memory, uint32_t lane, float x) {
  const DType type = op.out.dtype;
  auto coefficient = [&](uint32_t i) { return read_float(memory, *op.coeff, 0, lane, 0, i); };
  uint32_t i = op.coeff->shape.w - 1;
  float sum = coefficient(i);
  while (i-- > 0) sum = round_to(f32::add(round_to(f32::mul(x, sum), type), coefficient(i)), type);
  return sum;
}

float hsigmoid(const FloatFunction& op, float x) {
  const DType type = op.out.dtype;
  const float alpha = round_to(op.parameters.alpha, type),
              beta = round_to(op.parameters.beta, type);
  const float y = round_to(f32::add(round_to(f32::mul(x, alpha), type), beta), type);
  return f32::min(f32::max(y, 0.0f), 1.0f);
}

float hswish(const FloatFunction& op, float x) {
  const DType type = op.out.dtype;
  const float shifted = round_to(f32::add(x, 3.0f), type);
  const float clamped = f32::min(f32::max(shifted, 0.0f), 6.0f);
  return f32::mul(round_to(f32::mul(clamped, x), type), round_to(1.0f / 6.0f, type));
}

// The planes of the results in one lane, in bytes from the first one. A plane exists if it has a
// channel.
struct ResultPlanes {
  uint64_t rounds, start, channels, count, plane, bytes;  // `bytes` counts the elements of a plane

  explicit ResultPlanes(const FloatFunction& op, const LocalMemory& local) {
    const TensorView& out = op.out;
    start = out.address / local.lane_bytes();
    channels = out.shape.c;
    rounds = (start + channels + local.lanes() - 1) / local.lanes();
    count = out.shape.n * rounds;
    plane = rounds > 1 ? out.stride.c : out.stride.n;
    bytes = uint64_t{out.shape.h} * out.shape.w * element_bytes(out.dtype);
  }
  bool exists(uint64_t index, uint32_t lane, uint32_t lanes) const {
    const uint64_t channel = index % rounds * lanes + lane;
    return index < count && channel >= start && channel - start < channels;
  }
};

// ---- operands ----

constexpr bool has_log(FloatFunction::Kind kind) {
  return kind == FloatFunction::Kind::pow || kind == FloatFunction::Kind::softplus ||
         kind == FloatFunction::Kind::log_sigmoid ||
         (FloatFunction::Kind::log <= kind && kind <= FloatFunction::Kind::arctanh);
}
constexpr bool is_erf(FloatFunction::Kind kind) {
  return FloatFunction::Kind::erf <= kind && kind <= FloatFunction::Kind::gelu;
}

// Returns the number of terms of the function's own series.
constexpr uint32_t terms_of(FloatFunction::Kind kind) {
  if (has_log(kind)) return function32::kLogTerms;
  if (is_erf(kind)) return function32::kErfTerms;
  if (kind == FloatFunction::Kind::arcsin || kind == FloatFunction::Kind::arccos)
    return function32::kArcsinTerms;
  if (FloatFunction::Kind::sin <= kind && kind <= FloatFunction::Kind::cot)
    return function32::kPeriodTerms;
  return kind == FloatFunction::Kind::taylor ? 2 : 0;
}

constexpr bool is_exponential(FloatFunction::Kind kind) {
  return is_function32(kind) && function32::is_exponential(function32_kind(kind));
}

// Returns results and sources, which are tensors of one shape.
OperandList tensors(const FloatFunction& op) {
  OperandList list{{"dst_addr", &op.out, Access::write}};
  if (destroys_source(op.kind))
    list.push_back({"src_addr", &op.a.view, Access::read_write});
  else
    add_sources(list, op.a, op.b);
  return list;
}

void add_work(OperandList& list, const FloatFunction& op) {
  constexpr std::string_view kNames[] = {"work0_addr", "work1_addr", "work2_addr", "work3_addr"};
  const bool numbered = op.work[1] || !is_function32(op.kind);
  for (size_t i = 0; i < op.work.size(); ++i)
    if (op.work[i])
      list.push_back({numbered ? kNames[i] : "work_addr", &*op.work[i], Access::read_write});
}

void add_tables(OperandList& list, const FloatFunction& op) {
  const bool one = !op.exp_coeff || !op.coeff;  // only one kind of tables
  if (op.exp_coeff)
    list.push_back({one ? "coeff_addr" : "exp_coeff_addr", &*op.exp_coeff, Access::read});
  if (op.exp_table)
    list.push_back({one ? "table_addr" : "exp_table_addr", &*op.exp_table, Access::read});
  if (op.coeff)
    list.push_back({one               ? "coeff_addr"
                    : is_erf(op.kind) ? "erf_coeff_addr"
                                      : "log_coeff_addr",
                    &*op.coeff, Access::read});
}

// ---- rules ----

// Returns true if rows have no gaps and planes start at multiples of eu_bytes.
bool is_aligned(const TensorView& view, const Chip& chip) {
  const Stride wanted = lane_stride(chip, view.shape, view.address / chip.lane_bytes,
                                    element_bytes(view.dtype), /*aligned=*/true);
  auto same = [](uint64_t extent, uint32_t a, uint32_t b) { return extent == 1 || a == b; };
  const Shape& s = view.shape;
  const uint64_t rounds = ceil_div(view.address / chip.lane_bytes + s.c, uint64_t{chip.lanes});
  return view.address % chip.eu_bytes == 0 && same(s.n, view.stride.n, wanted.n) &&
         same(rounds, view.stride.c, wanted.c) && same(s.h, view.stride.h, wanted.h) &&
         same(s.w, view.stride.w, wanted.w);
}

Status check_type(const FloatFunction& op, std::string_view name, const TensorView& view) {
  const bool valid = is_function32(op.kind) ? view.dtype == DType::f32
                                            : is_float(view.dtype) && view.dtype == op.out.dtype;
  return require(valid, errors::tpu_element, name, view);
}

Status check_table(const FloatFunction& op, std::string_view name,
                   const std::optional<TensorView>& table, uint32_t terms, const Chip& chip) {
  if (terms == 0) return {};
  if (!table) return violated(errors::tpu_value, name, op.out);
  TW_RETURN_IF_ERROR(check_bm1684x_operand(name, *table, chip));
  TW_RETURN_IF_ERROR(check_bm1684x_npu_0(name, *table, chip));
  TW_RETURN_IF_ERROR(require(is_aligned(*table, chip), errors::tpu_layout, name, *table));
  const Shape& s = table->shape;
  const bool every_lane = s.n == 1 && s.c == chip.lanes && s.h == 1 && s.w >= terms;
  const ErrorId rule =
      op.kind == FloatFunction::Kind::taylor ? errors::tpu_taylor_terms : errors::tpu_extents;
  TW_RETURN_IF_ERROR(require(every_lane, rule, name, s));
  return check_type(op, name, *table);
}

bool share_bytes(const TensorView& a, const TensorView& b, const Chip& chip) {
  return a == b || overlap_in_part(a, b, chip);
}

bool is_one_command(FloatFunction::Kind kind) {
  return kind == FloatFunction::Kind::div || kind == FloatFunction::Kind::taylor;
}

// Checks that work tensors and tables are disjoint from each other and from results and sources.
Status check_disjoint(const OperandList& list, size_t tensors, const Chip& chip) {
  for (size_t i = tensors; i < list.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      TW_RETURN_IF_ERROR(require(!share_bytes(*list[i].view, *list[j].view, chip),
                                 errors::tpu_work_overlap, list[i].name, *list[i].view));
  return {};
}

// ---- cost ----

// Returns the arithmetic steps of one element.
uint64_t passes(const FloatFunction& op) {
  const uint64_t root = 5 * op.parameters.iterations + 2, quotient = root + 2;
  const uint64_t exp = 2 * function32::kExpTerms + 5;
  const uint64_t log = 2 * function32::kLogTerms + quotient + 6;
  const uint64_t own = has_log(op.kind) ? log : 2 * terms_of(op.kind);
  switch (op.kind) {
    case FloatFunction::Kind::div:
      return quotient;
    case FloatFunction::Kind::compensated_reciprocal:
      return quotient + 2 + 6 * op.parameters.corrections;
    case FloatFunction::Kind::rsqrt:
    case FloatFunction::Kind::sqrt:
    case FloatFunction::Kind::softsign:
      return root + 2;
    case FloatFunction::Kind::taylor:
      return 2 * op.coeff->shape.w;
    case FloatFunction::Kind::hsigmoid:
    case FloatFunction::Kind::hswish:
      return 5;
    case FloatFunction::Kind::isfinite:
      return 2;
    default:
      return (is_exponential(op.kind) ? exp + quotient : root) + own + 4;
  }
}

}  // namespace

std::string_view to_string(FloatFunction::Kind kind) {
  constexpr std::string_view kTyped[] = {"taylor", "hsigmoid", "hswish", "isfinite"};
  if (is_function32(kind)) return function32::to_string(function32_kind(kind));
  return kTyped[static_cast<size_t>(kind) - static_cast<size_t>(FloatFunction::Kind::taylor)];
}

std::string_view name(const FloatFunction& op) { return to_string(op.kind); }

void attributes(const FloatFunction& op, AttributeSink& to) {
  const function32::Parameters &p = op.parameters, usual;
  if (op.kind == FloatFunction::Kind::div || op.kind == FloatFunction::Kind::pow)
    to.constants(op.a, op.b);
  if (p.iterations != usual.iterations) to.number("iterations", p.iterations);
  if (p.corrections != usual.corrections) to.number("corrections", p.corrections);
  if (p.alpha != usual.alpha) to.real("alpha", p.alpha);
  if (p.beta != usual.beta) to.real("beta", p.beta);
}

OperandList operands(const FloatFunction& op) {
  OperandList list = tensors(op);
  add_work(list, op);
  add_tables(list, op);
  if (op.entries) list.push_back({"dst_addr", &*op.entries, Access::write});
  return list;
}

Status check(const FloatFunction& op, const Chip& chip) {
  OperandList list = tensors(op);
  const size_t count = list.size();
  add_work(list, op);
  TW_RETURN_IF_ERROR(check_bm1684x_elementwise(list, chip));
  for (size_t i = 0; i < count; ++i)
    TW_RETURN_IF_ERROR(check_type(op, list[i].name, *list[i].view));
  const uint32_t exp_terms = is_exponential(op.kind) ? function32::kExpTerms : 0;
  // Static memory has the table if the lanes do not.
  const uint32_t exp_entries =
      is_exponential(op.kind) && op.exp_table ? function32::kExpEntries : 0;
  TW_RETURN_IF_ERROR(check_table(op, "exp_coeff_addr", op.exp_coeff, exp_terms, chip));
  TW_RETURN_IF_ERROR(check_table(op, "exp_table_addr", op.exp_table, exp_entries, chip));
  TW_RETURN_IF_ERROR(check_table(op, "coeff_addr", op.coeff, terms_of(op.kind), chip));
  add_tables(list, op);
  if (!is_one_command(op.kind)) TW_RETURN_IF_ERROR(check_disjoint(list, count, chip));
  const function32::Parameters& p = op.parameters;
  const bool corrects = op.kind == FloatFunction::Kind::compensated_reciprocal;
  TW_RETURN_IF_ERROR(require(p.iterations >= 1, errors::tpu_iterations, "num_iter", p.iterations));
  TW_RETURN_IF_ERROR(
      require(!corrects || p.corrections >= 1, errors::tpu_iterations, "num_comp", p.corrections));
  if (op.entries) {
    TW_RETURN_IF_ERROR(require(is_aligned(op.out, chip), errors::tpu_layout, "dst_addr", op.out));
    TW_RETURN_IF_ERROR(
        require(is_aligned(*op.entries, chip), errors::tpu_layout, "dst_addr", *op.entries));
  }
  return {};
}

Cost cost(const FloatFunction& op, const Chip& chip) {
  const uint64_t steps = passes(op);
  return compute_cost(lane_passes(op.out.shape, chip, element_bytes(op.out.dtype)) * steps,
                      op.out.shape.count() * steps, operands(op), chip);
}

float typed_element(const FloatFunction& op, const Memory& memory, uint32_t lane, float x) {
  switch (op.kind) {
    case FloatFunction::Kind::taylor:
      return taylor(op, memory, lane, x);
    case FloatFunction::Kind::hsigmoid:
      return hsigmoid(op, x);
    case FloatFunction::Kind::hswish:
      return hswish(op, x);
    default:
      return (f32::bits(x) & 0x7f80'0000) == 0x7f80'0000 ? 0.0f : 1.0f;
  }
}

function32::Tables tables_in(const FloatFunction& op, const Memory& memory, uint32_t lane) {
  auto words = [&](const std::optional<TensorView>& table) {
    return table ? reinterpret_cast<const function32::AnyByteFloat*>(
                       memory.byte(*table, 0, lane, 0, 0))
                 : nullptr;
  };
  const function32::AnyByteFloat* powers = words(op.exp_table);
  if (powers == nullptr)
    powers = reinterpret_cast<const float*>(&static_words()[kExpTable.address / 4]);
  return {words(op.exp_coeff), powers, words(op.coeff)};
}

void leave_entries(const FloatFunction& op, const Memory& memory) {
  if (!op.entries) return;
  const TensorView& entries = *op.entries;
  const Shape& s = entries.shape;
  const LocalMemory& local = memory.local;
  const ResultPlanes results(op, local);
  // The results cover all entries, which are shorter.
  if (results.count == 1) return;
  const uint64_t elements = uint64_t{s.h} * s.w;

  auto leave = [&](uint32_t n, uint32_t c, uint64_t element, const function32::Tables& tables) {
    const auto h = static_cast<uint32_t>(element / s.w), w = static_cast<uint32_t>(element % s.w);
    const float x = op.a.read_f32(memory, n, c, h, w), y = op.b.read_f32(memory, n, c, h, w);
    const uint32_t entry =
        function32::table_index(function32_kind(op.kind), x, y, op.parameters, tables);
    memory.write(entries, n, c, h, w, static_cast<int32_t>(entry));
  };
  for (uint32_t n = 0; n < s.n; ++n)
    for (uint32_t c = 0; c < s.c; ++c) {
      const Place place = place_of(entries, local, c);
      const function32::Tables tables = tables_in(op, memory, place.lane);
      const uint64_t first = uint64_t{n} * entries.stride.n + place.in_round * entries.stride.c;
      for (uint64_t i = 0; i < elements;) {
        const uint64_t at = first + 2 * i, index = at / results.plane, in = at % results.plane;
        uint64_t next = results.plane;  // no result covers the rest
        if (results.exists(index, place.lane, local.lanes()) && in < results.bytes)
          next = results.bytes;  // results cover it up to here
        else
          for (uint64_t j = i; j < std::min(elements, i + (next - in) / 2); ++j)
            leave(n, c, j, tables);
        i += (next - in) / 2;
      }
    }
}

void execute(const FloatFunction& op, const Memory& memory) {
  leave_entries(op, memory);
  for_each_index(op.out.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
    const uint32_t lane = place_of(op.out, memory.local, c).lane;
    if (!is_function32(op.kind)) {
      const float x = read_float(memory, op.a, n, c, h, w);
      write_float(memory, op.out, n, c, h, w, typed_element(op, memory, lane, x));
      return;
    }
    const float x = op.a.read_f32(memory, n, c, h, w), y = op.b.read_f32(memory, n, c, h, w);
    const function32::Outcome outcome = function32::evaluate(
        function32_kind(op.kind), x, y, op.parameters, tables_in(op, memory, lane));
    if (destroys_source(op.kind)) memory.write_f32(op.a.view, n, c, h, w, outcome.source);
    memory.write_f32(op.out, n, c, h, w, outcome.result);
  });
}

}  // namespace tputwin
