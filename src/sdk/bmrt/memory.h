// Device memory that the runtime holds for nets.
#pragma once

#include <memory>
#include <span>

#include "base/mapped_file.h"
#include "sdk/bmlib/card.h"

namespace tputwin::bmrt {

// A block of a card's memory, freed in its turn. Not to be destroyed by the card's own thread.
class Block {
 public:
  static Result<std::shared_ptr<Block>> allocate(std::shared_ptr<bmlib::Card> card, uint64_t bytes);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  const std::shared_ptr<bmlib::Card>& card() const { return card_; }
  uint64_t address() const { return address_; }
  uint64_t bytes() const { return bytes_; }
  const uint8_t* host() const { return card_->memory() + offset(); }
  uint64_t offset() const { return address_ - card_->chip().global_base; }
  // Pages of a file in the place of the block's.
  bool map_file(int descriptor, uint64_t file_offset);
  void fill(std::span<const uint8_t> bytes);

 private:
  Block(std::shared_ptr<bmlib::Card> card, uint64_t address, uint64_t bytes)
      : card_(std::move(card)), address_(address), bytes_(bytes) {}
  std::shared_ptr<bmlib::Card> card_;
  uint64_t address_, bytes_;
  bool mapped_ = false;
};

// The weights of a stage in device memory: pages of their file where that is possible, else a copy.
class Coefficients {
 public:
  static Result<std::shared_ptr<const Coefficients>> load(
      const std::shared_ptr<bmlib::Card>& card, const std::shared_ptr<const MappedFile>& file,
      std::span<const uint8_t> weights, std::span<const uint8_t> check_code);

  uint64_t address() const { return address_; }
  std::span<const uint8_t> bytes() const;  // in device memory
  bool same_as(std::span<const uint8_t> weights, std::span<const uint8_t> check_code) const;
  // Whether they have the check code of the file, SHA-256; true if there is none.
  bool intact() const;

 private:
  std::shared_ptr<Block> block_;
  uint64_t address_ = 0, bytes_ = 0;
  std::vector<uint8_t> check_code_;
};

}  // namespace tputwin::bmrt
