// Pass storage: finds tensors that share bytes.
#include "bmnet/pipeline/storage.h"

#include <algorithm>

#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net {
namespace {

// Returns true if a layer joins, cuts or reorders samples: offsets of whole samples hold only if
// these follow each other.
bool moves_samples(const TensorOp& op) {
  const auto is_first = [&](int axis, const TensorShape& shape) {
    return axis == 0 || axis + shape.dim_size() == 0;
  };
  switch (properties(op.type()).op) {
    case Op::concat:
      return is_first(op.tg_concat_param().axis(), op.output_shape(0));
    case Op::slice:
      return is_first(op.tg_slice_param().axis(), op.input_shape(0));
    case Op::tile:
      return is_first(op.tg_tile_param().axis(), op.input_shape(0));
    case Op::reverse:
      return is_first(op.tg_reverse_param().axis(), op.input_shape(0));
    case Op::crop:
      return op.input_shape(0).dim(0) != op.output_shape(0).dim(0);
    default:
      return false;
  }
}

}  // namespace

Storage::Storage(const QuantizedNet& net, const std::set<std::string>& contiguous, bool join_concat,
                 bool keep_all)
    : net_(net) {
  find_readers();
  join_reshapes();
  find_whole(contiguous);
  if (join_concat && !keep_all) join_concats();
}

const std::string& Storage::root(const std::string& tensor) const {
  const std::string* t = &tensor;
  for (auto it = parents_.find(*t); it != parents_.end(); it = parents_.find(*t))
    t = &it->second.tensor;
  return *t;
}

uint64_t Storage::bytes(const std::string& tensor) const {
  const TensorShape& shape = *net_.network.shape_of(tensor);
  return static_cast<uint64_t>(count(shape) * shape.data_type_size());
}

int64_t Storage::samples(const std::string& tensor) const {
  return extents(*net_.network.shape_of(tensor)).n;
}

uint64_t Storage::sample_bytes(const std::string& tensor) const {
  return bytes(tensor) / static_cast<uint64_t>(samples(tensor));
}

const std::vector<size_t>& Storage::readers(const std::string& tensor) const {
  static const std::vector<size_t> none;
  auto it = readers_.find(tensor);
  return it == readers_.end() ? none : it->second;
}

void Storage::find_readers() {
  for (size_t i = 0; i < net_.network.ops.size(); ++i)
    for (const std::string& t : net_.network.ops[i].bottom()) readers_[t].push_back(i);
}

void Storage::join_reshapes() {
  for (const TensorOp& op : net_.network.ops)
    if (is(op, Op::reshape)) parents_[op.top(0)] = {op.bottom(0), 0};
}

void Storage::find_whole(const std::set<std::string>& contiguous) {
  for (const std::string& t : contiguous) whole_.insert(root(t));
  for (const TensorOp& op : net_.network.ops) {
    const bool is_host = is(op, Op::customized) || runs_on_host(op);
    const bool changes_samples = is(op, Op::reshape) && samples(op.bottom(0)) != samples(op.top(0));
    if (is_host || changes_samples || moves_samples(op)) {
      for (const std::string& t : op.bottom()) whole_.insert(root(t));
      for (const std::string& t : op.top()) whole_.insert(root(t));
    }
    if (is(op, Op::start)) fixed_.insert(root(op.top(0)));
    if (is(op, Op::end))
      for (const std::string& t : op.bottom()) fixed_.insert(root(t));
  }
}

void Storage::join_concats() {
  for (size_t i = 0; i < net_.network.ops.size(); ++i) {
    const TensorOp& op = net_.network.ops[i];
    if (!is(op, Op::concat) || !net_.integers[i].multiplier.empty()) continue;
    const auto out = dims(op.output_shape(0));
    int axis = op.tg_concat_param().axis();
    if (axis < 0) axis += static_cast<int>(out.size());
    int64_t outer = 1;
    for (int a = 0; a < axis; ++a) outer *= out[static_cast<size_t>(a)];
    if (axis != 1 && outer != 1) continue;
    uint64_t offset = 0;
    for (int b = 0; b < op.bottom_size(); ++b) {
      join(op, b, offset);
      offset += bytes(op.bottom(b)) / static_cast<uint64_t>(outer);
    }
  }
}

void Storage::join(const TensorOp& op, int index, uint64_t offset) {
  const std::string &part = op.bottom(index), &whole = op.top(0);
  const std::string base = root(part);
  const bool is_repeated = std::count(op.bottom().begin(), op.bottom().end(), part) != 1;
  const bool is_split = samples(whole) > 1 && whole_.count(base) != 0;
  if (is_repeated || is_split || fixed_.count(base) != 0 || base == root(whole) ||
      bytes(base) != bytes(part) || (samples(base) != samples(part) && samples(whole) > 1))
    return;
  parents_[base] = {whole, offset};
  joined_.insert({part, whole});
  if (whole_.count(base) != 0) whole_.insert(root(whole));
}

void Storage::place_parts(TensorPositions& positions) const {
  // A part is stored inside its parent, whose position must be known first. The recursion is as
  // deep as concatenations are nested.
  auto place = [&](auto&& self, const std::string& tensor) -> TensorPosition {
    if (auto known = positions.find(tensor); known != positions.end()) return known->second;
    const Parent& parent = parents_.at(tensor);
    const TensorPosition base = self(self, parent.tensor);
    const uint64_t packed = sample_bytes(parent.tensor);
    // Some of the samples of a tensor have the distance of all.
    const bool has_distance =
        samples(tensor) == samples(parent.tensor) || sample_bytes(tensor) == packed;
    const uint64_t offset = parent.offset / packed * base.sample_bytes + parent.offset % packed;
    return positions[tensor] = {base.offset + offset,
                                has_distance ? base.sample_bytes : sample_bytes(tensor)};
  };
  for (const auto& [tensor, parent] : parents_)
    if (positions.find(root(tensor)) != positions.end()) place(place, tensor);
}

Status pass::storage(Compilation& c) {
  c.storage.emplace(c.net, c.contiguous, c.at_least(Level::layer_group), c.options.keep_all);
  return {};
}

}  // namespace tputwin::net
