// Speed of reading OTF2: the cursors, and with survey and numbering, against a plain loop over
// libotf2's own event readers whose callbacks add up the times.
//
// The archive: 4 locations with 500 000 events each, of ten events per round: two regions, a send
// to the next rank and a receive from the previous one, each in a region of its own.

#include <filesystem>
#include <string>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "match/mpi_matcher.h"
#include "match/testing/mpi_numbering.h"
#include "read/otf2/archive.h"
#include "read/otf2/library.h"
#include "read/otf2/testing/archive_builder.h"

namespace syncline {
namespace {

constexpr uint32_t kRanks = 4;
constexpr uint64_t kRounds = 50'000;

void WriteRank(OTF2_EvtWriter* w, uint32_t rank) {
  const auto enter = [&](uint64_t t, uint32_t region) {
    OTF2_EvtWriter_Enter(w, nullptr, t, region);
  };
  const auto leave = [&](uint64_t t, uint32_t region) {
    OTF2_EvtWriter_Leave(w, nullptr, t, region);
  };
  for (uint64_t round = 0; round < kRounds; ++round) {
    const uint64_t t = 1'000'000'000 + round * 10'000;
    enter(t, 0);
    enter(t + 100, 0);
    leave(t + 200, 0);
    enter(t + 300, 1);
    OTF2_EvtWriter_MpiSend(w, nullptr, t + 310, (rank + 1) % kRanks, 0, 7, 512);
    leave(t + 400, 1);
    enter(t + 500, 1);
    OTF2_EvtWriter_MpiRecv(w, nullptr, t + 5000, (rank + kRanks - 1) % kRanks, 0, 7, 512);
    leave(t + 5100, 1);
    leave(t + 6000, 0);
  }
}

// The archive, for as long as the program runs.
class Archive {
 public:
  Archive()
      : folder_(std::filesystem::temp_directory_path() /
                ("syncline_otf2_bench_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    BuiltArchive built;
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      built.locations.push_back({.number = rank,
                                 .events = [rank](OTF2_EvtWriter* w) { WriteRank(w, rank); },
                                 .group = rank});
    }
    anchor_ = WriteArchive(built, folder_.string());
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive() { std::filesystem::remove_all(folder_); }
  const std::string& anchor() const { return anchor_; }

 private:
  std::filesystem::path folder_;
  std::string anchor_;
};

const std::string& Anchor() {
  static const Archive archive;
  return archive.anchor();
}

struct Sum {
  uint64_t times = 0;
  uint64_t events = 0;
};

template <typename... Details>
OTF2_CallbackCode AddUp(OTF2_LocationRef /*location*/, OTF2_TimeStamp time, uint64_t /*position*/,
                        void* user, OTF2_AttributeList* /*attributes*/, Details... /*details*/) {
  auto* sum = static_cast<Sum*>(user);
  sum->times += time;
  ++sum->events;
  return OTF2_CALLBACK_SUCCESS;
}

uint64_t ReadPlainly(const std::string& anchor) {
  const ReaderHandle reader(OTF2_Reader_Open(anchor.c_str()));
  OTF2_Reader* r = reader.get();
  OTF2_Reader_SetSerialCollectiveCallbacks(r);
  for (uint32_t rank = 0; rank < kRanks; ++rank) OTF2_Reader_SelectLocation(r, rank);
  OTF2_Reader_OpenEvtFiles(r);
  const EventCallbacks callbacks(OTF2_EvtReaderCallbacks_New());
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks.get(), &AddUp);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks.get(), &AddUp);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks.get(), &AddUp);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks.get(), &AddUp);
  Sum sum;
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(r, rank);
    OTF2_Reader_RegisterEvtCallbacks(r, events, callbacks.get(), &sum);
    uint64_t count = 0;
    OTF2_Reader_ReadAllLocalEvents(r, events, &count);
    OTF2_Reader_CloseEvtReader(r, events);
  }
  benchmark::DoNotOptimize(sum.times);
  return sum.events;
}

void BM_PlainLoop(benchmark::State& state) {
  const std::string& anchor = Anchor();
  uint64_t events = 0;
  for (auto _ : state) events += ReadPlainly(anchor);
  state.SetItemsProcessed(static_cast<int64_t>(events));
}
BENCHMARK(BM_PlainLoop)->Unit(benchmark::kMillisecond);

void BM_Cursors(benchmark::State& state) {
  const std::string& anchor = Anchor();
  uint64_t events = 0;
  for (auto _ : state) {
    const auto archive = Otf2Archive::Open(anchor);
    int64_t times = 0;
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      auto cursor = archive->OpenLocation(ProcessId(rank));
      while (const Event* event = cursor->Next()) times += event->time.ticks;
      events += cursor->events_read();
    }
    benchmark::DoNotOptimize(times);
  }
  state.SetItemsProcessed(static_cast<int64_t>(events));
}
BENCHMARK(BM_Cursors)->Unit(benchmark::kMillisecond);

// Both passes: events are counted once.
void BM_CursorsWithSurveyAndNumbering(benchmark::State& state) {
  const std::string& anchor = Anchor();
  uint64_t events = 0;
  for (auto _ : state) {
    const auto archive = Otf2Archive::Open(anchor);
    MpiSurvey survey(archive->traces());
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      auto cursor = archive->OpenLocation(ProcessId(rank));
      while (const Event* event = cursor->Next())
        survey.Add(*event, cursor->operation(), cursor->index());
    }
    Diagnostics diagnostics;
    const auto pairing = survey.Finish(diagnostics);
    uint64_t messages = 0;
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      MpiNumbering numbering(pairing, ProcessId(rank));
      auto cursor = archive->OpenLocation(ProcessId(rank));
      while (const Event* event = cursor->Next())
        messages += numbering.Number(*event, cursor->operation(), cursor->index()).message;
      events += cursor->events_read();
    }
    benchmark::DoNotOptimize(messages);
  }
  state.SetItemsProcessed(static_cast<int64_t>(events));
}
BENCHMARK(BM_CursorsWithSurveyAndNumbering)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace syncline
