// Integers of operations of the TPU: chosen from thresholds and written to the table's entry, or
// read from the entry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/errors/bmnet.h"
#include "bmnet/integers/integers.h"
#include "bmnet/integers/rules.h"
#include "bmnet/integers/thresholds.h"

namespace tputwin::net {

// One layer of a float net, and the entry that gets its integers.
struct IntegerChoice {
  const TensorOp& op;
  const LayerThresholds& thresholds;
  // Become integers in place; nullptr if there are none.
  std::vector<Blob>* blobs;
  LayerCalibrationParameter& entry;
  // Entry with the thresholds; nullptr if there is none.
  const LayerCalibrationParameter* given;
  std::vector<Error>* warnings;  // nullptr: warnings are dropped

  float x(int i = 0) const { return thresholds.x.at(i); }
  float y() const { return thresholds.y.at(0); }
  // Returns the error for a ratio that integers cannot represent.
  Error range(float ratio) const;
  Status check_blobs() const;  // at least one blob must exist
};

// Reader of one layer's entry. The first missing or invalid field becomes the error.
class EntryReader {
 public:
  EntryReader(const TensorOp& op, const LayerCalibrationParameter& entry) : op(op), entry(entry) {}

  const TensorOp& op;
  const LayerCalibrationParameter& entry;

  Status status() && { return std::move(status_); }
  void fail(ErrorId id, std::string_view field, std::string value, std::string detail);
  void missing(std::string_view field, std::string detail) {
    fail(errors::net_table_entry, field, "missing", std::move(detail));
  }
  int in_range(ErrorId id, std::string_view field, int64_t value, int least, int most);
  int shift(std::string_view field, int64_t value) {
    return in_range(errors::net_shift, field, value, 0, kLargestShift);
  }
  int multiplier(std::string_view field, int64_t value, int least, int most) {
    return in_range(errors::net_multiplier, field, value, least, most);
  }
  // Returns `wanted` values of threshold_x_quantized.
  std::vector<int> multipliers(int wanted, int least, int most);

 private:
  Status status_;
};

// These functions accept any operation. `integers` must have its thresholds before it is read.
Status choose_integers(const IntegerChoice& layer);
void read_integers(EntryReader& reader, LayerIntegers& integers);

// ---- Column `integers` of ir/ops.def: choose_INTEGERS, read_INTEGERS ----

// Before read_INTEGERS, `integers` has its thresholds and its right shift.
#define TW_OP_TPU(name, traits, shapes, tiles, moves, formula, integers, interpreter) \
  Status choose_##integers(const IntegerChoice&);                                     \
  void read_##integers(EntryReader&, LayerIntegers&);
#include "bmnet/ir/ops.def"

}  // namespace tputwin::net
