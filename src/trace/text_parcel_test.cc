#include "trace/text_parcel.h"

#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>

namespace syncline {
namespace {

auto FieldsOf(const TextBatch::NumberedEvent& numbered) {
  const Event& e = numbered.event;
  return std::tuple(numbered.index, e.time.ticks, e.process.value, e.kind, e.is_root, e.peer.value,
                    e.message, e.bytes, e.name, e.group);
}

class BatchPacking : public testing::Test {
 protected:
  static constexpr uint64_t kSeed = 11;
  // Small ones, and any.
  template <typename T>
  T Number() {
    return static_cast<T>(random_() >> random_() % 64);
  }
  TextBatch::NumberedEvent RandomEvent() {
    const Event event{.time = {Number<int64_t>()},
                      .process = ProcessId(Number<uint32_t>() % 9),
                      .kind = static_cast<EventKind>(random_() % 9),
                      .is_root = random_() % 2 == 0,
                      .peer = ProcessId(Number<uint32_t>()),
                      .message = Number<uint64_t>(),
                      .bytes = Number<uint64_t>(),
                      .name = Number<uint32_t>(),
                      .group = Number<uint32_t>()};
    return {event, Number<uint64_t>()};
  }
  TextBatch Arrived(const TextBatch& batch) {
    Parcel parcel;
    packer_.Put(batch, parcel);
    bytes_ = parcel.bytes().size();
    ParcelReader reader(parcel.bytes());
    TextBatch arrived = unpacker_.Take(reader);
    EXPECT_TRUE(reader.is_at_end());
    return arrived;
  }

  std::mt19937_64 random_{kSeed};
  BatchPacker packer_;
  BatchUnpacker unpacker_;
  size_t bytes_ = 0;  // of the latest parcel
};

TEST_F(BatchPacking, EventsArriveOneBatchAfterTheOther) {
  for (int round = 0; round < 20; ++round) {
    TextBatch batch;
    for (int i = 0; i < 50 * round; ++i) batch.events.push_back(RandomEvent());
    const TextBatch arrived = Arrived(batch);
    ASSERT_EQ(arrived.events.size(), batch.events.size());
    for (size_t i = 0; i < batch.events.size(); ++i) {
      ASSERT_EQ(FieldsOf(arrived.events[i]), FieldsOf(batch.events[i])) << "seed " << kSeed;
    }
  }
}

TEST_F(BatchPacking, DeclarationsAndNamesArrive) {
  TextBatch batch;
  batch.declared.clocks = {{"a", 1'000'000, -5, 1000}, {"b"}};
  batch.declared.processes = {{"p", "first", ClockId(1)}, {"q", "", ClockId(0)}};
  batch.declared.groups = {{"all", {ProcessId(1), ProcessId(0)}}, {"none", {}}};
  batch.names = {"", "barrier"};
  const TextBatch arrived = Arrived(batch);
  EXPECT_EQ(arrived.declared.clocks, batch.declared.clocks);
  ASSERT_EQ(arrived.declared.processes.size(), 2);
  EXPECT_EQ(arrived.declared.processes[0].name, "p");
  EXPECT_EQ(arrived.declared.processes[0].label, "first");
  EXPECT_EQ(arrived.declared.processes[0].clock, ClockId(1));
  ASSERT_EQ(arrived.declared.groups.size(), 2);
  EXPECT_EQ(arrived.declared.groups[0].name, "all");
  EXPECT_EQ(arrived.declared.groups[0].members, batch.declared.groups[0].members);
  EXPECT_EQ(arrived.declared.groups[1].members, batch.declared.groups[1].members);
  EXPECT_EQ(arrived.names, batch.names);
}

TEST_F(BatchPacking, MessagesOfRealTimesTakeFewBytes) {
  TextBatch batch;
  for (uint64_t i = 0; i < 1000; ++i) {
    const LocalTime time{1'700'000'000'000'000'000 + 100'000 * static_cast<int64_t>(i)};
    batch.events.push_back({{.time = time,
                             .process = ProcessId(i % 4),
                             .kind = EventKind::kSend,
                             .peer = ProcessId(5),
                             .message = i,
                             .bytes = 1024},
                            7 * i});
  }
  Arrived(batch);
  EXPECT_LT(bytes_, 13 * 1000 + 200);
}

TEST(TextEnd, Arrives) {
  TextEnd end{.error = Error{ErrorCode::kMalformed, "is wrong", "a.txt", LineColumn{3, 7}}};
  end.declared.processes = {{"p", "", ClockId(0)}};
  end.diagnostics.Count("time-steps-back", Severity::kWarning, 2, "here");
  end.spans = {{{-4}, {9}, 3}, {}};
  end.set_backs.assign(2, SetBackFinder(SetBackRule{.tolerance_ticks = 3}));
  for (const int64_t t : {5, 9, -4}) end.set_backs[0].Add({t});
  Parcel parcel;
  parcel.Put(end);
  ParcelReader reader(parcel.bytes());
  auto arrived = reader.Take<TextEnd>();
  ASSERT_TRUE(arrived.error);
  EXPECT_EQ(arrived.error->ToString(), end.error->ToString());
  EXPECT_EQ(arrived.declared.processes[0].name, "p");
  EXPECT_EQ(arrived.diagnostics.all().at("time-steps-back").count, 2);
  ASSERT_EQ(arrived.spans.size(), 2);
  EXPECT_EQ(arrived.spans[0].first.ticks, -4);
  EXPECT_EQ(arrived.spans[0].events, 3);
  ASSERT_EQ(arrived.set_backs.size(), 2);
  EXPECT_FALSE(arrived.set_backs[1].has_events());
  // It goes on as if it had stayed.
  for (SetBackFinder* finder : {&end.set_backs[0], &arrived.set_backs[0]}) {
    for (const int64_t t : {7, 1}) finder->Add({t});
  }
  const SeenSetBacks seen = arrived.set_backs[0].Finish();
  EXPECT_EQ(seen.found, end.set_backs[0].Finish().found);
  EXPECT_EQ(seen.found.size(), 2);
  EXPECT_EQ(seen.first.ticks, 5);
}

}  // namespace
}  // namespace syncline
