// What a thread of its own makes ahead of the one that takes it, a few elements at most.
//
// Errors: an exception of the work is that of Take(), once what was pushed before it is taken.
// Tested by: producer_test.cc.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace syncline {

template <typename T>
class Producer {
 public:
  explicit Producer(size_t most_ahead) : most_ahead_(most_ahead) {}
  ~Producer() { Stop(); }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  // Once, before all else. Throws std::system_error where no thread can be started.
  void Start(std::function<void()> work) {
    thread_ = std::thread([this, work = std::move(work)] {
      std::exception_ptr failed;
      try {
        work();
      } catch (...) {
        failed = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      failed_ = failed;
      has_ended_ = true;
      changed_.notify_all();
    });
  }
  // Of the work: waits for room. False once nothing more is wanted; the element is then dropped.
  bool Push(T element) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return elements_.size() < most_ahead_ || is_stopped_; });
    if (is_stopped_) return false;
    elements_.push_back(std::move(element));
    changed_.notify_all();
    return true;
  }
  // Waits for an element; none once the work has ended and all are taken.
  std::optional<T> Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !elements_.empty() || has_ended_; });
    if (elements_.empty()) {
      if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
      return std::nullopt;
    }
    std::optional<T> element(std::move(elements_.front()));
    elements_.pop_front();
    changed_.notify_all();
    return element;
  }
  // Of the work: whether more is wanted.
  bool IsWanted() {
    const std::lock_guard lock(mutex_);
    return !is_stopped_;
  }
  // Nothing more is wanted. Returns when the thread has ended.
  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  size_t most_ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> elements_;
  std::exception_ptr failed_;
  bool has_ended_ = false;
  bool is_stopped_ = false;
  std::thread thread_;
};

}  // namespace syncline
