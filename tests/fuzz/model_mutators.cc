// Mutators of bmodels 0.1.1, bmodels of BM1684 and BM1684X, and command buffers of the BM1880.
#include "fuzz/model_mutators.h"

#include <flatbuffers/minireflect.h>

#include <algorithm>

#include "bmodel/bm168x/frame.h"
#include "bmodel/bm168x/model.h"
#include "bmodel/little_endian.h"
#include "bmodel/v011.h"
#include "fuzz/changes.h"
#include "isa/bm1880_codec.h"
#include "isa/fields.h"
#include "isa/records.h"

namespace tputwin::fuzz {
namespace {

using testing::Rng;

// ---- Numbers and texts of a flatbuffer ----

// Finds their positions. Lengths of vectors and offsets are not included.
class Positions final : public flatbuffers::IterationVisitor {
 public:
  struct Place {
    size_t at, bytes;
  };
  explicit Positions(std::span<const uint8_t> message) : begin_(message.data()) {}
  std::vector<Place> positions;

  void Field(size_t, size_t, flatbuffers::ElementaryType type, bool is_vector,
             const flatbuffers::TypeTable*, const char*, const uint8_t* at) override {
    if (!is_vector) add_number(type, at);
  }
  void Element(size_t, flatbuffers::ElementaryType type, const flatbuffers::TypeTable*,
               const uint8_t* at) override {
    add_number(type, at);
  }
  void String(const flatbuffers::String* text) override { add(text->Data(), text->size()); }

 private:
  void add_number(flatbuffers::ElementaryType type, const uint8_t* at) {
    if (at != nullptr && type != flatbuffers::ET_STRING && type != flatbuffers::ET_SEQUENCE)
      add(at, flatbuffers::InlineSize(type, nullptr));
  }
  void add(const uint8_t* at, size_t bytes) {
    if (bytes > 0) positions.push_back({static_cast<size_t>(at - begin_), bytes});
  }
  const uint8_t* begin_;
};

// ---- Records of the BM1880 ----

struct OneRecord {
  isa::EngineCode engine;
  uint8_t flags;
  Bytes body;
};

std::vector<OneRecord> records_of(std::span<const uint8_t> buffer) {
  std::vector<OneRecord> records;
  isa::RecordReader reader(buffer);
  isa::Record record;
  while (!reader.done() && reader.next(record).ok())
    records.push_back({record.engine, record.flags, {record.body.begin(), record.body.end()}});
  return records;
}

void change_field(OneRecord& record, std::span<const isa::Field> fields, Rng& rng) {
  const isa::Field& field = fields[rng.below(fields.size())];
  const auto width = static_cast<uint32_t>(field.low.width + field.high.width);
  isa::insert(record.body.data(), field,
              edge_number(rng, isa::extract(record.body.data(), field), width));
}

void change_records(std::vector<OneRecord>& records, Rng& rng) {
  const size_t at = rng.below(records.size());
  OneRecord& record = records[at];
  switch (rng.below(12)) {
    case 0:
      records.erase(records.begin() + static_cast<ptrdiff_t>(at));
      return;
    case 1:
      records.insert(records.begin() + static_cast<ptrdiff_t>(at),
                     OneRecord(records[rng.below(records.size())]));
      return;
    case 2:
      std::swap(record, records[rng.below(records.size())]);
      return;
    case 3:
      record.flags = static_cast<uint8_t>(rng.below(4));
      return;
    default:
      if (record.engine == isa::kEngineBd)
        change_field(record, isa::kBdFields, rng);
      else if (record.engine == isa::kEngineGdma)
        change_field(record, isa::kGdmaFields, rng);
      else
        change_bytes(record.body, rng);
  }
}

// Sets numbers: engines count from 1 on, again after a record of the processor, and wait only for
// commands that were issued.
class Numbers {
 public:
  explicit Numbers(bool orders) : orders_(orders) {}
  void set(OneRecord& record) {
    if (record.engine == isa::kEngineCpu) {
      bd_ = gdma_ = 0;
      return;
    }
    const bool is_bd = record.engine == isa::kEngineBd;
    const auto fields = is_bd ? std::span<const isa::Field>(isa::kBdFields)
                              : std::span<const isa::Field>(isa::kGdmaFields);
    uint64_t& own = is_bd ? bd_ : gdma_;
    const uint64_t other = is_bd ? gdma_ : bd_;
    put(record, fields, is_bd ? "cmd_id_tpu" : "cmd_id", [&](uint64_t) { return ++own; });
    if (orders_)
      put(record, fields, is_bd ? "cmd_id_gdma" : "cmd_id_bd",
          [&](uint64_t old) { return std::min(old, other); });
  }

 private:
  template <class Next>
  static void put(OneRecord& record, std::span<const isa::Field> fields, std::string_view name,
                  const Next& next) {
    const auto field = std::ranges::find(fields, name, &isa::Field::name);
    if (field == fields.end()) return;
    isa::insert(record.body.data(), *field, next(isa::extract(record.body.data(), *field)));
  }
  const bool orders_;
  uint64_t bd_ = 0, gdma_ = 0;
};

}  // namespace

Bytes mutate_bmodel_v011(std::span<const uint8_t> input, uint64_t seed) {
  using namespace bmodel::v011;
  Rng rng(seed, 8);
  Bytes file(input.begin(), input.end());
  const size_t head = kLengthBytes;
  if (file.size() < head) return file;
  const size_t text = std::min<size_t>(bmodel::little_endian<uint32_t>(input), file.size() - head);
  if (rng.chance(1, 4)) {
    change_bytes(std::span(file).subspan(head + text), rng);
    return file;
  }
  const std::string changed =
      changed_json({reinterpret_cast<const char*>(input.data()) + head, text}, rng);
  Bytes result;
  bmodel::append_little_endian(result, static_cast<uint32_t>(changed.size()));
  result.insert(result.end(), changed.begin(), changed.end());
  const auto rest = input.subspan(head + text);
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

Bytes mutate_bmodel_168x(std::span<const uint8_t> input, uint64_t seed) {
  using namespace bmodel::bm168x;
  Rng rng(seed, 9);
  Bytes file(input.begin(), input.end());
  if (!read(input).ok()) {
    change_bytes(file, rng);
    return file;
  }
  const auto message = std::span(file).subspan(
      kHeaderBytes, bmodel::little_endian<uint32_t>(input.subspan(2 * sizeof(uint32_t))));
  Positions found(message);
  flatbuffers::IterateFlatBuffer(message.data(), ModelTypeTable(), &found);
  for (uint64_t changes = 1 + rng.below(3); changes > 0 && !found.positions.empty(); --changes) {
    const auto [at, bytes] = found.positions[rng.below(found.positions.size())];
    const auto value = message.subspan(at, bytes);
    if (bytes > sizeof(uint64_t) || rng.chance(1, 8)) {
      change_bytes(value, rng);
      continue;
    }
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; ++i) number |= uint64_t{value[i]} << (8 * i);
    number = edge_number(rng, number, static_cast<uint32_t>(8 * bytes));
    for (size_t i = 0; i < bytes; ++i) value[i] = static_cast<uint8_t>(number >> (8 * i));
  }
  return file;
}

Bytes mutate_cmdbuf(std::span<const uint8_t> input, uint64_t seed) {
  Rng rng(seed, 10);
  auto records = records_of(input);
  for (uint32_t changes = rng.range(1, 4); changes > 0 && !records.empty(); --changes)
    change_records(records, rng);
  Numbers numbers(!rng.chance(1, 8));
  Bytes buffer;
  for (OneRecord& record : records) {
    numbers.set(record);
    uint8_t* body = isa::append_header(record.engine, record.flags, record.body.size(), buffer);
    std::ranges::copy(record.body, body);
  }
  return buffer;
}

}  // namespace tputwin::fuzz
