#include "logical/causal_cycles.h"

#include <algorithm>
#include <compare>

namespace syncline {
namespace {

class CausalOrder {
 public:
  CausalOrder(size_t processes, std::span<const CausalLink> links)
      : links_(links),
        lanes_(processes),
        place_(processes, kNowhere),
        is_open_(links.size(), true) {
    SortEnds();
  }

  std::vector<uint32_t> Run() {
    for (uint32_t p = 0; p < lanes_.size(); ++p) Advance(p);
    for (TakeReady(); FindCircle(); TakeReady()) {
      const uint32_t link = MostInverted();
      is_open_[link] = false;
      left_out_.push_back(link);
      ready_.push_back(links_[link].to);
    }
    std::ranges::sort(left_out_);
    return std::move(left_out_);
  }

 private:
  static constexpr size_t kNowhere = SIZE_MAX;

  // A process's part in a link.
  struct End {
    uint64_t event = 0;
    bool is_send = false;
    uint32_t link = 0;
    auto operator<=>(const End&) const = default;
  };
  // The ends of one process that are still to come.
  struct Lane {
    size_t next = 0;
    size_t end = 0;
    bool is_done() const { return next == end; }
  };

  void SortEnds() {
    for (const CausalLink& link : links_) {
      ++lanes_[link.from].end;
      ++lanes_[link.to].end;
    }
    size_t first = 0;
    for (Lane& lane : lanes_) {
      lane.next = first;
      first += lane.end;
      lane.end = lane.next;
    }
    ends_.resize(first);
    for (uint32_t i = 0; i < links_.size(); ++i) {
      ends_[lanes_[links_[i].from].end++] = {links_[i].send, true, i};
      ends_[lanes_[links_[i].to].end++] = {links_[i].receive, false, i};
    }
    for (const Lane& lane : lanes_) {
      std::sort(ends_.begin() + static_cast<ptrdiff_t>(lane.next),
                ends_.begin() + static_cast<ptrdiff_t>(lane.end));
    }
  }

  bool Waits(const End& end) const { return !end.is_send && is_open_[end.link]; }

  // As far as the process can go.
  void Advance(uint32_t process) {
    Lane& lane = lanes_[process];
    const size_t before = lane.next;
    for (; !lane.is_done() && !Waits(ends_[lane.next]); ++lane.next) {
      const End& end = ends_[lane.next];
      if (!end.is_send) continue;
      is_open_[end.link] = false;
      const uint32_t receiver = links_[end.link].to;
      const Lane& theirs = lanes_[receiver];
      if (!theirs.is_done() && ends_[theirs.next] == EndOfReceive(end.link)) {
        ready_.push_back(receiver);
      }
    }
    if (lane.next > before) Forget(process);
  }

  End EndOfReceive(uint32_t link) const { return {links_[link].receive, false, link}; }

  void TakeReady() {
    while (!ready_.empty()) {
      const uint32_t process = ready_.back();
      ready_.pop_back();
      Advance(process);
    }
  }

  // The way led over a process that waits for something else now.
  void Forget(uint32_t process) {
    if (place_[process] == kNowhere) return;
    for (size_t end = place_[process]; way_.size() > end; way_.pop_back()) {
      place_[way_.back()] = kNowhere;
    }
  }

  // Goes on from process to process until one comes again; false where none waits.
  bool FindCircle() {
    if (way_.empty()) {
      while (first_ < lanes_.size() && lanes_[first_].is_done()) ++first_;
      if (first_ == lanes_.size()) return false;
    }
    uint32_t process = way_.empty() ? first_ : AwaitedBy(way_.back());
    for (; place_[process] == kNowhere; process = AwaitedBy(process)) {
      place_[process] = way_.size();
      way_.push_back(process);
    }
    circle_ = place_[process];
    return true;
  }

  uint32_t AwaitedLink(uint32_t process) const { return ends_[lanes_[process].next].link; }
  uint32_t AwaitedBy(uint32_t process) const { return links_[AwaitedLink(process)].from; }

  uint32_t MostInverted() const {
    uint32_t most = AwaitedLink(way_[circle_]);
    for (size_t i = circle_ + 1; i < way_.size(); ++i) {
      const uint32_t link = AwaitedLink(way_[i]);
      if (links_[link].delay_ns < links_[most].delay_ns) most = link;
    }
    return most;
  }

  std::span<const CausalLink> links_;
  std::vector<End> ends_;  // by process, in program order
  std::vector<Lane> lanes_;
  std::vector<uint32_t> ready_;
  std::vector<uint32_t> way_;  // each waits for the next
  std::vector<size_t> place_;  // by process: in way_
  size_t circle_ = 0;          // where in way_ it begins
  uint32_t first_ = 0;         // all processes before it are done
  std::vector<bool> is_open_;  // by link: neither sent nor left out
  std::vector<uint32_t> left_out_;
};

}  // namespace

std::vector<uint32_t> LinksToLeaveOut(size_t processes, std::span<const CausalLink> links) {
  return CausalOrder(processes, links).Run();
}

}  // namespace syncline
