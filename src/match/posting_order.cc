// How it works: a queue in the order of posting. Completed operations are numbered as they reach
// its front, so an operation is numbered once the channel of every older one is known.

#include "match/posting_order.h"

namespace syncline {

void PostingOrder::Post(uint64_t request, uint64_t index) {
  if (const auto it = places_.find(request); it != places_.end()) {
    Drop(it->second);
    places_.erase(it);
    Advance();
  }
  if (operations_.size() >= max_waiting_) {
    // The front is always waiting; its place stays known, so that a late completion is noticed.
    Drop(first_place_);
    Advance();
  }
  places_.emplace(request, first_place_ + operations_.size());
  operations_.push_back({.begin_index = index, .has_request = true});
}

PostingOrder::Completion PostingOrder::Complete(uint64_t request, uint32_t channel,
                                                uint64_t index) {
  const auto it = places_.find(request);
  if (it == places_.end()) {
    CompleteAtOnce(channel, kNoIndex, index);
    return {Found::kNotPosted, kNoIndex};
  }
  const uint64_t place = it->second;
  places_.erase(it);
  if (place < first_place_ || operations_[place - first_place_].state == State::kDropped) {
    --never_completed_;
    CompleteAtOnce(channel, kNoIndex, index);
    return {Found::kGivenUp, kNoIndex};
  }
  Operation& operation = operations_[place - first_place_];
  operation.index = index;
  operation.channel = channel;
  operation.completions_before = channels_[channel].completed++;
  operation.state = State::kComplete;
  const uint64_t begin_index = operation.begin_index;
  Advance();
  return {Found::kPosted, begin_index};
}

void PostingOrder::CompleteAtOnce(uint32_t channel, uint64_t begin_index, uint64_t index) {
  Channel& known = channels_[channel];
  const uint64_t before = known.completed++;
  if (operations_.empty() && known.numbered == before) {
    ++known.numbered;  // in its place
    return;
  }
  Operation operation{.begin_index = begin_index,
                      .index = index,
                      .completions_before = before,
                      .channel = channel,
                      .state = State::kComplete};
  if (operations_.empty()) return SetNumber(operation);
  if (operations_.size() >= max_waiting_) {
    Drop(first_place_);
    Advance();
    if (operations_.empty()) return SetNumber(operation);
  }
  operations_.push_back(operation);
}

bool PostingOrder::Cancel(uint64_t request) {
  const auto it = places_.find(request);
  if (it == places_.end()) return false;
  const uint64_t place = it->second;
  places_.erase(it);
  if (place >= first_place_) operations_[place - first_place_].state = State::kDropped;
  Advance();
  return true;
}

void PostingOrder::Finish() {
  for (Operation& operation : operations_) {
    if (operation.state != State::kWaiting) continue;
    operation.state = State::kDropped;
    ++never_completed_;
  }
  Advance();
  places_.clear();
}

std::optional<uint64_t> PostingOrder::NumberOf(uint64_t index) const {
  if (numbers_.empty()) return std::nullopt;
  const auto it = numbers_.find(index);
  if (it == numbers_.end()) return std::nullopt;
  return it->second;
}

void PostingOrder::SetNumber(const Operation& operation) {
  const uint64_t number = channels_[operation.channel].numbered++;
  const bool is_misplaced = number != operation.completions_before;
  if (is_misplaced) numbers_.emplace(operation.index, number);
  if (operation.begin_index != kNoIndex && (is_misplaced || operation.has_request))
    numbers_.emplace(operation.begin_index, number);
}

void PostingOrder::Drop(uint64_t place) {
  if (place < first_place_) return;
  Operation& operation = operations_[place - first_place_];
  if (operation.state != State::kWaiting) return;
  operation.state = State::kDropped;
  ++never_completed_;
}

void PostingOrder::Advance() {
  while (!operations_.empty() && operations_.front().state != State::kWaiting) {
    if (operations_.front().state == State::kComplete) SetNumber(operations_.front());
    operations_.pop_front();
    ++first_place_;
  }
}

}  // namespace syncline
