// Makes the next call cold: what it needs, code and data, is no longer in the first two caches.
//
// Method: Tinetti and Romero, Sincronización de Relojes en Ambientes Distribuidos, 3, before Table
// 6: measured programs find the stamping code cold, so its cost is to be measured so. Data are put
// out by writing more of them than the caches hold, code by calling more small functions than they
// hold. Departure: the last cache, which cores share, is not emptied.
// Errors: where the system grants no memory to execute, data alone are put out (code_bytes() is 0).
// Cost: some milliseconds per Evict(). Tested by: costs_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace syncline {

class CacheEviction {
 public:
  CacheEviction();
  CacheEviction(const CacheEviction&) = delete;
  CacheEviction& operator=(const CacheEviction&) = delete;
  ~CacheEviction();

  void Evict();
  size_t data_bytes() const { return data_.size(); }
  size_t code_bytes() const { return code_bytes_; }

 private:
  std::vector<uint8_t> data_;
  void* code_ = nullptr;
  size_t code_bytes_ = 0;
};

}  // namespace syncline
