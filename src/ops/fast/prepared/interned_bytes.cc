// A table of the process with all constants by their hash. Blocks leave it with their last owner.
#include "ops/fast/prepared/interned_bytes.h"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <new>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tputwin::fast {
namespace {

constexpr size_t kAlignment = 64;

struct Free {
  void operator()(uint8_t* p) const { std::free(p); }
};

}  // namespace

struct InternedBytes::Block {
  explicit Block(size_t size) : bytes(size) {
    const size_t whole = (size + kAlignment - 1) / kAlignment * kAlignment;
    data.reset(static_cast<uint8_t*>(std::aligned_alloc(kAlignment, whole)));
    if (data == nullptr) throw std::bad_alloc();
    std::memset(data.get(), 0, whole);
  }
  ~Block();
  Block(const Block&) = delete;

  std::string_view contents() const { return {reinterpret_cast<const char*>(data.get()), bytes}; }

  std::unique_ptr<uint8_t, Free> data;
  size_t bytes, hash = 0;
  bool is_interned = false;
};

struct InternedBytes::Table {
  std::mutex mutex;
  std::unordered_multimap<size_t, std::weak_ptr<Block>> blocks;
  size_t bytes = 0;
};

// Never destroyed, because devices may be closed when the process ends.
InternedBytes::Table& InternedBytes::table() {
  static Table& instance = *new Table;
  return instance;
}

InternedBytes::Block::~Block() {
  if (!is_interned) return;
  Table& all = table();
  const std::scoped_lock lock(all.mutex);
  const auto [first, last] = all.blocks.equal_range(hash);
  for (auto i = first; i != last;) i = i->second.expired() ? all.blocks.erase(i) : std::next(i);
  all.bytes -= bytes;
}

uint8_t* InternedBytes::renew(size_t bytes) {
  block_ = std::make_shared<Block>(bytes);
  return block_->data.get();
}

void InternedBytes::intern() {
  if (block_ == nullptr || block_->is_interned) return;
  const size_t hash = std::hash<std::string_view>()(block_->contents());
  // The ends of blocks take the lock, so these live longer than it is held.
  std::vector<std::shared_ptr<Block>> alive{block_};
  Table& all = table();
  const std::scoped_lock lock(all.mutex);
  const auto [first, last] = all.blocks.equal_range(hash);
  for (auto i = first; i != last; ++i) {
    alive.push_back(i->second.lock());
    if (alive.back() == nullptr || alive.back()->contents() != block_->contents()) continue;
    block_ = alive.back();
    return;
  }
  block_->hash = hash;
  block_->is_interned = true;
  all.blocks.emplace(hash, block_);
  all.bytes += block_->bytes;
}

const uint8_t* InternedBytes::data() const {
  return block_ == nullptr ? nullptr : block_->data.get();
}

size_t InternedBytes::all_bytes() {
  Table& all = table();
  const std::scoped_lock lock(all.mutex);
  return all.bytes;
}

}  // namespace tputwin::fast
