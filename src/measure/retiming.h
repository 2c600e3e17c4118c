// The times that are written: corrections, rounded to what each output can hold, with the few
// receives moved that rounding alone would have put before their send, and with them the events
// that came after them.
//
// Units: local ticks in, global nanoseconds out. Method: spec of the conversion, "Writing times":
// the clock condition is checked on the integers written; rounding is monotone, so it can only
// break where outputs of different resolution meet, or a minimum delay ends between two
// representable times. Memory: one entry per moved receive, 8
// bytes per event of processes with shifts. Tested by: src/measure/retiming_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "syncline/clock.h"
#include "syncline/correction.h"
#include "syncline/message.h"

#include "base/parcel.h"
#include "model/reading_rank.h"

namespace syncline {

class Retiming {
 public:
  // Of a clock that was set back, one epoch after the first.
  struct LaterEpoch {
    uint64_t first_event = 0;  // of the process; equal to the next one's where it has none
    Correction correction;
    // Of a process that saw how its clock was set back: the highest reading before it, and that of
    // the event.
    std::optional<std::pair<LocalTime, LocalTime>> set_back = {};
  };
  struct ProcessTimes {
    Correction correction;
    int64_t ticks_per_second = 1'000'000'000;   // resolution of the output
    std::vector<LaterEpoch> later_epochs = {};  // ascending
  };

  explicit Retiming(std::vector<ProcessTimes> by_process)
      : by_process_(std::move(by_process)),
        shifts_ns_(by_process_.size()),
        as_read_(by_process_.size()),
        moved_events_(by_process_.size()),
        most_held_ns_(by_process_.size()) {}

  // Moves the events of a process further: the number at an event's place is added to its corrected
  // time. Events beyond the last number stay.
  void SetShifts(ProcessId process, std::vector<int64_t> shifts_ns);

  // The times of a process are what readers compute themselves of what the output says about its
  // clock; none of its events is moved.
  void SetAsRead(ProcessId process, std::function<GlobalTime(LocalTime)> as_read);

  // Where corrections put the first event of an epoch before what the process saw before it, events
  // from there on are written no earlier than that, before any receive is moved. Whether there is
  // such a place.
  bool KeepEpochsInOrder();

  GlobalTime operator()(const EventRef& event) const;
  // The same for events in a row of one process, the first of them number `first`.
  void Retime(ProcessId process, uint64_t first, std::span<const LocalTime> local,
              std::span<GlobalTime> written) const;
  // The same for a time that is no event's, of the epoch that it is taken to belong to.
  GlobalTime Plain(ProcessId process, uint32_t epoch, LocalTime local) const;
  // If rounding alone put this receive before its send, or less than `minimum_delay` after what
  // rounding made of the send itself, moves it to the first representable time that is late enough
  // and returns true. Does nothing where the corrections themselves leave the message so. A send
  // that a receive before it took along counts for the order alone: its minimum delay would drive
  // events that follow each other within a tick ever further.
  bool RepairRounding(const Message& message, Duration minimum_delay);
  uint64_t moved() const { return moved_; }
  // How much later than rounded to nearest an event of the process is written at most.
  int64_t MostMovedNs(ProcessId process) const;
  // Whether no event is moved, and no time is as readers compute it.
  bool is_of_corrections_alone() const;

  // Its shifts are those that the processes of an MPI run have kept under this number, not 0, each
  // of its own events (pipeline/correct/shared_stage.h).
  void SetKeptElsewhere(uint64_t number) { kept_elsewhere_ = number; }
  uint64_t kept_elsewhere() const { return kept_elsewhere_; }

  // Its corrections, not rounded to what the output can hold.
  Retiming Unrounded() const;

  // Its corrections, to another process; and what is moved there, back.
  void Put(Parcel& parcel) const;
  static Retiming Take(ParcelReader& parcel);
  void PutMoved(Parcel& parcel) const { parcel.Put(moved_events_); }
  void AdoptMoved(ParcelReader& parcel);

 private:
  // A receive that was moved, or the last event of an epoch. Events after it that were not recorded
  // before it are written no earlier.
  struct Moved {
    LocalTime recorded;
    GlobalTime written;
  };
  using MovedEvents = std::map<uint64_t, Moved>;  // by the event's number within its process

  // Before rounding to what the output can hold.
  int64_t ExactNs(const EventRef& event) const;
  // Rounded, before any receive is moved.
  GlobalTime Rounded(const EventRef& event) const;
  // The first that the output can hold.
  int64_t RoundedUpNs(int64_t ns, ProcessId process) const;
  bool IsAfter(const EventRef& event, uint64_t moved, LocalTime recorded) const;
  void Move(const EventRef& event, GlobalTime written);
  static void CorrectEpochs(const ProcessTimes& times, uint64_t first,
                            std::span<const LocalTime> local, std::span<GlobalTime> written);

  std::vector<ProcessTimes> by_process_;
  std::vector<std::vector<int64_t>> shifts_ns_;                // by process and event
  std::vector<std::function<GlobalTime(LocalTime)>> as_read_;  // by process; empty: corrected
  std::vector<MovedEvents> moved_events_;                      // by process
  uint64_t moved_ = 0;
  std::vector<int64_t> most_held_ns_;  // by process: how much later the first events of epochs are
  uint64_t kept_elsewhere_ = 0;
};

// Keeps each process's written times in program order where its recorded times were, and where an
// epoch of its clock begins: a moved receive takes the events directly after it along. One per
// output pass; call for every event in program order.
class ProgramOrder {
 public:
  // `epoch`: of the clock, as far as its correction knows epochs. What comes first of its reading
  // waits for none that has the same; what comes last neither waits nor is waited for.
  GlobalTime Place(LocalTime recorded, GlobalTime written, uint32_t epoch = 0,
                   ReadingRank rank = ReadingRank::kAsItComes);

 private:
  bool any_ = false;
  uint32_t last_epoch_ = 0;
  LocalTime last_recorded_;
  GlobalTime last_written_;
  GlobalTime before_reading_;  // the latest one written of the readings before that
};

}  // namespace syncline
