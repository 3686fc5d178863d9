// Pass quantize: converts weights of float nets to int8 by the table's thresholds.
#include "bmnet/quantize/quantize.h"

#include "bmnet/integers/integers.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {
namespace {

// Keeps the given entries of customized layers: only the code of the layer knows their meaning.
void keep_customized(const Network& network, const NetCalibrationParameter& given,
                     NetCalibrationParameter& table) {
  for (const TensorOp& op : network.ops) {
    if (!is(op, Op::customized)) continue;
    const auto* entry = find_entry(given, op);
    if (entry == nullptr) continue;
    auto* layers = table.mutable_layer();
    for (int i = layers->size() - 1; i >= 0; --i)
      if (layers->Get(i).name() == entry->name()) layers->DeleteSubrange(i, 1);
    *table.add_layer() = *entry;
  }
}

}  // namespace

Status quantize(Compilation& c) {
  if (!c.is_float || c.table.layer().empty()) return {};
  TW_ASSIGN_OR_RETURN(table, net::quantize(c.network, c.table));
  keep_customized(c.network, c.table, table);
  c.table = std::move(table);
  return {};
}

}  // namespace tputwin::net::pass
