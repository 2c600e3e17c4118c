// Shares of a trace as threads of a test, in place of the processes of an MPI run.
#pragma once

#include <barrier>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "logical/replay_team.h"

namespace syncline {

// What threads have for each other. What they post arrives once all wait, a piece at a time, from
// and for whom the random numbers say: in each order in which it may, and in the same again.
class Meeting {
 public:
  Meeting(size_t shares, uint32_t seed)
      : barrier_(static_cast<std::ptrdiff_t>(shares)),
        from_each_(shares),
        flags_(shares),
        random_(seed),
        posted_(shares, std::vector<std::deque<ReplayTeam::Bytes>>(shares)),
        arrived_(shares) {}

  std::vector<ReplayTeam::Bytes> Exchange(size_t own, const std::vector<ReplayTeam::Bytes>& to_each,
                                          uint32_t& flags) {
    from_each_[own] = to_each;
    flags_[own] = flags;
    barrier_.arrive_and_wait();
    std::vector<ReplayTeam::Bytes> received;
    for (size_t share = 0; share < from_each_.size(); ++share) {
      received.push_back(from_each_[share].at(own));
      flags |= flags_[share];
    }
    barrier_.arrive_and_wait();
    return received;
  }

  void Post(size_t own, size_t to, ReplayTeam::Bytes bytes) {
    const std::lock_guard lock(mutex_);
    posted_[own][to].push_back(std::move(bytes));
  }

  std::vector<ReplayTeam::Arrival> Receive(size_t own) {
    std::unique_lock lock(mutex_);
    const uint64_t quiet = quiet_;
    if (++waiting_ == posted_.size()) Deliver();
    changed_.wait(lock, [&] { return quiet_ != quiet || !arrived_[own].empty(); });
    --waiting_;
    return std::exchange(arrived_[own], {});
  }

 private:
  void Deliver() {
    std::vector<std::pair<size_t, size_t>> ways;
    for (size_t from = 0; from < posted_.size(); ++from) {
      for (size_t to = 0; to < posted_.size(); ++to) {
        if (!posted_[from][to].empty()) ways.emplace_back(from, to);
      }
    }
    if (ways.empty()) {
      ++quiet_;
    } else {
      const auto [from, to] = ways[random_() % ways.size()];
      arrived_[to].push_back({from, std::move(posted_[from][to].front())});
      posted_[from][to].pop_front();
    }
    changed_.notify_all();
  }

  std::barrier<> barrier_;
  std::vector<std::vector<ReplayTeam::Bytes>> from_each_;
  std::vector<uint32_t> flags_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::mt19937 random_;
  std::vector<std::vector<std::deque<ReplayTeam::Bytes>>> posted_;  // by sender and receiver
  std::vector<std::vector<ReplayTeam::Arrival>> arrived_;           // by receiver
  size_t waiting_ = 0;
  uint64_t quiet_ = 0;  // how many times all was
};

class ThreadTeam : public ReplayTeam {
 public:
  ThreadTeam(Meeting& meeting, size_t shares, size_t own)
      : meeting_(meeting), shares_(shares), own_(own) {}
  size_t shares() const override { return shares_; }
  size_t own() const override { return own_; }
  std::vector<Bytes> Exchange(const std::vector<Bytes>& to_each, uint32_t& flags) override {
    return meeting_.Exchange(own_, to_each, flags);
  }
  void Post(size_t to, Bytes bytes) override { meeting_.Post(own_, to, std::move(bytes)); }
  std::vector<Arrival> Receive(bool /*is_done*/) override { return meeting_.Receive(own_); }

 private:
  Meeting& meeting_;
  size_t shares_;
  size_t own_;
};

// What each share does, all of them at once, one thread each; `seed`: of what arrives when.
inline void RunTeam(size_t shares, uint32_t seed, const std::function<void(ReplayTeam&)>& run) {
  Meeting meeting(shares, seed);
  std::vector<std::thread> threads;
  for (size_t own = 0; own < shares; ++own) {
    threads.emplace_back([&, own] {
      ThreadTeam team(meeting, shares, own);
      run(team);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace syncline
