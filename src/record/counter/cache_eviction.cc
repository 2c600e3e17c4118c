#include "record/counter/cache_eviction.h"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

namespace syncline {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kCodeBytes = size_t{1} << 20;

size_t DataBytes() {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  const long level2 = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
#else
  const long level2 = 0;
#endif
  constexpr size_t kLeast = size_t{4} << 20;
  constexpr size_t kMost = size_t{64} << 20;
  return std::clamp(2 * static_cast<size_t>(std::max(level2, 0L)), kLeast, kMost);
}

// Fills `code` with functions that return at once, one per cache line. False: unknown processor.
bool FillWithReturns(uint8_t* code) {
#if defined(__x86_64__)
  std::memset(code, 0xC3, kCodeBytes);
  return true;
#elif defined(__aarch64__)
  constexpr uint32_t kReturn = 0xD65F03C0;
  for (size_t i = 0; i < kCodeBytes; i += sizeof kReturn) {
    std::memcpy(code + i, &kReturn, sizeof kReturn);
  }
  __builtin___clear_cache(reinterpret_cast<char*>(code),
                          reinterpret_cast<char*>(code) + kCodeBytes);
  return true;
#else
  (void)code;
  return false;
#endif
}

}  // namespace

CacheEviction::CacheEviction() : data_(DataBytes()) {
  void* code =
      ::mmap(nullptr, kCodeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return;
  code_ = code;
  if (!FillWithReturns(static_cast<uint8_t*>(code))) return;
  if (::mprotect(code, kCodeBytes, PROT_READ | PROT_EXEC) == 0) code_bytes_ = kCodeBytes;
}

CacheEviction::~CacheEviction() {
  if (code_ != nullptr) ::munmap(code_, kCodeBytes);
}

void CacheEviction::Evict() {
  for (size_t i = 0; i < data_.size(); i += kLine) {
    volatile uint8_t& byte = data_[i];
    byte = static_cast<uint8_t>(byte + 1);
  }
  const auto start = reinterpret_cast<uintptr_t>(code_);
  for (size_t i = 0; i < code_bytes_; i += kLine) reinterpret_cast<void (*)()>(start + i)();
}

}  // namespace syncline
