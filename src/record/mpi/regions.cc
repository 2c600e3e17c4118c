#include "record/mpi/regions.h"

#include <algorithm>

namespace syncline::mpi {
namespace {

int64_t Ns(uint64_t time) { return static_cast<int64_t>(time); }

}  // namespace

bool Waits(Call call) {
  switch (call) {
    case Call::kRecv:
    case Call::kMrecv:
    case Call::kSendrecv:
    case Call::kSendrecv_replace:
    case Call::kProbe:
    case Call::kMprobe:
    case Call::kWait:
    case Call::kWaitall:
    case Call::kWaitany:
    case Call::kWaitsome: return true;
    default: return call >= Call::kBarrier && call <= Call::kExscan;
  }
}

void Regions::Begin(uint32_t own, uint32_t processes) {
  own_ = own;
  processes_ = processes;
  delivered_.entries.resize(processes);
  is_on_ = true;
}

void Regions::End() {
  if (clock_) clock_->End(Ns(last_));
  is_on_ = false;
}

void Regions::Enter(Call call, uint64_t time) {
  if (!clock_) clock_.emplace(own_, processes_, Ns(time));
  is_waiting_ = Waits(call);
  if (is_waiting_) clock_->Block(Ns(time));
}

void Regions::Leave(Call call, uint64_t time) {
  if (Waits(call)) clock_->Resume(Ns(time));
  is_waiting_ = false;
  last_ = time;
}

void Regions::Send(uint64_t time, uint32_t slot) {
  const RegionStamp stamp = clock_->Send(Ns(time));
  if (is_waiting_) clock_->Block(Ns(time));
  int64_t* words = Slot(slot);
  *words++ = stamp.height_ns;
  for (const RegionStamp::Entry& entry : stamp.entries) {
    *words++ = entry.computed_ns;
    *words++ = entry.delayed_ns;
  }
}

void Regions::Deliver(uint64_t time, uint32_t slot) {
  const int64_t* words = Slot(slot);
  delivered_.height_ns = *words++;
  for (uint32_t k = 0; k < processes_; ++k) {
    const int64_t computed = *words++;
    delivered_.entries[k] = {k, computed, *words++};
  }
  if (!clock_->Deliver(Ns(time), delivered_)) ++refused_;
}

uint32_t Regions::TakeSlot() {
  if (free_.empty()) {
    slots_.push_back(std::make_unique<int64_t[]>(words()));
    return static_cast<uint32_t>(slots_.size());
  }
  const uint32_t slot = free_.back();
  free_.pop_back();
  std::fill_n(Slot(slot), words(), 0);
  return slot;
}

void Regions::GiveBack(uint32_t slot) {
  if (slot != kNoSlot) free_.push_back(slot);
}

Regions::Totals Regions::totals() const {
  if (!clock_) return {};
  return {clock_->computed_ns()[own_], clock_->delayed_ns()[own_], clock_->height_ns()};
}

}  // namespace syncline::mpi
