// Pairs named send, broadcast and receive events into messages.
//
// Events may come in any order of processes: a receive may be added before its send. A send of P
// to Q and a receive in Q from P belong together when their message is the same; so do a broadcast
// of P and the receives from P of any number of processes. A message id may be used again once its
// first message is complete; a broadcast stays open until Finish().
// What is in doubt is never paired: a second send, or a second receive, of the same sender,
// receiver and message while the first waits, a message where its sender's broadcast of the same id
// is open, a second broadcast of an id. These events and all later ones of the same key are
// ambiguous and remain unmatched.
// Messages of a process to itself tell nothing about clocks: they are counted and not paired.
// Order: messages are delivered as they complete, a few events late; those of broadcasts, and the
// broadcasts themselves, in Finish(), in order of the broadcast events and of the receiving
// processes. Cost and memory: of each send and receive those of waiting_transfers.h,
// 60 bytes per broadcast. Tested by:
// named_matcher_test.cc (against a quadratic oracle).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "syncline/diagnostics.h"
#include "syncline/event.h"
#include "syncline/message.h"

#include "match/waiting_transfers.h"

namespace syncline {

// Every send, broadcast and receive event is in exactly one of the groups: part of a message (a
// broadcast, of any number), unmatched, ambiguous, or to itself.
struct NamedMatchCounts {
  uint64_t matched = 0;             // messages delivered, those of broadcasts included
  uint64_t broadcasts = 0;          // broadcasts delivered: with at least two receives
  uint64_t unmatched_sends = 0;     // sends without receive, broadcasts without any
  uint64_t unmatched_receives = 0;  // receives without send or broadcast
  uint64_t ambiguous = 0;           // events
  uint64_t to_itself = 0;           // events
  friend bool operator==(const NamedMatchCounts&, const NamedMatchCounts&) = default;
};

class NamedMatcher {
 public:
  // `sink` must outlive the matcher.
  explicit NamedMatcher(MessageSink& sink);

  // Takes sends, receives and broadcasts and ignores all others. `index` is the event's number
  // within its process, below 2^62.
  void Add(const Event& event, uint64_t index);
  // Delivers the broadcasts and counts what remains: "unmatched-send", "unmatched-receive" and
  // "message-to-itself" (info), "ambiguous-message" (warning). The matcher is then empty.
  // What a process is called its number in the examples says, where `name_of` does not.
  NamedMatchCounts Finish(Diagnostics& diagnostics,
                          const std::function<std::string(ProcessId)>& name_of = {});

 private:
  // A broadcast has kEveryone as its receiver.
  using Key = TransferKey;
  using State = TransferState;
  struct Transfer {
    Key key;
    EventRef event;
    State side = State::kSend;
  };
  struct Open {
    EventRef event;
    bool ambiguous = false;
  };
  struct BroadcastReceive {
    uint64_t broadcast = 0;  // its place in broadcasts_
    EventRef receive;
  };
  // The first event of a kind of finding, in order of process and index, for people to look at.
  struct Finding {
    uint64_t count = 0;
    EventRef first;
    void Add(const EventRef& event);
  };

  static Key MakeKey(ProcessId sender, ProcessId receiver, uint64_t message);
  static Key BroadcastKey(const Key& key);
  static ProcessId Sender(const Key& key);
  static ProcessId Receiver(const Key& key);
  void AddTransfer(const Key& key, const EventRef& event, State side);
  void TakeTransfers();
  void TakeTransfer(const Key& key, const EventRef& event, State side);
  void AddBroadcast(const Key& key, const EventRef& event);
  std::vector<BroadcastReceive> Sweep();
  std::optional<BroadcastReceive> SweepReceive(const Key& key, const EventRef& receive);
  void DeliverBroadcasts(std::vector<BroadcastReceive> received);
  void DeliverBroadcast(const EventRef& event, std::span<const BroadcastReceive> received);

  NamedMatcher(MessageSink& sink, TransferKeyHash hash);

  MessageSink* sink_;
  // Events wait here while the memory that their look-up needs is on its way to the cache.
  std::vector<Transfer> transfers_;
  WaitingTransfers waiting_;
  absl::flat_hash_map<Key, uint64_t, TransferKeyHash>
      broadcast_table_;           // to the place in broadcasts_
  std::vector<Open> broadcasts_;  // in order of Add
  uint64_t matched_ = 0;
  uint64_t delivered_broadcasts_ = 0;
  Finding unmatched_sends_;
  Finding unmatched_receives_;
  Finding ambiguous_;
  Finding to_itself_;
};

}  // namespace syncline
