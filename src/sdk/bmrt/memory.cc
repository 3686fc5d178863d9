// Blocks of device memory, and weights in them.
#include "sdk/bmrt/memory.h"

#include <openssl/sha.h>

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "memory/file_pages.h"

namespace tputwin::bmrt {
namespace {

constexpr uint64_t kAlignment = 64;

// Weights at a multiple of 64 in their file can be mapped as pages of the file.
bool is_mappable(const MappedFile& file, std::span<const uint8_t> weights) {
  return file.descriptor() >= 0 &&
         static_cast<uint64_t>(weights.data() - file.bytes().data()) % kAlignment == 0;
}

uint64_t offset_in_page(const MappedFile& file, std::span<const uint8_t> weights) {
  return static_cast<uint64_t>(weights.data() - file.bytes().data()) % kPage;
}

}  // namespace

Result<std::shared_ptr<Block>> Block::allocate(std::shared_ptr<bmlib::Card> card, uint64_t bytes) {
  bytes = align_up(bytes, kPage);
  TW_ASSIGN_OR_RETURN(address, card->exclusively([&] { return card->allocate(bytes, 0); }));
  return std::shared_ptr<Block>(new Block(std::move(card), address, bytes, Owner::block));
}

std::shared_ptr<Block> Block::borrow(std::shared_ptr<bmlib::Card> card, uint64_t address,
                                     uint64_t bytes) {
  return std::shared_ptr<Block>(
      new Block(std::move(card), address, align_up(bytes, kPage), Owner::caller));
}

Block::~Block() {
  if (owner_ == Owner::caller) return;
  card_->exclusively([&] {
    if (mapped_) unmap_file(card_->for_mapping(offset(), bytes_), offset(), bytes_);
    static_cast<void>(card_->free(address_));
  });
}

bool Block::map_file(int descriptor, uint64_t file_offset) {
  return mapped_ = card_->exclusively([&] {
    return tputwin::map_file(card_->for_mapping(offset(), bytes_), offset(), bytes_, descriptor,
                             file_offset);
  });
}

void Block::fill(std::span<const uint8_t> bytes) {
  card_->exclusively([&] {
    std::memcpy(card_->mark_written(offset(), bytes.size()), bytes.data(), bytes.size());
  });
}

void Block::keep() {
  owner_ = Owner::caller;
  if (!mapped_) return;
  const std::vector<uint8_t> bytes(host(), host() + bytes_);
  card_->exclusively([&] { unmap_file(card_->for_mapping(offset(), bytes_), offset(), bytes_); });
  mapped_ = false;
  fill(bytes);
}

Result<std::shared_ptr<Block>> BlockSource::take(uint64_t bytes) {
  if (!next_) return Block::allocate(card_, bytes);
  const uint64_t address = *next_;
  *next_ += align_up(bytes, kPage);
  return Block::borrow(card_, address, bytes);
}

uint64_t Coefficients::block_bytes(const MappedFile& file, std::span<const uint8_t> weights) {
  const uint64_t before = is_mappable(file, weights) ? offset_in_page(file, weights) : 0;
  return align_up(weights.size() + before, kPage);
}

Result<std::shared_ptr<Coefficients>> Coefficients::load(
    BlockSource& source, const std::shared_ptr<const MappedFile>& file,
    std::span<const uint8_t> weights, std::span<const uint8_t> check_code) {
  auto result = std::make_shared<Coefficients>();
  const uint64_t in_page = offset_in_page(*file, weights);
  const auto start = static_cast<uint64_t>(weights.data() - file->bytes().data());
  const bool is_own = !source.is_callers();
  TW_ASSIGN_OR_RETURN(block, source.take(is_own ? block_bytes(*file, weights) : weights.size()));
  const bool mapped =
      is_own && is_mappable(*file, weights) && block->map_file(file->descriptor(), start - in_page);
  if (!mapped) block->fill(weights);
  result->address_ = block->address() + (mapped ? in_page : 0);
  result->bytes_ = weights.size();
  result->check_code_.assign(check_code.begin(), check_code.end());
  result->block_ = std::move(block);
  return result;
}

std::span<const uint8_t> Coefficients::bytes() const {
  return {block_->host() + (address_ - block_->address()), bytes_};
}

bool Coefficients::same_as(std::span<const uint8_t> weights,
                           std::span<const uint8_t> check_code) const {
  return !check_code.empty() && std::ranges::equal(check_code, check_code_) &&
         std::ranges::equal(weights, bytes());
}

bool Coefficients::intact() const {
  if (check_code_.empty()) return true;
  uint8_t digest[SHA256_DIGEST_LENGTH];
  SHA256(bytes().data(), bytes().size(), digest);
  return std::ranges::equal(digest, check_code_);
}

}  // namespace tputwin::bmrt
