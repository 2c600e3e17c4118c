// The C interface: nothing but translation to and from the global recorder.
#include "syncline/stamp.h"

#include <cerrno>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include "record/stamp/burst.h"
#include "record/stamp/recorder.h"
#include "record/stamp/thread_log.h"

namespace syncline {
namespace {

std::string& LastError() {
  thread_local std::string text;
  return text;
}

int Remember(int status, const char* reason) {
  try {
    LastError() = reason;
  } catch (const std::bad_alloc&) {
    LastError().clear();
  }
  return status;
}

int StatusOf(const StampResult<void>& result) {
  return result ? SYNCLINE_STAMP_OK
                : Remember(result.error().status, result.error().reason.c_str());
}
int StatusOf(const StampResult<int32_t>& result) {
  return result ? *result : Remember(result.error().status, result.error().reason.c_str());
}

// No exception leaves the library. What fails is memory, or the making of a lock.
template <typename Work>
int Guarded(Work work) {
  try {
    return StatusOf(work(Recorder::Global()));
  } catch (const std::exception& error) {
    return Remember(SYNCLINE_STAMP_NO_MEMORY, error.what());
  }
}

std::string DefaultClockName() {
  char host[256] = "host";
  ::gethostname(host, sizeof host - 1);
  std::string name = std::string(host).substr(0, 200) + "-" + std::to_string(::getpid());
  return IsStampName(name) ? name : "host-" + std::to_string(::getpid());
}

RecorderOptions OptionsOf(const syncline_stamp_options& given) {
  RecorderOptions options;
  options.clock = given.clock != nullptr ? given.clock : DefaultClockName();
  options.process = given.process != nullptr ? given.process : options.clock;
  options.events_per_thread = given.events_per_thread;
  options.when_full =
      given.when_full == SYNCLINE_STAMP_KEEP_NEWEST ? WhenFull::kKeepNewest : WhenFull::kKeepOldest;
  options.patience = {given.wanted_bound_ppb, given.max_wait_ns};
  return options;
}

std::optional<CounterWish> WishOf(int counter) {
  switch (counter) {
    case SYNCLINE_STAMP_COUNTER_AUTO: return CounterWish::kAuto;
    case SYNCLINE_STAMP_COUNTER_PROCESSOR: return CounterWish::kProcessor;
    case SYNCLINE_STAMP_COUNTER_SYSTEM: return CounterWish::kSystem;
  }
  return std::nullopt;
}

StampResult<void> Start(Recorder& recorder, const syncline_stamp_options& given) {
  RecorderOptions options = OptionsOf(given);
  const auto wish = WishOf(given.counter);
  const bool has_fullness = given.when_full == SYNCLINE_STAMP_KEEP_OLDEST ||
                            given.when_full == SYNCLINE_STAMP_KEEP_NEWEST;
  if (!wish || !has_fullness) {
    return Refusal(SYNCLINE_STAMP_BAD_OPTION, "counter or when_full is none of the listed values");
  }
  options.counter = *wish;
  return recorder.Start(options);
}

std::optional<std::string> OptionalText(const char* text) {
  if (text == nullptr) return std::nullopt;
  return text;
}

int DescriptorOf(void* context) { return static_cast<int>(reinterpret_cast<intptr_t>(context)); }

int SendAll(void* context, const void* bytes, size_t size) {
  const char* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t n = ::send(DescriptorOf(context), next, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return -1;
    next += n;
    size -= static_cast<size_t>(n);
  }
  return 0;
}

int ReceiveAll(void* context, void* bytes, size_t size) {
  char* next = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t n = ::recv(DescriptorOf(context), next, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return -1;
    next += n;
    size -= static_cast<size_t>(n);
  }
  return 0;
}

int RememberStatus(int status) {
  if (status < 0) Remember(status, syncline_stamp_status_text(status));
  return status;
}

}  // namespace
}  // namespace syncline

using syncline::AddStamp;
using syncline::Guarded;
using syncline::Recorder;
using syncline::StampKind;

extern "C" {

syncline_stamp_options syncline_stamp_defaults(void) {
  const syncline::RecorderOptions defaults;
  syncline_stamp_options options = {};
  options.events_per_thread = defaults.events_per_thread;
  options.wanted_bound_ppb = defaults.patience.wanted_bound_ppb;
  options.max_wait_ns = defaults.patience.max_wait_ns;
  return options;
}

int syncline_stamp_start(const syncline_stamp_options* options) {
  return Guarded([options](Recorder& recorder) {
    return syncline::Start(recorder, options != nullptr ? *options : syncline_stamp_defaults());
  });
}

int syncline_stamp_thread(const char* name) {
  return Guarded(
      [name](Recorder& recorder) { return recorder.RegisterThread(syncline::OptionalText(name)); });
}

int syncline_stamp_name(const char* name) {
  return Guarded([name](Recorder& r) { return r.Name(name != nullptr ? name : ""); });
}

int syncline_stamp_peer(const char* thread, const char* clock) {
  return Guarded([thread, clock](Recorder& recorder) {
    return recorder.Peer(thread != nullptr ? thread : "", syncline::OptionalText(clock));
  });
}

int syncline_stamp_mark(int name) { return AddStamp(StampKind::kMark, name); }
int syncline_stamp_enter(int name) { return AddStamp(StampKind::kEnter, name); }
int syncline_stamp_leave(int name) { return AddStamp(StampKind::kLeave, name); }
int syncline_stamp_block(void) { return AddStamp(StampKind::kBlock, 0); }
int syncline_stamp_send(int peer, uint64_t message, uint64_t bytes) {
  return AddStamp(StampKind::kSend, peer, message, bytes);
}
int syncline_stamp_receive(int peer, uint64_t message, uint64_t bytes) {
  return AddStamp(StampKind::kReceive, peer, message, bytes);
}

syncline_stamp_channel syncline_stamp_socket(int socket) {
  return {reinterpret_cast<void*>(static_cast<intptr_t>(socket)), syncline::SendAll,
          syncline::ReceiveAll};
}

syncline_stamp_burst syncline_stamp_ask(int peer, syncline_stamp_channel channel,
                                        uint32_t exchanges) {
  syncline_stamp_burst burst = {};
  try {
    burst = syncline::AskBurst(peer, channel, exchanges);
  } catch (const std::exception&) {
    burst.status = SYNCLINE_STAMP_NO_MEMORY;
    burst.bound_ns = INT64_MAX;
  }
  syncline::RememberStatus(burst.status);
  return burst;
}

int syncline_stamp_answer(int peer, syncline_stamp_channel channel) {
  try {
    return syncline::RememberStatus(syncline::AnswerBurst(peer, channel));
  } catch (const std::exception&) {
    return syncline::RememberStatus(SYNCLINE_STAMP_NO_MEMORY);
  }
}

int syncline_stamp_stop(void) {
  return Guarded([](Recorder& recorder) { return recorder.Stop(); });
}

int syncline_stamp_write(const char* path, int if_exists) {
  if (path == nullptr || *path == '\0') {
    return syncline::Remember(SYNCLINE_STAMP_BAD_OPTION, "there is no path");
  }
  if (if_exists != SYNCLINE_STAMP_FAIL && if_exists != SYNCLINE_STAMP_REPLACE) {
    return syncline::Remember(SYNCLINE_STAMP_BAD_OPTION, "if_exists is none of the listed values");
  }
  return Guarded([=](Recorder& recorder) {
    return recorder.Write(path, if_exists == SYNCLINE_STAMP_REPLACE ? syncline::IfExists::kReplace
                                                                    : syncline::IfExists::kFail);
  });
}

int syncline_stamp_discard(void) {
  return Guarded([](Recorder& recorder) { return recorder.Discard(); });
}

syncline_stamp_counts syncline_stamp_count_events(void) {
  const syncline::RecordingCounts counts = Recorder::Global().Counts();
  return {counts.kept,         counts.refused,     counts.overwritten,
          counts.unregistered, counts.bad_handles, counts.not_running};
}

syncline_stamp_frequency syncline_stamp_calibration(void) {
  const auto f = Recorder::Global().FrequencySoFar();
  if (!f) return {};
  return {f->hz, f->low_hz, f->high_hz, f->elapsed_ns};
}

const char* syncline_stamp_error(void) { return syncline::LastError().c_str(); }

const char* syncline_stamp_status_text(int status) {
  static constexpr std::pair<int, const char*> kTexts[] = {
      {SYNCLINE_STAMP_NOT_STARTED, "there is no recording"},
      {SYNCLINE_STAMP_STOPPED, "the recording was stopped"},
      {SYNCLINE_STAMP_ALREADY_STARTED, "there is a recording already"},
      {SYNCLINE_STAMP_NOT_REGISTERED, "this thread is not registered"},
      {SYNCLINE_STAMP_FULL, "this thread's buffer is full"},
      {SYNCLINE_STAMP_BAD_NAME, "a bad name or handle"},
      {SYNCLINE_STAMP_NAME_TAKEN, "the name is taken"},
      {SYNCLINE_STAMP_BAD_OPTION, "a bad argument"},
      {SYNCLINE_STAMP_NO_MEMORY, "out of memory"},
      {SYNCLINE_STAMP_NO_COUNTER, "no such counter, or none that is steady"},
      {SYNCLINE_STAMP_CANNOT_WRITE, "the file cannot be written"},
      {SYNCLINE_STAMP_CHANNEL_FAILED, "the channel failed"},
      {SYNCLINE_STAMP_BAD_PACKET, "the other end takes part in no such burst"},
  };
  for (const auto& [known, text] : kTexts) {
    if (known == status) return text;
  }
  return status >= 0 ? "done" : "no such status";
}

}  // extern "C"
