// The sends and receives that one process recorded, by channel, in a few bytes each.
//
// Requires: of each channel, the sends and the receives in order. Memory: of each event the steps
// from the one before, some 5 bytes, of the first one of each run 10; 32 per run. Cost: a
// nanosecond per byte. Tested by: channel_ends_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "syncline/clock.h"

#include "base/varint.h"

namespace syncline {

// A send or a receive as its process knows it.
struct TransferEnd {
  uint64_t index = 0;  // of the event in its process
  LocalTime time;
  friend bool operator==(const TransferEnd&, const TransferEnd&) = default;
};

class EndWriter {
 public:
  void Add(const TransferEnd& end) {
    PutVarintStep(static_cast<int64_t>(last_.index), static_cast<int64_t>(end.index), bytes_);
    PutVarintStep(last_.time.ticks, end.time.ticks, bytes_);
    last_ = end;
  }
  // Keeps its memory.
  void Clear() {
    bytes_.clear();
    last_ = {};
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  TransferEnd last_;
  std::vector<std::byte> bytes_;
};

// What an EndWriter wrote. The bytes must outlive it.
class EndReader {
 public:
  explicit EndReader(std::span<const std::byte> bytes) : reader_(bytes) {}

  bool is_at_end() const { return reader_.is_at_end(); }
  TransferEnd Take() {
    const int64_t index = reader_.TakeStep(static_cast<int64_t>(last_.index));
    last_ = {static_cast<uint64_t>(index), {reader_.TakeStep(last_.time.ticks)}};
    return last_;
  }

 private:
  VarintReader reader_;
  TransferEnd last_;
};

class ChannelEnds {
 public:
  // All sends, or all receives, of one channel.
  struct Run {
    uint64_t channel = 0;
    bool is_send = false;
    size_t begin = 0;  // of its bytes
    size_t end = 0;
  };

  void Reserve(size_t runs, size_t bytes) {
    runs_.reserve(runs);
    bytes_.reserve(bytes);
  }
  // What goes on with the last run becomes part of it.
  void Add(uint64_t channel, bool is_send, std::span<const std::byte> bytes) {
    const bool goes_on =
        !runs_.empty() && runs_.back().channel == channel && runs_.back().is_send == is_send;
    if (goes_on) runs_.back().end += bytes.size();
    if (!goes_on) runs_.push_back({channel, is_send, bytes_.size(), bytes_.size() + bytes.size()});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::span<Run> runs() { return runs_; }
  std::span<const Run> runs() const { return runs_; }
  std::span<const std::byte> BytesOf(const Run& run) const {
    return std::span(bytes_).subspan(run.begin, run.end - run.begin);
  }

 private:
  std::vector<Run> runs_;
  std::vector<std::byte> bytes_;
};

// Those of a process, while it is read, by places that its channels have there. May serve one
// process after the other: pages that were never used can cost more than what is done with them.
// Memory: 80 bytes per place, 32 and more per run.
class FoundEnds {
 public:
  void Add(size_t place, bool is_send, const TransferEnd& end) {
    const size_t writer = 2 * place + (is_send ? 1 : 0);
    if (writer >= used_) used_ = writer + 1;
    if (writer >= writers_.size()) writers_.resize(writer + 1);
    writers_[writer].Add(end);
  }
  // Places in place of channels. Then there are none.
  ChannelEnds Take();

 private:
  std::vector<EndWriter> writers_;
  size_t used_ = 0;
};

}  // namespace syncline
