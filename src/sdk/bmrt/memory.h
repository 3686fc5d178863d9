// Device memory that the runtime holds for nets.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "base/mapped_file.h"
#include "sdk/bmlib/card.h"

namespace tputwin::bmrt {

// Blocks start and end at multiples of it.
inline constexpr uint64_t kPage = 4096;

// A block of a card's memory; the destructor frees it in the card's order. The card's own thread
// must not destroy it.
class Block {
 public:
  static Result<std::shared_ptr<Block>> allocate(std::shared_ptr<bmlib::Card> card, uint64_t bytes);
  // Returns a part of the caller's memory, which the caller keeps.
  static std::shared_ptr<Block> borrow(std::shared_ptr<bmlib::Card> card, uint64_t address,
                                       uint64_t bytes);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  const std::shared_ptr<bmlib::Card>& card() const { return card_; }
  uint64_t address() const { return address_; }
  uint64_t bytes() const { return bytes_; }
  const uint8_t* host() const { return card_->memory() + offset(); }
  uint64_t offset() const { return address_ - card_->chip().global_base; }
  // Maps pages of a file over the block.
  bool map_file(int descriptor, uint64_t file_offset);
  void fill(std::span<const uint8_t> bytes);
  // After this call the destructor leaves the memory allocated, with its bytes. They no longer
  // depend on a file.
  void keep();

 private:
  enum class Owner : uint8_t { block, caller };
  Block(std::shared_ptr<bmlib::Card> card, uint64_t address, uint64_t bytes, Owner owner)
      : card_(std::move(card)), address_(address), bytes_(bytes), owner_(owner) {}
  std::shared_ptr<bmlib::Card> card_;
  uint64_t address_, bytes_;
  Owner owner_;
  bool mapped_ = false;
};

// The source of blocks for a load: the card's free memory, or consecutive pieces of a range of the
// caller, from its start on.
class BlockSource {
 public:
  explicit BlockSource(std::shared_ptr<bmlib::Card> card) : card_(std::move(card)) {}
  BlockSource(std::shared_ptr<bmlib::Card> card, uint64_t address)
      : card_(std::move(card)), next_(address) {}
  // The caller's range must be large enough: see LoadSizes.
  Result<std::shared_ptr<Block>> take(uint64_t bytes);
  const std::shared_ptr<bmlib::Card>& card() const { return card_; }
  bool is_callers() const { return next_.has_value(); }

 private:
  std::shared_ptr<bmlib::Card> card_;
  std::optional<uint64_t> next_;
};

// The weights of a stage in device memory: pages of their file where that is possible, else a copy.
class Coefficients {
 public:
  // Loads the weights into a block of `source`.
  static Result<std::shared_ptr<Coefficients>> load(BlockSource& source,
                                                    const std::shared_ptr<const MappedFile>& file,
                                                    std::span<const uint8_t> weights,
                                                    std::span<const uint8_t> check_code);
  // Returns the size of the block that weights of a file take from a card's free memory.
  static uint64_t block_bytes(const MappedFile& file, std::span<const uint8_t> weights);
  // Leaves the memory allocated; see Block::keep.
  void keep() { block_->keep(); }

  uint64_t address() const { return address_; }
  std::span<const uint8_t> bytes() const;  // in device memory
  bool same_as(std::span<const uint8_t> weights, std::span<const uint8_t> check_code) const;
  // Returns true if they match the check code of the file, SHA-256, or if there is none.
  bool intact() const;

 private:
  std::shared_ptr<Block> block_;
  uint64_t address_ = 0, bytes_ = 0;
  std::vector<uint8_t> check_code_;
};

}  // namespace tputwin::bmrt
