// The numbers of tensors.
//
// Without bytes all tensors have one type, but for layers that have their own. With bytes, an
// operation that has commands for them takes bytes of any scale. Others take and give floats.
// Operations that only move elements, or choose among them, keep the numbers of their input.
// Products whose results nothing reads as bytes give floats, which are more exact.
#include "bmnet/targets/bm1684x/choose_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bmnet/targets/bm1684x/functions/divided_gate.h"
#include "bmnet/targets/bm1684x/input_bytes.h"
#include "bmnet/targets/bm1684x/scalar_steps.h"
#include "memory/tensor_view.h"

namespace tputwin::net::bm1684x {
namespace {

constexpr float kSignedSteps = 128, kUnsignedSteps = 255;

bool is_product(const TensorOp& op) {
  return is(op, Op::convolution) || is(op, Op::inner_product) || is(op, Op::scale);
}

// Returns true if no result of the operation is negative.
bool is_never_negative(const TensorOp& op) {
  if (is(op, Op::convolution)) return op.tg_convolution_param().do_activation();
  if (is(op, Op::inner_product)) return op.tg_inner_product_param().do_activation();
  if (is(op, Op::scale)) return op.tg_scale_param().do_activation();
  if (is(op, Op::eltwise)) return op.tg_eltwise_param().do_activation();
  if (is(op, Op::clip)) return op.tg_clip_param().min() >= 0;
  if (is(op, Op::activation))
    return is_plain_relu(op) || op.tg_activation_param().activation() == ::bmnet::SIGMOID;
  return is(op, Op::function) && op.tg_function_param().name() == "hard_sigmoid";
}

class Choice {
 public:
  Choice(QuantizedNet& net, const TypeChoice& choice, Types& types)
      : net_(net), choice_(choice), types_(types) {
    for (const auto& [tensor, numbers] : types.others) given_.insert(tensor);
  }

  void run() {
    if (bytes()) own_bytes_ = bytes_of_inputs(net_.network);
    if (bytes()) merge_clips();
    find_readers();
    std::vector<TensorOp> ops = std::move(net_.network.ops);
    std::vector<LayerIntegers> integers = std::move(net_.integers);
    net_.network.ops.clear();
    net_.integers.clear();
    for (size_t i = 0; i < ops.size(); ++i) place(std::move(ops[i]), std::move(integers[i]));
    set_sizes();
  }

 private:
  // A layer and the clip that was merged into it.
  struct Clipped {
    TensorOp producer;
    LayerIntegers of_producer;
    TensorOp clip;
    LayerIntegers of_clip;
  };

  bool bytes() const { return types_.has_bytes; }
  Numbers floats(const TensorOp& op) const { return types_.floats_of(op.name()); }
  // Functions of several steps of 16-bit numbers take and give fp32 as well.
  bool computes_wide(const TensorOp& op) const {
    const DType type = floats(op).type;
    const bool has_one_input =
        is(op, Op::activation) || is(op, Op::power) || is(op, Op::clip) || is(op, Op::function);
    return has_one_input && is_half(type) && are_fp32(scalar_steps(op), type);
  }
  bool may_take_bytes(const TensorOp& op) const {
    return computes_bytes(op) && !types_.is_float(op.name());
  }
  // A range that is not known, which is 0, gives no scale of bytes.
  bool has_scale(const std::string& tensor) const {
    return types_.of(tensor).is_int8() || own_bytes_.contains(tensor) ||
           net_.threshold_of(tensor) > 0;
  }
  // Products take bytes, and other layers that have bytes among their inputs.
  bool takes_bytes(const TensorOp& op) const {
    return may_take_bytes(op) &&
           std::ranges::all_of(op.bottom(), [&](const std::string& t) { return has_scale(t); }) &&
           (is_product(op) || std::ranges::any_of(op.bottom(), [&](const std::string& t) {
              return types_.of(t).is_int8();
            }));
  }

  // Floats do not saturate.
  void place_clip(const Clipped& before) {
    place(before.producer, before.of_producer);
    place(before.clip, before.of_clip);
  }

  // Tables of bytes hold any gate.
  void place_parts(const TensorOp& gate, const LayerIntegers& integers) {
    for (TensorOp& part : divided_gate(gate)) {
      LayerIntegers own;
      own.threshold_x.assign(static_cast<size_t>(part.bottom_size()), 0.0f);
      own.threshold_y = {part.top(0) == gate.top(0) ? integers.threshold_y[0] : 0.0f};
      place(std::move(part), std::move(own));
    }
  }

  void place(TensorOp op, LayerIntegers integers) {
    if (must_divide(op) && !takes_bytes(op)) return place_parts(op, integers);
    if (op.top_size() == 1)
      if (const auto merged = merged_.extract(op.top(0)); !merged.empty() && !takes_bytes(op))
        return place_clip(merged.mapped());
    if (is(op, Op::end)) {
      end(op);
    } else if (!is(op, Op::start)) {
      inputs(op);
    }
    for (int i = 0; i < op.top_size(); ++i)
      if (given_.count(op.top(i)) == 0)
        types_.others[op.top(i)] = numbers_of(op, i, integers.threshold_y[static_cast<size_t>(i)]);
    if (is(op, Op::concat)) join(op);
    net_.network.ops.push_back(std::move(op));
    net_.integers.push_back(std::move(integers));
  }

  // ---- Results ----

  Numbers numbers_of(const TensorOp& op, int top, float threshold) const {
    if (is(op, Op::host)) return {};
    if (is(op, Op::start))
      return choice_.float_inputs || host_reads_.count(op.top(top)) != 0
                 ? Numbers{}
                 : start_numbers(op, threshold);
    if (keeps_numbers(op)) return types_.of(op.bottom(0));
    if (is(op, Op::concat)) return joined_numbers(op, threshold);
    const bool has_readers_of_bytes = byte_readers_.count(op.top(top)) != 0;
    if (!takes_bytes(op))
      return is(op, Op::convolution) || computes_wide(op) ? float_sums(op) : floats(op);
    if (is_product(op) && !has_readers_of_bytes) return float_sums(op);
    return byte_numbers(is_never_negative(op) || stays_unsigned(op), threshold);
  }

  // Averages, sums and products of numbers that are never negative.
  bool stays_unsigned(const TensorOp& op) const {
    if (!is(op, Op::pooling) && !is(op, Op::eltwise)) return false;
    return std::ranges::all_of(op.tg_eltwise_param().coeff(), [](float c) { return c >= 0; }) &&
           std::ranges::all_of(
               op.bottom(), [&](const std::string& t) { return types_.of(t).type == DType::u8; });
  }

  // Sums of products, and functions of several steps, are fp32 before they are rounded. They stay
  // so if all readers want fp32.
  Numbers float_sums(const TensorOp& op) const {
    const auto found = readers_.find(op.top(0));
    if (found == readers_.end() || found->second.wide != found->second.all) return floats(op);
    // Results of functions are as exact as 16 bits.
    const bool is_read_exactly = found->second.fp32 != 0;
    return is_read_exactly && !is(op, Op::convolution) ? floats(op) : Numbers{};
  }

  Numbers start_numbers(const TensorOp& op, float threshold) const {
    if (const auto own = own_bytes_.find(op.top(0)); own != own_bytes_.end()) return own->second;
    return bytes() && threshold > 0 ? byte_numbers(false, threshold) : floats(op);
  }

  // Returns the bytes that floats become.
  Numbers bytes_of(const std::string& tensor) const {
    const auto own = own_bytes_.find(tensor);
    return own != own_bytes_.end() ? own->second : byte_numbers(false, net_.threshold_of(tensor));
  }

  static Numbers byte_numbers(bool is_unsigned, float threshold) {
    if (is_unsigned) return {DType::u8, threshold / kUnsignedSteps};
    return {DType::i8, threshold / kSignedSteps};
  }

  // The result is unsigned if all inputs are.
  Numbers joined_numbers(const TensorOp& op, float threshold) const {
    bool all_unsigned = true, any_bytes = false;
    for (const std::string& t : op.bottom()) {
      all_unsigned = all_unsigned && types_.of(t).type == DType::u8;
      any_bytes = any_bytes || types_.of(t).is_int8();
    }
    if (!any_bytes || types_.is_float(op.name())) return floats(op);
    const auto own = own_bytes_.find(op.top(0));
    return own != own_bytes_.end() ? own->second : byte_numbers(all_unsigned, threshold);
  }

  // ---- Operands ----

  // Converts inputs that the operation cannot take.
  void inputs(TensorOp& op) {
    for (int i = 0; i < op.bottom_size(); ++i) {
      const Numbers& given = types_.of(op.bottom(i));
      if (is(op, Op::concat) || keeps_numbers(op)) continue;
      if (is(op, Op::host)) {
        if (given != Numbers{}) convert(op, i, {});
      } else if (takes_bytes(op) && !given.is_int8()) {
        convert(op, i, bytes_of(op.bottom(i)));
      } else if (!takes_bytes(op) && given != floats(op) && given_.count(op.bottom(i)) == 0 &&
                 !(computes_wide(op) && given == Numbers{})) {
        convert(op, i, floats(op));
      }
    }
  }

  // Inputs of a concatenation have the numbers of the result.
  void join(TensorOp& op) {
    const Numbers wanted = types_.of(op.top(0));
    for (int i = 0; i < op.bottom_size(); ++i)
      if (types_.of(op.bottom(i)) != wanted) convert(op, i, wanted);
  }

  void end(TensorOp& op) {
    for (int i = 0; i < op.bottom_size() && choice_.float_outputs; ++i) {
      if (types_.of(op.bottom(i)) == Numbers{}) continue;
      const std::string name = net_.network.blob_name(op.bottom(i));
      convert(op, i, {}, fmt::format("/output {}", i));
      net_.network.blob_names[op.bottom(i)] = name;
    }
  }

  // Replaces input `index` by its conversion, which is made once. No command converts between fp16
  // and bf16.
  void convert(TensorOp& op, int index, const Numbers& to, std::string suffix = "") {
    const DType given = types_.of(op.bottom(index)).type;
    if (is_half(given) && is_half(to.type) && given != to.type) convert(op, index, {});
    const std::string from = op.bottom(index);
    if (suffix.empty()) suffix = fmt::format("/{} {:g}", to_string(to.type), to.scale);
    const std::string name = from + suffix;
    op.set_bottom(index, name);
    if (types_.others.count(name) != 0) return;
    TensorOp cast;
    cast.set_name(name);
    set_type(cast, Op::cast);
    cast.add_bottom(from);
    cast.add_top(name);
    *cast.add_input_shape() = *cast.add_output_shape() = op.input_shape(index);
    types_.others[name] = to;
    if (const auto means = types_.means.find(from); means != types_.means.end())
      types_.means[name] = std::vector<float>(means->second);
    LayerIntegers same;
    same.threshold_x = same.threshold_y = {net_.threshold_of(from)};
    net_.network.ops.push_back(std::move(cast));
    net_.integers.push_back(std::move(same));
  }

  // ---- What bytes allow ----

  // A clip from 0 to a number that follows a product or sum alone is what saturation does.
  void merge_clips() {
    std::vector<TensorOp>& ops = net_.network.ops;
    for (size_t i = 0; i < ops.size(); ++i) {
      if (!is(ops[i], Op::clip) || ops[i].tg_clip_param().min() != 0) continue;
      const auto producer = std::ranges::find_if(ops, [&](const TensorOp& op) {
        return op.top_size() == 1 && op.top(0) == ops[i].bottom(0);
      });
      if (producer == ops.end() || readers(ops[i].bottom(0)) != 1 || !may_take_bytes(*producer))
        continue;
      const auto p = static_cast<size_t>(producer - ops.begin());
      const Clipped before{*producer, net_.integers[p], ops[i], net_.integers[i]};
      if (!rectify(*producer)) continue;
      merged_[ops[i].top(0)] = before;
      const float most = ops[i].tg_clip_param().max();
      net_.integers[p].threshold_y = {std::min(most, net_.integers[i].threshold_y[0])};
      producer->set_top(0, ops[i].top(0));
      ops.erase(ops.begin() + static_cast<ptrdiff_t>(i));
      net_.integers.erase(net_.integers.begin() + static_cast<ptrdiff_t>(i));
      clipped_.insert(ops[p].top(0));
      --i;
    }
  }

  size_t readers(const std::string& tensor) const {
    size_t n = 0;
    for (const TensorOp& op : net_.network.ops)
      n += static_cast<size_t>(std::ranges::count(op.bottom(), tensor));
    return n;
  }

  static bool rectify(TensorOp& op) {
    if (is(op, Op::convolution))
      op.mutable_tg_convolution_param()->set_do_activation(true);
    else if (is(op, Op::inner_product))
      op.mutable_tg_inner_product_param()->set_do_activation(true);
    else if (is(op, Op::eltwise))
      op.mutable_tg_eltwise_param()->set_do_activation(true);
    else
      return false;
    return true;
  }

  // Finds the tensors that some operation reads as bytes, and the floats that others read. What
  // keeps numbers asks its readers.
  void find_readers() {
    byte_readers_ = clipped_;
    for (size_t i = net_.network.ops.size(); i-- > 0;) {
      const TensorOp& op = net_.network.ops[i];
      const bool passes_on = keeps_numbers(op) || is(op, Op::concat);
      if (is(op, Op::host) || (passes_on && host_reads_.count(op.top(0)) != 0))
        host_reads_.insert(op.bottom().begin(), op.bottom().end());
      const bool wants_bytes =
          passes_on ? std::ranges::any_of(
                          op.top(), [&](const auto& t) { return byte_readers_.count(t) != 0; })
                    : may_take_bytes(op) || (is(op, Op::end) && bytes() && !choice_.float_outputs);
      if (wants_bytes) byte_readers_.insert(op.bottom().begin(), op.bottom().end());
      const bool is_fp32 =
          !wants_bytes && (passes_on ? all_fp32(op) : wanted_floats(op) == DType::f32);
      for (const std::string& t : op.bottom()) {
        Readers& readers = readers_[t];
        ++readers.all;
        readers.fp32 += is_fp32 ? 1 : 0;
        readers.wide += is_fp32 || (!wants_bytes && computes_wide(op)) ? 1 : 0;
      }
    }
  }
  bool all_fp32(const TensorOp& op) const {
    return std::ranges::all_of(op.top(), [&](const std::string& t) {
      const auto found = readers_.find(t);
      return found != readers_.end() && found->second.fp32 == found->second.all;
    });
  }
  DType wanted_floats(const TensorOp& op) const {
    const bool is_fp32 = is(op, Op::host) || (is(op, Op::end) && choice_.float_outputs);
    return is_fp32 ? DType::f32 : floats(op).type;
  }

  void set_sizes() {
    const auto size = [&](const std::string& tensor) {
      return static_cast<int>(element_bytes(types_.of(tensor).type));
    };
    for (TensorOp& op : net_.network.ops) {
      for (int i = 0; i < op.bottom_size(); ++i)
        op.mutable_input_shape(i)->set_data_type_size(size(op.bottom(i)));
      for (int i = 0; i < op.top_size(); ++i)
        op.mutable_output_shape(i)->set_data_type_size(size(op.top(i)));
    }
  }

  QuantizedNet& net_;
  const TypeChoice choice_;
  Types& types_;
  std::set<std::string> given_;  // tensors that had numbers before
  std::set<std::string> byte_readers_, clipped_;
  std::map<std::string, Clipped> merged_;  // by the result
  std::map<std::string, Numbers> own_bytes_;
  // Tensors that operators of the host read. Integers, such as positions of a Gather, are among
  // them.
  std::set<std::string> host_reads_;
  // Readers of a tensor: those that compute in fp32, and those that take fp32.
  struct Readers {
    int all = 0, fp32 = 0, wide = 0;
  };
  std::map<std::string, Readers> readers_;
};

}  // namespace

bool computes_bytes(const TensorOp& op) {
  if (is_left_to_host(op) && !has_trait(op, trait::moves_elements)) return false;
  switch (properties(op.type()).op) {
    case Op::convolution:
    case Op::inner_product:
    case Op::scale:
    case Op::activation:
    case Op::clip:
    case Op::function:
      return true;
    case Op::power:
      // The results of small numbers exceed any scale.
      return op.tg_power_param().power() >= 0;
    case Op::eltwise:
      return op.tg_eltwise_param().operation() != ::bmnet::TGEltwiseParameter::PROD ||
             op.bottom_size() == 2;
    case Op::pooling:
      return !average_overhang(op).any();
    default:
      return has_trait(op, trait::moves_elements);
  }
}

void choose_types(QuantizedNet& net, const TypeChoice& choice, Types& types) {
  Choice(net, choice, types).run();
}

}  // namespace tputwin::net::bm1684x
