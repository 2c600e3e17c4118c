// Traces of several machines, read and matched: their clocks, processes, events and messages.
//
//     auto traces = syncline::Load(std::vector<syncline::InputSpec>{{"a.pcap"}, {"b.pcap"}});
//     if (!traces) std::cerr << traces.error().ToString();
//
// Threads: a Traces is a value that never changes; it may be used in several threads, and several
// may be loaded at once. Copies share what was read. Files may be read again by later calls: they
// must stay as they are. Memory: clocks and processes; messages and times beyond some megabytes lie
// in temporary files; OTF2 archives are kept. No function throws.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/event.h"
#include "syncline/export.h"
#include "syncline/message.h"
#include "syncline/result.h"

namespace syncline {

struct InputSpec {
  std::string path = {};  // a file or a folder of traces; the format is recognised from the content
  std::string clock =
      {};  // the name of its clock; empty: as its format says, a capture's file stem
};

// Called, in any thread but one at a time, with what is being done and the share of it that is done
// (0 where unknown), at most ten times a second. False cancels: the call returns kCancelled.
using ProgressCallback = std::function<bool(const std::string& step, double share)>;

struct LoadOptions {
  // Whose timestamps are one clock's: of OTF2 archives (kDefault: kProcess) and, as kProcess, of
  // each pid in Chrome JSON (else of a file).
  enum class ClockPer { kDefault, kProcess, kNode, kLocation } clock_per = ClockPer::kDefault;
  // Of spans: the attribute of resources that tells machines apart; without one, the usual ones.
  std::string clock_by = {};
  // Of CTF traces: which events are messages, as "SEND_EVENT(KEYS) -> RECEIVE_EVENT(KEYS)"; without
  // any, the kernel's network events.
  std::vector<std::string> match = {};
  ProgressCallback progress = {};
};

struct LoadedTraces;

class SYNCLINE_EXPORT Traces {
 public:
  // Index them by ClockId and ProcessId.
  const std::vector<Clock>& clocks() const;
  const std::vector<Process>& processes() const;
  std::optional<ClockId> FindClock(std::string_view name) const;
  uint64_t events() const;
  uint64_t messages() const;  // those of collectives not counted
  const Diagnostics& diagnostics() const;

  // Every message once, in an order of no meaning. Errors: temporary storage. Cost: 20 ns each.
  Result<void> ForEachMessage(const std::function<void(const Message&)>& visit) const;
  // Every event: of each process in the order of its file, which for packets need not be that of
  // time. Where the format does not tell kinds they are marks. `name`: of a region, mark, packet's
  // protocol or event class, valid during the call. Errors: those of reading the inputs again.
  using EventVisitor = std::function<void(const Event&, uint64_t index, std::string_view name)>;
  Result<void> ForEachEvent(const EventVisitor& visit) const;

  // For this library's own use.
  explicit Traces(std::shared_ptr<const LoadedTraces> loaded) : loaded_(std::move(loaded)) {}
  const LoadedTraces& loaded() const { return *loaded_; }
  const std::shared_ptr<const LoadedTraces>& shared() const { return loaded_; }

 private:
  std::shared_ptr<const LoadedTraces> loaded_;
};

// Reads all inputs and matches their messages. Errors: kUnreadable, kMalformed (with file and
// position), kUnsupported, kUsage for names that do not fit, kCancelled.
SYNCLINE_EXPORT Result<Traces> Load(std::span<const InputSpec> inputs,
                                    const LoadOptions& options = {});

// From messages in memory; they must belong to processes of `set`. An event's index is its place in
// its process's program order, and its time the reading of the process's clock there. A clock whose
// readings go back along that order was set back. Errors: kUsage.
SYNCLINE_EXPORT Result<Traces> FromMessages(TraceSet set, std::span<const Message> messages);

}  // namespace syncline
