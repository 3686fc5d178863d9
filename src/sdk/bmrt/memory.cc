// Blocks of device memory, and weights in them.
#include "sdk/bmrt/memory.h"

#include <openssl/sha.h>

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "memory/file_pages.h"

namespace tputwin::bmrt {
namespace {

constexpr uint64_t kPage = 4096, kAlignment = 64;

}  // namespace

Result<std::shared_ptr<Block>> Block::allocate(std::shared_ptr<bmlib::Card> card, uint64_t bytes) {
  bytes = align_up(bytes, kPage);
  TW_ASSIGN_OR_RETURN(address, card->in_turn([&] { return card->allocate(bytes, 0); }));
  return std::shared_ptr<Block>(new Block(std::move(card), address, bytes));
}

Block::~Block() {
  card_->in_turn([&] {
    if (mapped_) unmap_file(card_->for_mapping(offset(), bytes_), offset(), bytes_);
    static_cast<void>(card_->free(address_));
  });
}

bool Block::map_file(int descriptor, uint64_t file_offset) {
  return mapped_ = card_->in_turn([&] {
    return tputwin::map_file(card_->for_mapping(offset(), bytes_), offset(), bytes_, descriptor,
                             file_offset);
  });
}

void Block::fill(std::span<const uint8_t> bytes) {
  card_->in_turn([&] {
    std::memcpy(card_->mark_written(offset(), bytes.size()), bytes.data(), bytes.size());
  });
}

Result<std::shared_ptr<const Coefficients>> Coefficients::load(
    const std::shared_ptr<bmlib::Card>& card, const std::shared_ptr<const MappedFile>& file,
    std::span<const uint8_t> weights, std::span<const uint8_t> check_code) {
  auto result = std::make_shared<Coefficients>();
  const auto start = static_cast<uint64_t>(weights.data() - file->bytes().data());
  const uint64_t in_page = start % kPage;
  const bool mappable = file->descriptor() >= 0 && start % kAlignment == 0;
  TW_ASSIGN_OR_RETURN(block, Block::allocate(card, weights.size() + (mappable ? in_page : 0)));
  const bool mapped = mappable && block->map_file(file->descriptor(), start - in_page);
  if (!mapped) block->fill(weights);
  result->address_ = block->address() + (mapped ? in_page : 0);
  result->bytes_ = weights.size();
  result->check_code_.assign(check_code.begin(), check_code.end());
  result->block_ = std::move(block);
  return std::shared_ptr<const Coefficients>(std::move(result));
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
