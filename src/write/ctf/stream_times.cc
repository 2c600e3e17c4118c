#include "write/ctf/stream_times.h"

#include <algorithm>
#include <limits>

namespace syncline::ctf_write {
namespace {

// Items taken are forgotten in batches of this many, so that each is moved at most once.
constexpr size_t kForgotten = 1024;

}  // namespace

void StreamFigures::Merge(const StreamFigures& other) {
  events += other.events;
  raised += other.raised;
  largest_raise_ns = std::max(largest_raise_ns, other.largest_raise_ns);
  before_origin_ns = std::max(before_origin_ns, other.before_origin_ns);
}

void StreamTimes::Add(const StreamItem& item) {
  const bool is_event = item.kind == StreamItem::Kind::kEvent;
  if (!is_event) Flush();
  const bool is_known = item.kind == StreamItem::Kind::kUntimed;
  waiting_.push_back({item, is_known});
  if (is_event) ++events_;
}

void StreamTimes::Flush() {
  if (events_ == 0) return;
  const size_t begin = waiting_.size() - events_;
  cycles_.clear();
  corrected_.resize(events_);
  for (size_t i = begin; i < waiting_.size(); ++i) {
    cycles_.push_back(waiting_[i].item.recorded.first);
  }
  retimer_.Retime(figures_.events, cycles_, corrected_);
  ResolveBoundaries(std::max(corrected_[0], latest_));
  for (size_t i = 0; i < events_; ++i) {
    if (corrected_[i] < latest_) {
      ++figures_.raised;
      figures_.largest_raise_ns = std::max(figures_.largest_raise_ns, (latest_ - corrected_[i]).ns);
    }
    latest_ = std::max(latest_, corrected_[i]);
    Waiting& event = waiting_[begin + i];
    event.item.written.first = event.item.written.last = ToCycles(latest_);
    event.is_known = true;
  }
  figures_.events += events_;
  events_ = 0;
  boundaries_ = popped_ + waiting_.size();
}

void StreamTimes::Finish() {
  Flush();
  ResolveBoundaries({std::numeric_limits<int64_t>::max()});
  for (const size_t range : events_await_beginning_) {
    MessageTimes& times = At(range).item.written;
    times.first = ToCycles(Between(At(range).item.recorded.first, latest_));
  }
  // Ranges that no packet follows.
  for (size_t i = head_; i < waiting_.size(); ++i) {
    Waiting& open = waiting_[i];
    if (open.is_known) continue;
    open.item.written.last = std::max(open.item.written.first, ToCycles(latest_));
    open.is_known = true;
  }
}

std::optional<StreamItem> StreamTimes::Take() {
  if (head_ == waiting_.size() || !waiting_[head_].is_known) return std::nullopt;
  return Forget();
}

std::optional<StreamItem> StreamTimes::Drop() {
  if (head_ == waiting_.size()) return std::nullopt;
  return Forget();
}

StreamItem StreamTimes::Forget() {
  const StreamItem item = waiting_[head_++].item;
  if (head_ == waiting_.size() || head_ >= kForgotten) {
    // What waits for its time stays at its position.
    popped_ += head_;
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(head_));
    head_ = 0;
  }
  return item;
}

// The corrected time of a boundary, moved between what is before it and `limit`.
GlobalTime StreamTimes::Between(uint64_t cycles, GlobalTime limit) {
  latest_ = std::max(latest_, std::min(retimer_.Plain(cycles), limit));
  return latest_;
}

uint64_t StreamTimes::ToCycles(GlobalTime time) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  const Int128 cycles = time.ns - origin_ns_;
  if (cycles >= 0) return cycles > kMost ? kMost : static_cast<uint64_t>(cycles);
  figures_.before_origin_ns = std::max(figures_.before_origin_ns, Saturate(-cycles));
  return 0;
}

void StreamTimes::ResolveBoundaries(GlobalTime limit) {
  const size_t end = popped_ + waiting_.size() - events_;
  // What needs no time may have been taken already.
  for (size_t i = std::max(boundaries_, popped_); i < end; ++i) {
    if (!At(i).is_known) ResolveBoundary(i, limit);
  }
  boundaries_ = end;
}

void StreamTimes::ResolveBoundary(size_t position, GlobalTime limit) {
  Waiting& waiting = At(position);
  MessageTimes& written = waiting.item.written;
  const auto here = [&] { return ToCycles(Between(waiting.item.recorded.first, limit)); };
  switch (waiting.item.kind) {
    case StreamItem::Kind::kDiscardedEvents:
      if (packet_end_) written.first = *packet_end_;
      if (!packet_end_) events_await_beginning_.push_back(position);
      events_await_end_.push_back(position);
      return;
    case StreamItem::Kind::kDiscardedPackets:
      written.first = packet_end_ ? *packet_end_ : here();
      packets_await_beginning_.push_back(position);
      return;
    case StreamItem::Kind::kPacketBeginning:
      written.first = written.last = here();
      for (const size_t range : events_await_beginning_)
        At(range).item.written.first = written.first;
      events_await_beginning_.clear();
      CloseRanges(packets_await_beginning_, written.last);
      break;
    case StreamItem::Kind::kPacketEnd:
      written.first = written.last = here();
      packet_end_ = written.last;
      CloseRanges(events_await_end_, written.last);
      break;
    default: written.first = written.last = here();
  }
  waiting.is_known = true;
}

void StreamTimes::CloseRanges(std::vector<size_t>& positions, uint64_t cycles) {
  for (const size_t position : positions) {
    At(position).item.written.last = cycles;
    At(position).is_known = true;
  }
  positions.clear();
}

}  // namespace syncline::ctf_write
