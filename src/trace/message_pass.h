// Passes over the messages of loaded traces, as estimation asks for them.
//
// Tested by: message_pass_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "syncline/clock.h"
#include "syncline/message.h"
#include "syncline/result.h"

#include "base/parcel.h"
#include "estimate/hulls/pair_points.h"
#include "estimate/message_pass.h"
#include "trace/load.h"

namespace syncline {

// Every message that relates clocks, what complete collectives stand for, and what messages imply,
// numbered as they come: messages first.
Result<void> VisitNumbered(const LoadedTraces& loaded,
                           const std::function<void(const Message&, uint64_t id)>& visit);

// Those between different clocks, but for the ids left out (ascending). Ownership: both must
// outlive the pass.
MessagePass PassOver(const LoadedTraces& loaded, std::span<const uint64_t> left_out = {});

// Likely messages between different clocks, but for those left out (by their number); their ids
// count from `first_id`. Ownership: as PassOver.
MessagePass PassOverLikely(const LoadedTraces& loaded, uint64_t first_id,
                           const std::vector<bool>& is_left_out);

// The messages that one process of an MPI run holds (match/team_messages.h), and their hulls.
class MessageShare {
 public:
  // Messages from one clock to one other, in the order of their ids, which go on from the first.
  struct Series {
    uint64_t messages = 0;
    uint64_t first_number = 0;
    int64_t send_ns = 0;  // of the first one, in nominal nanoseconds
    int64_t receive_ns = 0;
  };

  explicit MessageShare(TraceSet traces) { held_.traces = std::move(traces); }

  // Numbered from 0 until Number() says more.
  void Add(std::span<const std::vector<Message>> series);
  std::span<const Series> series() const { return series_; }
  void Number(size_t series, uint64_t first_number) { series_[series].first_number = first_number; }
  const LoadedTraces& held() const { return held_; }
  std::map<std::pair<ClockId, ClockId>, PairPoints> TakePairs() { return std::move(held_.pairs); }

  // The part of PassOver(…).Run(work) that is done here: what is left of the task after the work's
  // own.
  Result<void> Run(ParcelReader& task, MessageWork& work) const;

 private:
  const Clock& ClockOf(const EventRef& e) const {
    return held_.traces.clocks[held_.traces.processes[e.process.index()].clock.index()];
  }

  LoadedTraces held_;
  std::vector<Series> series_;
};

}  // namespace syncline
