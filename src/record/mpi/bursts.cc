#include "record/mpi/bursts.h"

#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "record/mpi/raw_event.h"

namespace syncline::mpi {
namespace {

constexpr int kTag = 1;
constexpr int kResultTag = 2;
constexpr int kRegionsTag = 3;

struct Stamps {
  uint64_t received = 0;
  uint64_t answered = 0;
};

int64_t Difference(uint64_t a, uint64_t b) { return static_cast<int64_t>(a - b); }

// The fastest exchange so far.
struct Best {
  std::optional<OffsetPoint> point;

  // The client's clock: asked at t1, answered at t4; the server's: t2, t3.
  void Add(uint64_t t1, uint64_t t2, uint64_t t3, uint64_t t4) {
    // Negative when the server asked: then its interval encloses the client's.
    const int64_t round_trip = std::abs(Difference(t4, t1) - Difference(t3, t2));
    const uint64_t uncertainty = (static_cast<uint64_t>(round_trip) + 1) / 2;
    if (point && point->uncertainty <= uncertainty) return;
    point = {.ticks = t1 + (t4 - t1) / 2,
             .added = (Difference(t2, t1) + Difference(t3, t4)) / 2,
             .uncertainty = uncertainty};
  }
};

class Burst {
 public:
  Burst(Recorder& recorder, ThreadState& thread, MPI_Comm communicator, uint32_t number)
      : recorder_(recorder), thread_(thread), communicator_(communicator), number_(number) {}

  void Enter() { Enter(Call::kExchanges, recorder_.Now()); }
  void Leave() { Leave(Call::kExchanges, recorder_.Now()); }

  // As a client of `server`.
  OffsetPoint Ask(int server, uint32_t exchanges) {
    Best best;
    for (uint32_t i = 0; i < exchanges; ++i) {
      const uint64_t t1 = Send(server, {});
      Stamps stamps;
      const uint64_t t4 = Receive(server, stamps);
      best.Add(t1, stamps.received, stamps.answered, t4);
    }
    return *best.point;
  }
  void Answer(int client, uint32_t exchanges) {
    for (uint32_t i = 0; i < exchanges; ++i) {
      Stamps stamps;
      const uint64_t received = Receive(client, stamps);
      Send(client, {received, 0});
    }
  }
  // Rank 0 asks all at once, and finds the offset of each: seen from it, so turned around.
  std::vector<OffsetPoint> AskAll(int size, uint32_t exchanges) {
    std::vector<Best> best(static_cast<size_t>(size));
    std::vector<uint64_t> sent(best.size());
    for (uint32_t i = 0; i < exchanges; ++i) {
      for (int client = 1; client < size; ++client)
        sent[static_cast<size_t>(client)] = Send(client, {});
      for (int answers = 1; answers < size; ++answers) {
        Stamps stamps;
        const auto [client, time] = ReceiveAny(stamps);
        const auto c = static_cast<size_t>(client);
        // The client's clock read `received` and `answered` within [sent, time] of this one.
        best[c].Add(stamps.received, sent[c], time, stamps.answered);
      }
    }
    std::vector<OffsetPoint> points;
    for (const Best& b : best) points.push_back(b.point.value_or(OffsetPoint{}));
    return points;
  }

  void Tell(int client, const OffsetPoint& point) {
    std::array<uint64_t, 3> words = {point.ticks, static_cast<uint64_t>(point.added),
                                     point.uncertainty};
    PMPI_Send(words.data(), 3, MPI_UINT64_T, client, kResultTag, communicator_);
  }
  OffsetPoint Hear(int server) {
    std::array<uint64_t, 3> words = {};
    PMPI_Recv(words.data(), 3, MPI_UINT64_T, server, kResultTag, communicator_, MPI_STATUS_IGNORE);
    return {words[0], static_cast<int64_t>(words[1]), words[2]};
  }

 private:
  void Append(uint64_t time, RawEvent event) {
    event.time = time;
    thread_.log.Append(event);
  }
  void Enter(Call call, uint64_t time) {
    Append(time, {.call = call, .kind = RawKind::kEnter});
    if (recorder_.regions().is_on()) recorder_.regions().Enter(call, time);
  }
  void Leave(Call call, uint64_t time) {
    Append(time, {.call = call, .kind = RawKind::kLeave});
    if (recorder_.regions().is_on()) recorder_.regions().Leave(call, time);
  }
  // Region clocks travel in messages of their own, so that exchanges stay short.
  void SendRegions(int peer, uint64_t time) {
    Regions& regions = recorder_.regions();
    if (!regions.is_on()) return;
    const uint32_t slot = regions.TakeSlot();
    regions.Send(time, slot);
    PMPI_Send(regions.Slot(slot), static_cast<int>(regions.words()), MPI_INT64_T, peer, kRegionsTag,
              communicator_);
    regions.GiveBack(slot);
  }
  void DeliverRegions(int peer, uint64_t time) {
    Regions& regions = recorder_.regions();
    if (!regions.is_on()) return;
    const uint32_t slot = regions.TakeSlot();
    PMPI_Recv(regions.Slot(slot), static_cast<int>(regions.words()), MPI_INT64_T, peer, kRegionsTag,
              communicator_, MPI_STATUS_IGNORE);
    regions.Deliver(time, slot);
    regions.GiveBack(slot);
  }
  // Returns when it was sent, which `answered` of the stamps carries as well.
  uint64_t Send(int peer, Stamps stamps) {
    const uint64_t time = recorder_.Now();
    stamps.answered = time;
    PMPI_Send(&stamps, static_cast<int>(sizeof(stamps)), MPI_BYTE, peer, kTag, communicator_);
    Append(time, {.bytes = sizeof(stamps),
                  .communicator = number_,
                  .peer = peer,
                  .tag = kTag,
                  .kind = RawKind::kSend});
    SendRegions(peer, time);
    return time;
  }
  uint64_t Receive(int peer, Stamps& stamps) { return ReceiveFrom(peer, stamps).second; }
  std::pair<int, uint64_t> ReceiveAny(Stamps& stamps) {
    return ReceiveFrom(MPI_ANY_SOURCE, stamps);
  }
  // A call of its own, so that waiting is seen as such.
  std::pair<int, uint64_t> ReceiveFrom(int peer, Stamps& stamps) {
    MPI_Status status = {};
    Enter(Call::kRecv, recorder_.Now());
    PMPI_Recv(&stamps, static_cast<int>(sizeof(stamps)), MPI_BYTE, peer, kTag, communicator_,
              &status);
    const uint64_t time = recorder_.Now();
    Append(time, {.bytes = sizeof(stamps),
                  .communicator = number_,
                  .peer = status.MPI_SOURCE,
                  .tag = kTag,
                  .kind = RawKind::kReceive});
    DeliverRegions(status.MPI_SOURCE, time);
    Leave(Call::kRecv, time);
    return {status.MPI_SOURCE, time};
  }

  Recorder& recorder_;
  ThreadState& thread_;
  MPI_Comm communicator_;
  uint32_t number_;
};

std::optional<OffsetPoint> RunRoot(Burst& burst, int rank, int size, uint32_t exchanges) {
  if (rank != 0) return burst.Ask(0, exchanges);
  for (int client = 1; client < size; ++client) burst.Answer(client, exchanges);
  return std::nullopt;
}

// In turn `reach` = 1, 2, 4, …, ranks below it know rank 0's time and serve those `reach` above.
std::optional<OffsetPoint> RunTree(Burst& burst, int rank, int size, uint32_t exchanges) {
  std::optional<OffsetPoint> own;
  int reach = 1;
  if (rank != 0) {
    while (2 * reach <= rank) reach *= 2;
    const int server = rank - reach;
    own = burst.Ask(server, exchanges);
    const OffsetPoint above = burst.Hear(server);
    own->added += above.added;
    own->uncertainty += above.uncertainty;
    reach *= 2;
  }
  for (; rank + reach < size && reach > rank; reach *= 2) {
    burst.Answer(rank + reach, exchanges);
    burst.Tell(rank + reach, own.value_or(OffsetPoint{}));
  }
  return own;
}

std::optional<OffsetPoint> RunBroadcast(Burst& burst, int rank, int size, uint32_t exchanges) {
  if (rank != 0) {
    burst.Answer(0, exchanges);
    return burst.Hear(0);
  }
  const std::vector<OffsetPoint> points = burst.AskAll(size, exchanges);
  for (int client = 1; client < size; ++client)
    burst.Tell(client, points[static_cast<size_t>(client)]);
  return std::nullopt;
}

}  // namespace

std::optional<OffsetPoint> Bursts::Run(Recorder& recorder) {
  const uint32_t exchanges = recorder.options().exchanges;
  if (exchanges == 0 || size_ < 2) return std::nullopt;
  Burst burst(recorder, *recorder.Thread(), communicator_, number_);
  burst.Enter();
  std::optional<OffsetPoint> point;
  switch (recorder.options().shape) {
    case BurstShape::kRoot: point = RunRoot(burst, rank_, size_, exchanges); break;
    case BurstShape::kTree: point = RunTree(burst, rank_, size_, exchanges); break;
    case BurstShape::kBroadcast: point = RunBroadcast(burst, rank_, size_, exchanges); break;
  }
  burst.Leave();
  return point;
}

}  // namespace syncline::mpi
