// Reading of BM1684 and BM1684X files: the frame, flatbuffers' own verification, and a limit for
// the size of the unpacked message.
#include <flatbuffers/minireflect.h>
#include <fmt/format.h>

#include "base/errors/bmodel.h"
#include "bmodel/bm168x/frame.h"
#include "bmodel/bm168x/model.h"
#include "bmodel/little_endian.h"

namespace tputwin::bmodel::bm168x {
namespace {

struct Frame {
  std::span<const uint8_t> message, binary;
};

Error bad_frame(std::string_view field, uint64_t value) {
  return Error(errors::mod_frame).argument(field, fmt::format("{}", value));
}

Error truncated(std::string_view field, uint64_t value, uint64_t wanted, uint64_t file) {
  return bad_frame(field, value)
      .detail(fmt::format("the header gives {} bytes and the file has {}: it is truncated", wanted,
                          file));
}

// Header size, sizes of both parts, and the zeros after them.
Result<Frame> frame_of(std::span<const uint8_t> file) {
  if (file.size() < kHeaderBytes) return bad_frame("file size", file.size());
  auto word = [&](size_t index) { return little_endian<uint32_t>(file.subspan(4 * index)); };
  if (word(0) != kMagic) return bad_frame("magic", word(0));
  if (word(1) != kHeaderBytes) return bad_frame("header size", word(1));
  const uint64_t message = word(2), binary = word(3), available = file.size() - kHeaderBytes;
  for (size_t i = 4; i < kHeaderBytes / 4; ++i)
    if (word(i) != 0) return bad_frame(fmt::format("header word {}", i), word(i));
  if (message >= FLATBUFFERS_MAX_BUFFER_SIZE) return bad_frame("message size", message);
  const uint64_t wanted = kHeaderBytes + message + binary;
  if (message > available) return truncated("message size", message, wanted, file.size());
  if (binary > available - message) return truncated("binary size", binary, wanted, file.size());
  return Frame{file.subspan(kHeaderBytes, message), file.subspan(kHeaderBytes + message, binary)};
}

// Limits the size of an unpacked message: several offsets may lead to the same bytes, so a small
// file could become a large model.
// Also checks what flatbuffers reads and does not verify: the alignment of 64-bit vectors, of which
// it verifies the count only; fields of the schema that nothing uses.
class Budget final : public flatbuffers::IterationVisitor {
 public:
  // Thrown, because flatbuffers has no other way to stop.
  struct Spent {};
  struct Misplaced {};
  explicit Budget(std::span<const uint8_t> message)
      : begin_(message.data()),
        end_(message.data() + message.size()),
        left_(kTimes * message.size()) {}

  void StartSequence() override { spend(sizeof(TensorT)); }
  void Field(size_t, size_t, flatbuffers::ElementaryType, bool, const flatbuffers::TypeTable*,
             const char*, const uint8_t* at) override {
    if (at != nullptr && at >= end_) throw Misplaced();
  }
  void Element(size_t, flatbuffers::ElementaryType type, const flatbuffers::TypeTable*,
               const uint8_t* at) override {
    constexpr size_t kLong = sizeof(uint64_t);
    if (type == flatbuffers::ET_ULONG && static_cast<size_t>(at - begin_) % kLong != 0)
      throw Misplaced();
    spend(1);
  }
  void String(const flatbuffers::String* text) override { spend(text->size()); }

 private:
  void spend(uint64_t bytes) {
    if (bytes > left_) throw Spent();
    left_ -= bytes;
  }
  static constexpr uint64_t kTimes = 64;
  const uint8_t* const begin_;
  const uint8_t* const end_;
  uint64_t left_;
};

// Leaves out fields that the schema does not use: a file may have anything there.
class MessageText final : public flatbuffers::ToStringVisitor {
 public:
  MessageText() : ToStringVisitor("\n", /*quotes=*/true, "  ", /*vdelimited=*/true) {}

  void StartSequence() override {
    fields_.push_back(0);
    ToStringVisitor::StartSequence();
  }
  void EndSequence() override {
    fields_.pop_back();
    ToStringVisitor::EndSequence();
  }
  void Field(size_t index, size_t, flatbuffers::ElementaryType type, bool is_vector,
             const flatbuffers::TypeTable* table, const char* name, const uint8_t* at) override {
    is_unused_ = name != nullptr && std::string_view(name).starts_with("unused");
    if (at != nullptr && !is_unused_)
      ToStringVisitor::Field(index, fields_.back()++, type, is_vector, table, name, at);
  }
  void UChar(uint8_t value, const char* name) override {
    if (!is_unused_) ToStringVisitor::UChar(value, name);
  }

 private:
  std::vector<size_t> fields_;  // number that were written, of the tables around
  bool is_unused_ = false;
};

Error bad_message(ErrorId rule, std::span<const uint8_t> message) {
  return Error(rule).argument("message", fmt::format("{} bytes", message.size()));
}

Status verify(std::span<const uint8_t> message) {
  // A table takes at least eight bytes, including the offset that leads to it.
  flatbuffers::Verifier::Options options;
  options.max_tables = static_cast<uint32_t>(message.size() / 8 + 1);
  flatbuffers::Verifier verifier(message.data(), message.size(), options);
  if (message.size() < 8 || !VerifyModelBuffer(verifier))
    return bad_message(errors::mod_tables, message);
  Budget budget(message);
  try {
    flatbuffers::IterateFlatBuffer(message.data(), ModelTypeTable(), &budget);
  } catch (const Budget::Spent&) {
    return bad_message(errors::mod_shared_tables, message);
  } catch (const Budget::Misplaced&) {
    return bad_message(errors::mod_tables, message);
  }
  return {};
}

}  // namespace

bool has_frame(std::span<const uint8_t> file) {
  return file.size() >= 4 && little_endian<uint32_t>(file) == kMagic;
}

std::string chip_name(std::span<const uint8_t> file) {
  const auto frame = frame_of(file);
  if (!frame.ok() || !verify(frame->message).ok()) return "";
  const flatbuffers::String* chip = GetModel(frame->message.data())->chip();
  return chip != nullptr ? chip->str() : "";
}

Result<File> read(std::span<const uint8_t> file) {
  TW_ASSIGN_OR_RETURN(frame, frame_of(file));
  TW_RETURN_IF_ERROR(verify(frame.message));
  File result;
  GetModel(frame.message.data())->UnPackTo(&result.model);
  result.binary = frame.binary;
  TW_RETURN_IF_ERROR(validate(result.model, frame.binary.size()));
  return result;
}

std::string message_text(std::span<const uint8_t> file) {
  auto frame = frame_of(file);
  if (!frame.ok()) return "";
  MessageText visitor;
  flatbuffers::IterateFlatBuffer(frame->message.data(), ModelTypeTable(), &visitor);
  return visitor.s;
}

}  // namespace tputwin::bmodel::bm168x
