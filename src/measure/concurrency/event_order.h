// Counts the consistent cuts of a computation: Charron-Bost's measure of concurrency.
//
// A cut holds the first so many message events of each process; it is consistent when with each
// event it holds all that precede it. m = (µ − µs) / (µc − µs): µ is the number of consistent cuts,
// µs of the same events one after the other, µc of the same processes without messages.
// Errors: none; beyond `max_cuts` consistent cuts, or 2^27 numbers in them, counting stops and
// there is no µ. Cost: O(µ · n²), memory O(n) per cut of one size; events are kept as long as a
// sequential computation of so many would stay below the limit, and there are at most 32 links per
// cut allowed: a barrier of more members alone has 2^33 cuts. Method: the cuts of k events, each
// once, for k = 0, 1, …. Tested by: event_order_test.cc (against enumeration).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/parcel.h"
#include "measure/concurrency/stamp.h"

namespace syncline {

struct ConsistentCuts {
  std::optional<uint64_t> count;  // µ; empty: more than the limit
  uint64_t sequential = 0;        // µs: one more than there are events
  double concurrent = 1;          // µc: the product of each process's events plus one
  std::optional<double> measure;  // m; empty also where µc = µs
};

class EventOrder {
 public:
  EventOrder(size_t processes, uint64_t max_cuts) : max_cuts_(max_cuts), processes_(processes) {}

  // The next message event of a process, and the events of others that it follows directly.
  void Add(ProcessId process, std::span<const EventOrigin> after);
  // Whether events are still kept; else there are too many for the limit.
  bool is_kept() const { return is_kept_; }
  ConsistentCuts Count() const;

  // Of shares of a computation (meter_share.h): adds what another one has, of other processes.
  // Where there are too many in all shares, none needs to keep and put its own.
  struct Size {
    uint64_t events = 0;
    uint64_t links = 0;
  };
  Size size() const { return size_; }
  void SetSizeOfAll(const Size& all);
  void Put(Parcel& parcel) const;
  void Adopt(ParcelReader& parcel);

 private:
  static constexpr uint64_t kLinksPerCut = 32;
  // Of all cuts compared, repeated ones too: some seconds, and half a gigabyte at the very most.
  static constexpr uint64_t kMostWords = uint64_t{1} << 27;
  using Cut = std::vector<uint32_t>;  // by process: how many of its events it holds
  struct Process {
    uint64_t events = 0;
    std::vector<std::vector<EventOrigin>> after;  // by event; unless there are too many
  };

  void ForgetIfTooMany(const Size& size);
  bool CanAdd(const Cut& cut, size_t process) const;
  std::optional<uint64_t> CountCuts() const;

  uint64_t max_cuts_;
  Size size_;
  bool is_kept_ = true;
  std::vector<Process> processes_;
};

}  // namespace syncline
