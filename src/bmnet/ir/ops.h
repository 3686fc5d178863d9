// The operations of the intermediate representation and their properties (ops.def).
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
#define TW_OP_SUBNET(name, ...) name,
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

// Returns the row of a type; for a type not in the table, Op::unknown without traits.
const OpProperties& properties(std::string_view type);
std::string_view type_name(Op op);

inline bool is(const TensorOp& op, Op kind) { return op.type() == type_name(kind); }
inline void set_type(TensorOp& op, Op kind) { op.set_type(std::string(type_name(kind))); }
bool has_trait(const TensorOp& op, trait::Trait trait);
// Returns true if a built-in operator runs on the host: one of the host, or one of the TPU that the
// net leaves to the host in floats. The code of customized layers may run on the host as well.
bool runs_on_host(const TensorOp& op);
// Returns true if the net leaves an operation of the TPU to the host (cpu_op is set), which
// computes it in floats with float weights. Such moves are transfers of floats.
bool is_left_to_host(const TensorOp& op);
// Returns true if the host can compute an operation of the TPU.
bool can_leave_to_host(const TensorOp& op);

// ---- Properties that also depend on parameters ----

bool is_plain_relu(const TensorOp& op);
bool is_leaky_relu(const TensorOp& op);
// Returns true if the result has the threshold of the input unless the table gives another one.
bool keeps_threshold(const TensorOp& op);
// Returns true if the op needs integers that do not follow from thresholds alone.
bool needs_entry(const TensorOp& op);
// Returns true if result `top` of the op consists of floats, also in the int8 net.
bool holds_floats(const TensorOp& op, int top);

}  // namespace tputwin::net
