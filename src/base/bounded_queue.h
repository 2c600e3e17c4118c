// A queue between one thread that produces and one that consumes, of bounded length.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace syncline {

template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  // Waits for room. False once the consumer has given up; the element is then dropped.
  bool Push(T element) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return elements_.size() < capacity_ || is_abandoned_; });
    if (is_abandoned_) return false;
    elements_.push_back(std::move(element));
    changed_.notify_all();
    return true;
  }
  // No more will be pushed.
  void Close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }
  // Waits for an element; none once the queue is closed and empty.
  std::optional<T> Pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !elements_.empty() || is_closed_; });
    if (elements_.empty()) return std::nullopt;
    std::optional<T> element(std::move(elements_.front()));
    elements_.pop_front();
    changed_.notify_all();
    return element;
  }
  // The consumer takes no more.
  void Abandon() {
    const std::lock_guard lock(mutex_);
    is_abandoned_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> elements_;
  size_t capacity_;
  bool is_closed_ = false;
  bool is_abandoned_ = false;
};

}  // namespace syncline
