// The integers of every layer, read from the table and checked.
#include "bmnet/integers/integers.h"

#include <algorithm>

#include "bmnet/integers/choice.h"

namespace tputwin::net {
using Entry = LayerCalibrationParameter;

const LayerCalibrationParameter* find_entry(const NetCalibrationParameter& table,
                                            const TensorOp& op) {
  const std::string& id = op.calib_id().empty() ? op.name() : op.calib_id();
  for (const Entry& entry : table.layer())
    if (entry.name() == id) return &entry;
  if (op.top_size() == 0) return nullptr;
  for (const Entry& entry : table.layer())
    for (const BlobParameter& blob : entry.blob_param())
      if (blob.name() == op.top(0)) return &entry;
  return nullptr;
}

Result<std::vector<LayerIntegers>> resolve(const Network& network,
                                           const NetCalibrationParameter& table) {
  TW_ASSIGN_OR_RETURN(thresholds, resolve_thresholds(network, table));
  std::vector<LayerIntegers> result;
  result.reserve(network.ops.size());
  for (size_t i = 0; i < network.ops.size(); ++i) {
    const TensorOp& op = network.ops[i];
    LayerIntegers& integers = result.emplace_back();
    integers.threshold_x = std::move(thresholds[i].x);
    integers.threshold_y = std::move(thresholds[i].y);
    const Entry* entry = find_entry(table, op);
    if (entry == nullptr && needs_entry(op))
      return Error(errors::net_table_entry)
          .in("layer " + op.name())
          .argument("entry", "missing")
          .detail("calibrate this net again");
    if (is_left_to_host(op)) continue;
    static const Entry none;
    EntryReader reader(op, entry != nullptr ? *entry : none);
    read_integers(reader, integers);
    TW_RETURN_IF_ERROR(std::move(reader).status());
  }
  return result;
}

}  // namespace tputwin::net
