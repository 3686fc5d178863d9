// How an operation of the TPU gets its integers: they are chosen from thresholds and written to the
// table's entry, and read from the entry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/errors/bmnet.h"
#include "bmnet/integers/integers.h"
#include "bmnet/integers/rules.h"
#include "bmnet/integers/thresholds.h"

namespace tputwin::net {

// One layer of a float net and where its integers go.
struct IntegerChoice {
  const TensorOp& op;
  const LayerThresholds& thresholds;
  std::vector<Blob>* blobs;  // become integers in place; nullptr: none
  LayerCalibrationParameter& entry;
  const LayerCalibrationParameter* given;  // the entry that has the thresholds; nullptr: none
  std::vector<Error>* warnings;            // nullptr: nobody listens

  float x(int i = 0) const { return thresholds.x.at(i); }
  float y() const { return thresholds.y.at(0); }
  // No integers are that large.
  Error range(float ratio) const;
  Status check_blobs() const;  // there is one at the least
};

// One layer's entry: what is missing or out of range becomes the first error.
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
  // `wanted` values of threshold_x_quantized.
  std::vector<int> multipliers(int wanted, int least, int most);

 private:
  Status status_;
};

// Of any operation. What is read has its thresholds already.
Status choose_integers(const IntegerChoice& layer);
void read_integers(EntryReader& reader, LayerIntegers& integers);

// ---- Column `integers` of ir/ops.def: choose_INTEGERS, read_INTEGERS ----

// What is read has its thresholds and its right shift already.
#define TW_OP_TPU(name, traits, shapes, tiles, moves, body, integers, interpreter) \
  Status choose_##integers(const IntegerChoice&);                                  \
  void read_##integers(EntryReader&, LayerIntegers&);
#include "bmnet/ir/ops.def"

}  // namespace tputwin::net
