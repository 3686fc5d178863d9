// The operations of the intermediate representation and what all stages ask about them (ops.def).
#pragma once

#include <bmnet/bmnet.pb.h>

#include <string>
#include <string_view>

namespace tputwin::net {

using TensorOp = ::bmnet::LayerParameter;

enum class Op {
#define TW_OP_END(name) name,
#define TW_OP_TPU(name, ...) name,
#define TW_OP_HOST(name, ...) name,
#define TW_OP_CODE(name) name,
#include "bmnet/ir/ops.def"
  unknown
};

enum class RunsOn { nothing, tpu, host, code };

namespace trait {
enum Trait : unsigned {
  no_traits = 0,
  moves_elements = 1,
  keeps_threshold = 2,
  weighted = 4,
  integer_blobs = 8,
  needs_entry = 16,
  takes_relu = 32,
  float_results = 64,
  shapes_only = 128
};
}

struct OpProperties {
  Op op;
  std::string_view type;  // in the IR, "tg_convolution"
  RunsOn runs_on;
  unsigned traits;
};

// Of types that are not in the table: Op::unknown, no traits.
const OpProperties& properties(std::string_view type);
std::string_view type_name(Op op);

inline bool is(const TensorOp& op, Op kind) { return op.type() == type_name(kind); }
inline void set_type(TensorOp& op, Op kind) { op.set_type(std::string(type_name(kind))); }
bool has_trait(const TensorOp& op, trait::Trait trait);
// By a built-in operator; the code of customized layers may choose the host as well.
bool runs_on_host(const TensorOp& op);

// ---- What depends on parameters, too ----

bool is_plain_relu(const TensorOp& op);
bool is_leaky_relu(const TensorOp& op);
// Thresholds of such an op are its input's unless the table says otherwise.
bool keeps_threshold(const TensorOp& op);
// Integers that thresholds alone do not give.
bool needs_entry(const TensorOp& op);
// The op's result `top` is floats in the int8 net, too.
bool holds_floats(const TensorOp& op, int top);

}  // namespace tputwin::net
