// Pass load_table: reads the calibration table of a file, or else of the ONNX file, or else uses
// the thresholds of its quantized tensors.
#include "base/errors/bmnet.h"
#include "bmnet/integers/integers.h"
#include "bmnet/integers/table.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {
namespace {

// Leaves those layers of a float net to the host that the table names. An int8 net names them
// itself, since their weights are floats.
void leave_to_host(Compilation& c) {
  if (!c.is_float) return;
  for (TensorOp& op : c.network.ops) {
    const auto* entry = can_leave_to_host(op) ? find_entry(c.table, op) : nullptr;
    if (entry != nullptr && entry->on_host()) op.set_cpu_op(true);
  }
}

// Quantized files of the vendor are for the BM1880, and their tables name no chip. Nets for other
// chips do not read them.
Status read_own_table(Compilation& c) {
  auto own =
      net::read_table({reinterpret_cast<const uint8_t*>(c.own_table.data()), c.own_table.size()});
  if (!own.ok()) return Error(own.error()).argument("metadata", "bm1880_ctable");
  if (!own->has_chip()) own->set_chip(table_chip(ChipFamily::bm1880));
  TW_RETURN_IF_ERROR(check_chip(*own, c.source.chip, "metadata bm1880_ctable"));
  c.table = std::move(*own);
  return {};
}

// A table of the whole net has the range of a ReLU for the convolution before it, and of a batch
// normalization for what it is folded into. A net that ends between them needs another range.
Status check_ends(const Compilation& c) {
  for (const auto& [end, behind] : c.joined_ends)
    for (const LayerCalibrationParameter& entry : c.table.layer())
      for (const BlobParameter& blob : entry.blob_param())
        if (blob.name() == behind)
          return Error(errors::net_cli)
              .in("compile")
              .argument("--table", *c.source.table)
              .detail("one for this end of the net: it has " + behind +
                      ", whose range may stand for " + end +
                      " as well; run calibrate with the same --output-names")
              .see("docs/onnx.md");
  return {};
}

}  // namespace

Status load_table(Compilation& c) {
  const bool has_own = !c.own_table.empty() && c.source.chip == ChipFamily::bm1880;
  if (!c.source.table && !has_own) {
    c.table = c.own_thresholds;
    return {};
  }
  if (!c.source.table) return read_own_table(c);
  TW_ASSIGN_OR_RETURN(table, read_table_file(*c.source.table));
  TW_RETURN_IF_ERROR(check_chip(table, c.source.chip, "table " + *c.source.table));
  c.table = std::move(table);
  leave_to_host(c);
  return check_ends(c);
}

}  // namespace tputwin::net::pass
