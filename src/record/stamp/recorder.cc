#include "record/stamp/recorder.h"

#include <algorithm>
#include <utility>

#include "syncline/stamp.h"

#include "base/int128.h"
#include "base/try.h"

namespace syncline {
namespace {

constexpr size_t kMostEvents = size_t{1} << 31;
constexpr int32_t kMostHandles = 1 << 24;
// Enough for what is said while the recording runs.
constexpr Patience kRough = {.wanted_bound_ppb = 1'000'000, .max_wait_ns = 10'000'000};

StampResult<void> CheckName(std::string_view name) {
  if (IsStampName(name)) return {};
  return Refusal(SYNCLINE_STAMP_BAD_NAME,
                 "a name is one word of 1 to 255 bytes that does not begin with #");
}

StampResult<void> CheckOptions(const RecorderOptions& options) {
  for (const std::string& name : {options.clock, options.process}) SYNCLINE_TRY(CheckName(name));
  if (options.events_per_thread == 0 || options.events_per_thread > kMostEvents) {
    return Refusal(SYNCLINE_STAMP_BAD_OPTION, "events_per_thread is 1 to 2^31");
  }
  if (options.patience.wanted_bound_ppb < 0 || options.patience.max_wait_ns < 0) {
    return Refusal(SYNCLINE_STAMP_BAD_OPTION, "a bound and a time to wait are not negative");
  }
  return {};
}

}  // namespace

SystemReading OnSystemClock(const SystemAnchor& anchor, int64_t ticks) {
  constexpr int64_t kBillion = 1'000'000'000;
  constexpr int64_t kSlewPpb = 500'000;
  const Frequency& f = anchor.frequency;
  const Int128 passed = static_cast<Int128>(ticks) - anchor.sighting.Middle();
  const Int128 passed_ns = MulDivRound(passed, kBillion, static_cast<UInt128>(f.hz));
  const Int128 width_ns =
      CeilDiv(static_cast<Int128>(anchor.sighting.Width()) * kBillion, f.low_hz);
  const Int128 drift_ppb = static_cast<Int128>(f.BoundPpb()) + kSlewPpb;
  const Int128 away_ns = std::min<Int128>(passed_ns < 0 ? -passed_ns : passed_ns, INT64_MAX);
  // Roundings, and the step of the system's clock, take up to 3 ns.
  const Int128 bound = width_ns / 2 + CeilDiv(away_ns * drift_ppb, kBillion) + 3;
  return {Saturate(anchor.sighting.clock_ns + passed_ns), Saturate(bound)};
}

bool IsStampName(std::string_view name) {
  if (name.empty() || name.size() > SYNCLINE_STAMP_MAX_NAME || name.front() == '#') return false;
  return std::ranges::all_of(
      name, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7F; });
}

Recorder& Recorder::Global() {
  // Never destroyed: threads may stamp until the program has ended.
  static Recorder* const recorder = new Recorder;
  return *recorder;
}

Recorder::~Recorder() { Forget(); }

void Recorder::Forget() {
  for (const Thread& thread : threads_) {
    thread.log->is_open.store(false, std::memory_order_release);
    thread.log->recorder.store(nullptr);
  }
  threads_.clear();
  handles_.names = 0;
  handles_.peers = 0;
  names_.clear();
  name_handles_.clear();
  peers_.clear();
  peer_handles_.clear();
  unregistered_ = 0;
  calibration_ = {};
  state_ = State::kIdle;
}

StampResult<void> Recorder::RequireRecording() const {
  if (state_ != State::kIdle) return {};
  return Refusal(SYNCLINE_STAMP_NOT_STARTED, "there is no recording");
}

StampResult<void> Recorder::OpenSources(CounterWish wish) {
  if (simulated_ != nullptr) {
    counter_ = {CounterKind::kSystemClock, "simulated"};
    sources_ = simulated_;
    return {};
  }
  auto choice = ChooseCounter(InspectCounter(), wish);
  if (!choice) return Refusal(SYNCLINE_STAMP_NO_COUNTER, choice.error().message);
  counter_ = std::move(*choice);
  machine_ = std::make_unique<MachineTime>(counter_.kind);
  sources_ = machine_.get();
  return {};
}

StampResult<void> Recorder::Start(const RecorderOptions& options) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kRunning) return Refusal(SYNCLINE_STAMP_ALREADY_STARTED, "a recording runs");
  if (state_ == State::kStopped) {
    return Refusal(SYNCLINE_STAMP_ALREADY_STARTED, "a stopped recording has to be discarded first");
  }
  SYNCLINE_TRY(CheckOptions(options));
  SYNCLINE_TRY(OpenSources(options.counter));
  options_ = options;
  early_ = SeeReference(*sources_);
  anchor_ = SeeSystemClock(*sources_);
  state_ = State::kRunning;
  auto added = AddThread(options.process);
  if (!added) Forget();
  return added;
}

StampResult<void> Recorder::AddThread(const std::string& name) {
  ThreadLog* const own = OwnThreadLog();
  if (own != nullptr && own->recorder.load() == this) {
    return Refusal(SYNCLINE_STAMP_NAME_TAKEN, "this thread is registered already");
  }
  const auto has_name = [&name](const Thread& thread) { return thread.name == name; };
  if (std::ranges::any_of(threads_, has_name)) {
    return Refusal(SYNCLINE_STAMP_NAME_TAKEN, "another thread is called " + name);
  }
  const auto peer = peer_handles_.find(name);
  if (peer != peer_handles_.end() &&
      peers_[static_cast<size_t>(peer->second)].clock != options_.clock) {
    return Refusal(SYNCLINE_STAMP_NAME_TAKEN, "a peer with another clock is called " + name);
  }
  threads_.reserve(threads_.size() + 1);
  std::string own_name = name;
  ThreadLog* log = nullptr;
  try {
    log = &LeaseThreadLog(options_.events_per_thread);
  } catch (const std::bad_alloc&) {
    return Refusal(SYNCLINE_STAMP_NO_MEMORY, "no memory for a thread's buffer");
  }
  log->events.Reset(options_.when_full);
  log->counter = counter_.kind;
  log->simulated = simulated_;
  log->handles = &handles_;
  log->bad_handles = 0;
  log->recorder.store(this);
  threads_.push_back({std::move(own_name), log});
  log->is_open.store(true, std::memory_order_release);
  return {};
}

std::string Recorder::FreeThreadName() const {
  for (size_t number = threads_.size() + 1;; ++number) {
    std::string name = options_.process + "." + std::to_string(number);
    const bool is_thread =
        std::ranges::any_of(threads_, [&](const Thread& thread) { return thread.name == name; });
    if (!is_thread && !peer_handles_.contains(name)) return name;
  }
}

StampResult<void> Recorder::RegisterThread(const std::optional<std::string>& name) {
  const std::lock_guard lock(mutex_);
  SYNCLINE_TRY(RequireRecording());
  if (state_ == State::kStopped) {
    return Refusal(SYNCLINE_STAMP_STOPPED, "the recording was stopped");
  }
  const std::string wanted = name ? *name : FreeThreadName();
  SYNCLINE_TRY(CheckName(wanted));
  return AddThread(wanted);
}

StampResult<int32_t> Recorder::Name(const std::string& name) {
  const std::lock_guard lock(mutex_);
  SYNCLINE_TRY(RequireRecording());
  SYNCLINE_TRY(CheckName(name));
  const auto known = name_handles_.find(name);
  if (known != name_handles_.end()) return known->second;
  const int32_t handle = static_cast<int32_t>(names_.size());
  if (handle == kMostHandles) return Refusal(SYNCLINE_STAMP_NO_MEMORY, "too many names");
  names_.push_back(name);
  name_handles_.emplace(name, handle);
  handles_.names.store(handle + 1);
  return handle;
}

StampResult<int32_t> Recorder::Peer(const std::string& thread,
                                    const std::optional<std::string>& clock) {
  const std::lock_guard lock(mutex_);
  SYNCLINE_TRY(RequireRecording());
  const std::string& peer_clock = clock ? *clock : options_.clock;
  for (const std::string& name : {thread, peer_clock}) SYNCLINE_TRY(CheckName(name));
  const auto known = peer_handles_.find(thread);
  if (known != peer_handles_.end()) {
    if (peers_[static_cast<size_t>(known->second)].clock == peer_clock) return known->second;
    return Refusal(SYNCLINE_STAMP_NAME_TAKEN, "this peer was given another clock before");
  }
  const bool is_own =
      std::ranges::any_of(threads_, [&](const Thread& own) { return own.name == thread; });
  if (is_own && peer_clock != options_.clock) {
    return Refusal(SYNCLINE_STAMP_NAME_TAKEN, "a thread of this recording is called " + thread);
  }
  const int32_t handle = static_cast<int32_t>(peers_.size());
  if (handle == kMostHandles) return Refusal(SYNCLINE_STAMP_NO_MEMORY, "too many peers");
  peers_.push_back({thread, peer_clock});
  peer_handles_.emplace(thread, handle);
  handles_.peers.store(handle + 1);
  return handle;
}

StampResult<void> Recorder::Stop() {
  const std::lock_guard lock(mutex_);
  SYNCLINE_TRY(RequireRecording());
  if (state_ == State::kStopped) {
    return Refusal(SYNCLINE_STAMP_STOPPED, "the recording was stopped before");
  }
  state_ = State::kStopped;
  for (const Thread& thread : threads_) thread.log->is_open.store(false, std::memory_order_release);
  calibration_ = Calibrate(*sources_, early_, options_.patience);
  return {};
}

StampResult<void> Recorder::Discard() {
  const std::lock_guard lock(mutex_);
  SYNCLINE_TRY(RequireRecording());
  if (state_ == State::kRunning) {
    return Refusal(SYNCLINE_STAMP_ALREADY_STARTED, "the recording has to be stopped first");
  }
  Forget();
  return {};
}

StampResult<EpochLine> Recorder::LineUntil(const Calibration& calibration) const {
  if (sources_->CounterIsReference()) return EpochLine(anchor_, 1, 1);
  if (!calibration.frequency) {
    return Refusal(SYNCLINE_STAMP_NO_COUNTER, "the counter or its reference clock stands still");
  }
  return EpochLine(anchor_, calibration.late.Middle() - early_.Middle(),
                   calibration.late.clock_ns - early_.clock_ns);
}

StampResult<Recording> Recorder::Snapshot() {
  SYNCLINE_TRY(RequireRecording());
  Calibration calibration = calibration_;
  if (state_ == State::kRunning) calibration = Calibrate(*sources_, early_, kRough);
  SYNCLINE_ASSIGN(auto line, LineUntil(calibration));
  Recording recording = {
      .clock = options_.clock,
      .counter = std::string(simulated_ == nullptr ? CounterName(counter_.kind) : "a counter") +
                 " (" + counter_.reason + ")",
      .frequency = calibration.frequency,
      .line = line,
      .unregistered = unregistered_,
      .threads = {},
      .peers = peers_,
      .names = names_};
  for (const Thread& thread : threads_) {
    const EventBuffer& events = thread.log->events;
    // The copy comes first: what is overwritten meanwhile is then counted, if it is not kept.
    std::vector<Stamp> stamps = events.Copy();
    recording.threads.push_back({thread.name, std::move(stamps), events.refused(),
                                 events.overwritten(), thread.log->bad_handles});
  }
  return recording;
}

StampResult<void> Recorder::Write(const std::string& path, IfExists if_exists) {
  std::optional<Recording> recording;
  {
    const std::lock_guard lock(mutex_);
    SYNCLINE_ASSIGN(recording, Snapshot());
  }
  const auto fail = [](const Error& error) {
    const bool exists = error.code == ErrorCode::kUsage;
    return Refusal(SYNCLINE_STAMP_CANNOT_WRITE,
                   error.file + ": " + (exists ? "already exists" : error.message));
  };
  auto output = OutputFile::Create(path, if_exists);
  if (!output) return fail(output.error());
  if (auto written = WriteRecording(*recording, *output); !written) return fail(written.error());
  if (auto committed = output->Commit(); !committed) return fail(committed.error());
  return {};
}

RecordingCounts Recorder::Counts() const {
  const std::lock_guard lock(mutex_);
  RecordingCounts counts = {.unregistered = unregistered_, .not_running = not_running_};
  for (const Thread& thread : threads_) {
    counts.kept += thread.log->events.kept();
    counts.refused += thread.log->events.refused();
    counts.overwritten += thread.log->events.overwritten();
    counts.bad_handles += thread.log->bad_handles;
  }
  return counts;
}

std::optional<Frequency> Recorder::FrequencySoFar() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kIdle) return std::nullopt;
  if (state_ == State::kStopped) return calibration_.frequency;
  return FrequencyBetween(early_, SeeReference(*sources_), *sources_);
}

StampResult<SystemAnchor> Recorder::AnchorNow() {
  const std::lock_guard lock(mutex_);
  SYNCLINE_TRY(RequireRecording());
  const Calibration calibration = Calibrate(*sources_, early_, kRough);
  if (!calibration.frequency) {
    return Refusal(SYNCLINE_STAMP_NO_COUNTER, "the counter or its reference clock stands still");
  }
  return SystemAnchor{SeeSystemClock(*sources_, 3), *calibration.frequency};
}

int Recorder::RefuseStamp() {
  switch (state_.load()) {
    case State::kRunning: ++unregistered_; return SYNCLINE_STAMP_NOT_REGISTERED;
    case State::kStopped: ++not_running_; return SYNCLINE_STAMP_STOPPED;
    case State::kIdle: break;
  }
  ++not_running_;
  return SYNCLINE_STAMP_NOT_STARTED;
}

}  // namespace syncline
