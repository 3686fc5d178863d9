// The records of a command buffer: header and undecoded body.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/bm1880_descriptor.h"

namespace tputwin::isa {

constexpr size_t kHeaderEngineByte = 2, kHeaderFlagsByte = 3, kHeaderMaskByte = 4;

struct Record {
  EngineCode engine = kEngineBd;
  uint8_t flags = kFlagNone;
  uint8_t reserved = 0;  // upper half of the engine byte
  size_t offset = 0;     // of the header in the buffer
  std::span<const uint8_t> body;
};

std::string describe(const Record&);  // "BD record at offset 0x1c0"

class RecordReader {
 public:
  explicit RecordReader(std::span<const uint8_t> buffer) : buffer_(buffer) {}
  bool done() const { return offset_ == buffer_.size(); }
  // Reads the next record. Its body has the length that its engine requires.
  Status next(Record& record);

 private:
  std::span<const uint8_t> buffer_;
  size_t offset_ = 0;
};

// Appends a header and space for the body. Returns the address of the body.
uint8_t* append_header(EngineCode engine, uint8_t flags, size_t body_bytes,
                       std::vector<uint8_t>& buffer);

}  // namespace tputwin::isa
