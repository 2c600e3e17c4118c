// Reads CTF traces in a process of its own, which the library may end: by an abort, a hang or a
// fault on a file that is cut while it is read, or at a limit of memory. That is an error here.
//
// A child serves several traces one after the other, and is told after it described all of them
// what is wanted of their events; nothing else is sent, in batches of some thousand events. What
// comes is checked while it is used: a child that the library has damaged does no harm.
// The first lines of base/child_process.h say why it is a fork, and what that demands of callers:
// children are started while no other thread of the program reads or writes traces.
// Limits: of memory, for all of a group of children together 512 MiB and 32 bytes for each byte of
// the traces; of time, 20 s without progress, and a second more for each 20 MB. An index of all
// packets is built in one go.
// Errors: those of CtfReader; kMalformed where the library fails on a trace, which is named.
// Requires: traces in the order in which they were given. Ownership: a batch is the child's, and
// valid until the next call. Cost: 10 ns per event, 35 ns for one of which fields are wanted.
// Tested by: ctf_child_test.cc, ctf_damage_test.cc, ctf_garbled_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "syncline/result.h"
#include "syncline/time.h"

#include "base/child_process.h"
#include "base/parcel.h"
#include "read/ctf/ctf_clock.h"
#include "read/ctf/ctf_reader.h"
#include "read/ctf/field_value.h"
#include "read/ctf/kernel_network.h"
#include "read/ctf/readable_folder.h"

namespace syncline {

// What CtfStream says before its events are read.
struct CtfStreamInfo {
  std::string file;
  std::string channel;
  std::optional<uint32_t> clock;

  static auto Members(auto& self) { return std::tie(self.file, self.channel, self.clock); }
};

struct CtfClassInfo {
  std::string name;
  std::vector<std::string> fields;  // those that it has, of the ones asked for
  bool has_packets = false;         // as KernelPacketReader::For() says

  static auto Members(auto& self) { return std::tie(self.name, self.fields, self.has_packets); }
};

// What CtfReader says.
struct CtfTraceInfo {
  std::string hostname;
  std::vector<CtfClock> clocks;
  std::vector<CtfClassInfo> classes;
  std::vector<CtfStreamInfo> streams;

  static auto Members(auto& self) {
    return std::tie(self.hostname, self.clocks, self.classes, self.streams);
  }
};

// What is wanted of a trace's events.
struct CtfRequest {
  // Of one class: nothing, or values of fields that it has, or its packets.
  struct Class {
    bool is_wanted = false;
    std::vector<std::string> fields;
    bool packets = false;

    static auto Members(auto& self) { return std::tie(self.is_wanted, self.fields, self.packets); }
  };
  enum class Numbers : uint8_t { kLeftOut, kOfAllEvents };

  std::vector<int64_t> origins;  // by clock, as of CtfReader::SetOrigin()
  std::vector<Class> classes;    // by class
  Numbers class_numbers = Numbers::kLeftOut;

  static auto Members(auto& self) {
    return std::tie(self.origins, self.classes, self.class_numbers);
  }
};

struct CtfWantedEvent {
  LocalTime time;
  uint64_t index = 0;  // in its stream
  uint32_t event_class = 0;
  std::vector<FieldValue> values;  // of the fields of the request
  KernelPacket packet;
};

// Events in a row of one stream.
class CtfBatch {
 public:
  uint64_t first() const { return first_; }  // the number of the first
  std::span<const LocalTime> times() const { return times_; }
  // By event; empty where they were left out.
  std::span<const uint32_t> class_numbers() const { return class_numbers_; }
  // The next event of a class that is wanted; nullptr at the end, also where what follows is
  // garbled, which CtfChild::Next() says then.
  const CtfWantedEvent* NextWanted();

 private:
  friend class CtfChild;
  // False where the frame is garbled.
  bool Begin(ParcelReader frame, const CtfRequest& request);
  bool ReadEvent();

  ParcelReader frame_ = ParcelReader("");
  const CtfRequest* request_ = nullptr;
  uint64_t first_ = 0;
  std::vector<LocalTime> times_;
  std::vector<uint32_t> class_numbers_;
  uint64_t wanted_left_ = 0;
  uint64_t behind_wanted_ = 0;  // the number in the batch of what follows the last wanted event
  bool is_garbled_ = false;
  CtfWantedEvent event_;
};

using ReadableFolders = std::vector<std::shared_ptr<const ReadableFolder>>;

// The library failed on a trace.
tl::unexpected<Error> CtfFailure(const ReadableFolder& trace, const std::string& reason);

// For one of `children` children at once.
ChildLimits CtfChildLimits(const ReadableFolders& traces, size_t children);

class CtfChild {
 public:
  // `fields`: whether classes have these is told.
  static Result<CtfChild> Start(ReadableFolders traces, const std::vector<std::string>& fields,
                                const ChildLimits& limits);

  // The process of Start(), whose frames (ctf_frames.h) go through other hands.
  static Result<ChildProcess> StartProcess(const ReadableFolders& traces,
                                           const std::vector<std::string>& fields,
                                           const ChildLimits& limits);
  // Around what sends the frames of such a process, or anything else.
  static CtfChild Around(std::unique_ptr<FrameChannel> process, ReadableFolders traces) {
    return {std::move(process), std::move(traces)};
  }

  // The next trace; to be called for all of them first.
  Result<CtfTraceInfo> Describe();
  // The same ones again, to be read to the end of all streams; of a trace without clocks none
  // comes. `info`: as described.
  void BeginTrace(const CtfTraceInfo& info, CtfRequest request);
  // The current stream's next events; nullptr at its end, behind which the next stream begins.
  Result<CtfBatch*> Next();
  // Of the stream that ended last.
  const CtfStreamDefects& defects() const { return defects_; }

 private:
  CtfChild(std::unique_ptr<FrameChannel> process, ReadableFolders traces)
      : process_(std::move(process)), traces_(std::move(traces)) {}
  Result<void> Receive(const ReadableFolder& trace);

  std::unique_ptr<FrameChannel> process_;
  ReadableFolders traces_;
  size_t described_ = 0;
  size_t begun_ = 0;
  CtfRequest request_;
  std::string_view frame_;
  CtfBatch batch_;
  CtfStreamDefects defects_;
};

}  // namespace syncline
