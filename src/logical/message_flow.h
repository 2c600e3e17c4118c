// Sends, receives and broadcasts: which belong together, what a receive has to wait for, how long a
// send is waited for.
//
// A send holds back its process's amortization until its receive is computed, the receiver has
// progressed by max_horizon (then a receive is still recognised until it has ended, unless another
// message gets the name after another max_horizon; kMostGivenUp of them), or it has ended. A
// broadcast holds back nothing, and is forgotten after every process has progressed by max_horizon
// twice. A receive that went on without its send is remembered until the sender has ended, so that
// none stays inverted unnoticed: a send that comes later makes them a message that is late;
// kMostGivenUp of them, older ones are counted. Whenever a receive finds its send, it is put after
// the send's time as it is then, so giving up never breaks the clock condition. Cost: O(1) per
// event; of a broadcast O(processes) while receives of its sender are remembered. Memory: about 150
// bytes per message under way. Tested by: giving_up_test.cc, logical_filter_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "syncline/minimum_delay.h"

#include "logical/logical_clocks.h"
#include "logical/logical_event.h"
#include "logical/logical_options.h"
#include "logical/logical_output.h"
#include "logical/logical_report.h"
#include "logical/message_table.h"
#include "logical/process_progress.h"

namespace syncline {

class MessageFlow {
 public:
  static constexpr size_t kMostGivenUp = 65'536;  // receives, and as many sends: 10 MB each

  // All must outlive this object.
  MessageFlow(const LogicalOptions& options, const DelayModel& delays,
              std::vector<ProcessProgress>& progress, LogicalOutput& output, LogicalSink& sink,
              LogicalReport& report)
      : options_(&options),
        delays_(&delays),
        progress_(&progress),
        output_(&output),
        sink_(&sink),
        report_(&report) {}
  void Resize(size_t processes);

  struct Sent {
    uint32_t record = kNoRecord;
    bool is_awaiting = false;    // a send whose receive has not been computed
    int64_t latest = INT64_MAX;  // where its receives are that have gone on, less µ
  };
  // A send between two different processes has been computed. A record for it; none where nobody
  // will receive it. What has been received without it becomes a message.
  std::optional<Sent> CreateSend(const LogicalEvent& send, const ClockStep& step);
  // The send waits for its receive.
  void AwaitReceive(uint32_t record);
  // The same for a broadcast; its receives can be found from now on.
  std::optional<Sent> CreateBroadcast(const LogicalEvent& broadcast, const ClockStep& step);

  // The send or broadcast of this receive, if it has been computed.
  std::optional<uint32_t> FindSend(const LogicalEvent& receive) const;
  // µ of the message. Requires, as the next two: FindSend gave the record.
  int64_t MinimumDelay(uint32_t record, const LogicalEvent& receive) const;
  // What the receive must not precede.
  ClockBound BoundOf(uint32_t record, int64_t minimum_delay);
  // The receive has been computed. The record its own event is to be linked with.
  uint32_t Match(uint32_t record, const LogicalEvent& receive, int64_t minimum_delay,
                 const ClockStep& step);
  // The receive went on without its send. The record its own event is to be linked with, if any.
  std::optional<uint32_t> GiveUpReceive(const LogicalEvent& receive, const ClockStep& step);

  MessageRecord& operator[](uint32_t record) { return table_[record]; }
  void Prefetch(uint32_t record) const {
    const auto* lines = reinterpret_cast<const char*>(&table_[record]);
    __builtin_prefetch(lines, 1);
    __builtin_prefetch(lines + 64, 1);
  }
  // The process's reach has grown, or it is done: what waited for it long enough is given up.
  void OnProgress(uint32_t process);
  void OnDone(uint32_t process);
  // The reach of the process beyond which OnProgress() is to be called.
  int64_t DeadlineFor(uint32_t process) const { return waiting_[process].nearest; }
  void OnFinal(const FinalLink& link, int64_t after);
  // Every process has progressed by max_horizon since the last call.
  void OnEpoch();

 private:
  struct Waiting {
    RecordList held;              // sends to this process
    RecordList released;          // sends to it that were waited for long enough
    RecordList receives;          // given-up receives of its sends
    uint64_t broadcasts = 0;      // of its own that can be received
    int64_t nearest = INT64_MAX;  // deadline
  };

  uint32_t Create(const MessageName& name, const LogicalEvent& send, const ClockStep& step);
  uint32_t AddChild(uint32_t broadcast, const LogicalEvent& receive);
  void TakeSend(uint32_t child, uint32_t send);
  int64_t MatchLate(uint32_t receive, uint32_t send);
  bool MayBeOfAnother(uint32_t receive) const;
  bool IsOld(uint32_t send) const;
  void StopWaiting(uint32_t record);
  void GiveUpHold(uint32_t record);
  void Forget(uint32_t record);
  void StopRemembering(uint32_t receive);
  void DropReceive(uint32_t record);
  void DiscardLate(uint32_t send);
  void FreeOnceFinal(uint32_t receive);
  void OnSendFinal(uint32_t record, int64_t after);
  void EmitIfFinal(uint32_t record);
  int64_t DelayOf(uint32_t sender, uint32_t receiver, uint64_t bytes) const;

  const LogicalOptions* options_;
  const DelayModel* delays_;
  std::vector<ProcessProgress>* progress_;
  LogicalOutput* output_;
  LogicalSink* sink_;
  LogicalReport* report_;
  MessageTable table_;
  std::vector<Waiting> waiting_;
  size_t given_up_receives_ = 0;  // in all lists, as the next
  size_t released_ = 0;           // sends
  RecordList broadcasts_;         // oldest first
  RecordList old_broadcasts_;     // of the epoch before
};

}  // namespace syncline
