// A pass over all messages between different clocks, for methods that need more than hulls.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"
#include "syncline/time.h"

#include "base/parcel.h"
#include "match/team_messages.h"

namespace syncline {

struct RecordedMessage {
  ClockId from;
  ClockId to;
  LocalTime sent;      // of `from`
  LocalTime received;  // of `to`
  // The same in nominal nanoseconds (Clock::NominalNs).
  int64_t send_ns = 0;
  int64_t receive_ns = 0;
  uint64_t id = 0;  // the same in every pass
  // Of the readings, where a clock was set back (model/epochs.h).
  uint32_t from_epoch = 0;
  uint32_t to_epoch = 0;
};

using MessageVisitor = std::function<void(const RecordedMessage&)>;

// What is made of messages one by one, where they are: also in other processes of an MPI run, of
// which each makes it of some. All messages between two clocks are in one process, in their order.
class MessageWork {
 public:
  virtual ~MessageWork() = default;
  virtual void Add(const RecordedMessage& message) = 0;
  // What others have to know to do the same, and which work it is (match/team_messages.h).
  virtual void PutTask(Parcel& task) const = 0;
  // What one of them made of its messages.
  virtual void TakeOutcome(ParcelReader& outcome) = 0;
};

// Visits every message once, in any order; may be called again. Errors: those of the storage.
class MessagePass {
 public:
  using Every = std::function<Result<void>(const MessageVisitor&)>;
  // Of messages that other processes hold some of.
  struct Shared {
    std::function<Result<void>(MessageWork&)> run;
    // By ClockId: what the first message of each clock shows, in nominal nanoseconds.
    std::vector<std::optional<int64_t>> first_readings_ns;
    const TeamMessages* team = nullptr;
  };

  template <std::invocable<const MessageVisitor&> Visit>
  requires(!std::same_as<std::remove_cvref_t<Visit>, MessagePass>) MessagePass(Visit every)
      : every_(std::move(every)) {}  // NOLINT(google-explicit-constructor)
  MessagePass(Every every, Shared shared) : every_(std::move(every)), shared_(std::move(shared)) {}

  // Here, wherever the messages are.
  Result<void> operator()(const MessageVisitor& visit) const { return every_(visit); }
  Result<void> Run(MessageWork& work) const {
    if (shared_.run) return shared_.run(work);
    return every_([&](const RecordedMessage& m) { work.Add(m); });
  }
  // Who holds them together; null where they are here.
  const TeamMessages* team() const { return shared_.team; }
  // Empty where Run() sees every message here.
  const std::vector<std::optional<int64_t>>& first_readings_ns() const {
    return shared_.first_readings_ns;
  }

 private:
  Every every_;
  Shared shared_;
};

}  // namespace syncline
