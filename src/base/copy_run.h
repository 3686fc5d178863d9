// Copies of runs of bytes that may be long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tputwin {

// memcpy, at its speed wherever both sides lie. For 2 KiB to a megabyte glibc may take `rep movsb`,
// which on a Zen 3 (glibc 2.36) has a twentieth of the speed if the target is 1 to 31 bytes further
// on in its page than the source: 5 GB/s where other places have 100.
inline void copy_run(void* to, const void* from, size_t bytes) {
#if defined(__x86_64__)
  constexpr uintptr_t kPage = 4096, kSlow = 32;
  constexpr size_t kShort = 2048, kPiece = 64;
  const uintptr_t ahead =
      (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from)) % kPage;
  if (bytes > kShort && ahead > 0 && ahead < kSlow) {
    auto* out = static_cast<uint8_t*>(to);
    const auto* in = static_cast<const uint8_t*>(from);
    for (; bytes >= kPiece; bytes -= kPiece, out += kPiece, in += kPiece) {
      uint8_t piece[kPiece];
      std::memcpy(piece, in, kPiece);
      std::memcpy(out, piece, kPiece);
    }
    to = out;
    from = in;
  }
#endif
  std::memcpy(to, from, bytes);
}

}  // namespace tputwin
