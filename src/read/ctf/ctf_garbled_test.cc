// A process that reads CTF traces and sends what none does, because the library has damaged it: an
// error that names the trace, and no event that was not sent.
#include <csignal>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "read/ctf/ctf_child.h"
#include "read/ctf/ctf_frames.h"
#include "read/ctf/testing/tiny_trace.h"

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Three events: the first and the last are of class 0 and have a number and a text, the second is
// of class 1, of which nothing is wanted.
CtfTraceInfo Described() {
  CtfTraceInfo info;
  info.clocks = {{.name = "clock"}};
  info.classes = {{.name = "message", .fields = {"n", "text"}}, {.name = "other"}};
  info.streams = {{.file = "t/ch_0", .channel = "ch_0", .clock = 0}};
  return info;
}

CtfRequest Wanted() {
  return {.origins = {0},
          .classes = {{.is_wanted = true, .fields = {"n", "text"}}, {}},
          .class_numbers = CtfRequest::Numbers::kOfAllEvents};
}

struct WantedPart {
  uint64_t skipped = 0;  // events since the one before
  uint8_t event_class = 0;
  uint64_t number = 0;
  std::string text;
};

// Laid out as ctf_frames.h says; of events whose times and classes may be other than so many.
std::string BatchOf(uint64_t events, const std::vector<LocalTime>& times,
                    const std::vector<uint32_t>& classes, uint64_t wanted,
                    const std::vector<WantedPart>& parts) {
  Parcel parcel;
  parcel.Put(ctf_frames::Kind::kBatch);
  parcel.Put(events);
  parcel.Put(wanted);
  for (const LocalTime time : times) parcel.Put(time);
  for (const uint32_t event_class : classes) parcel.Put(event_class);
  for (const WantedPart& part : parts) {
    parcel.PutShort(part.skipped, part.event_class);
    ctf_frames::PackValue(FieldValue::Unsigned(part.number), parcel);
    ctf_frames::PackValue(FieldValue::Text(part.text), parcel);
  }
  return std::string(parcel.text());
}

const std::vector<LocalTime> kTimes = {{10}, {20}, {30}};
const std::vector<uint32_t> kClasses = {0, 1, 0};
const std::vector<WantedPart> kParts = {{0, 0, 7, "ab"}, {1, 0, 300, ""}};
const std::string kSound = BatchOf(3, kTimes, kClasses, 2, kParts);

std::string SoundEnd() { return ctf_frames::PackEnd({.steps_back = 1}, std::nullopt); }

struct Received {
  std::vector<std::string> events;  // "index: number text"
  std::string error;                // empty at the end of the stream
};

class CtfGarbled : public testing::Test {
 protected:
  // What comes of one stream where the child sends these frames, and then does `last`.
  Received Receive(
      const std::vector<std::string>& frames,
      const std::function<void(ChildLink&)>& last = [](ChildLink&) {}) const {
    const auto folder = ReadableFolder::Of(path_);
    auto process =
        ChildProcess::Start({.patience = std::chrono::milliseconds(300)}, [&](ChildLink& parent) {
          parent.Send(FrameWith(Result<CtfTraceInfo>(Described())));
          parent.Receive();
          for (const std::string& frame : frames) parent.Send(frame);
          last(parent);
        });
    EXPECT_TRUE(process && folder);
    CtfChild child =
        CtfChild::Around(std::make_unique<ChildProcess>(std::move(*process)), {*folder});
    const auto info = child.Describe();
    EXPECT_TRUE(info) << info.error().ToString();
    child.BeginTrace(*info, Wanted());
    return ReadStream(child);
  }

  Received ReadStream(CtfChild& child) const {
    Received received;
    for (;;) {
      const auto batch = child.Next();
      if (!batch) {
        EXPECT_EQ(batch.error().code, ErrorCode::kMalformed);
        EXPECT_EQ(batch.error().file, path_);
        received.error = batch.error().message;
        return received;
      }
      if (*batch == nullptr) return received;
      while (const CtfWantedEvent* event = (*batch)->NextWanted()) {
        EXPECT_EQ(event->event_class, 0);
        EXPECT_LT(event->index - (*batch)->first(), (*batch)->times().size());
        EXPECT_EQ(event->values.size(), 2);
        received.events.push_back(fmt::format(
            "{}: {} {}", event->index, event->values[0].as_unsigned(), event->values[1].text()));
      }
    }
  }

  const TinyTraceFolder folder_{"ctf_garbled"};
  const std::string path_ = folder_.Add("t", {});
};

TEST_F(CtfGarbled, WhatIsSoundIsReadAsItWasSent) {
  const Received received = Receive({kSound, kSound, SoundEnd()});
  EXPECT_EQ(received.error, "");
  EXPECT_THAT(received.events, ElementsAre("0: 7 ab", "2: 300 ", "3: 7 ab", "5: 300 "));
}

TEST_F(CtfGarbled, BatchesThatCannotBeAreErrors) {
  const std::string no_classes = BatchOf(3, kTimes, {}, 0, {});
  const std::string class_missing = BatchOf(3, kTimes, {0, 1}, 0, {});
  const std::string unknown_class = BatchOf(3, kTimes, {0, 1, 2}, 2, kParts);
  const std::string too_many = BatchOf(UINT64_MAX / 4, kTimes, kClasses, 2, kParts);
  const std::string end_without_flag = SoundEnd().substr(0, 1);
  std::string end_of_no_kind = SoundEnd();
  end_of_no_kind[1] = 2;
  std::string end_of_no_flag = SoundEnd();
  end_of_no_flag.back() = 2;
  const std::string garbled_error =
      ctf_frames::PackEnd({}, Error{ErrorCode::kMalformed, "text", "t/ch_0"}).substr(0, 20);
  for (const std::string& frame :
       {std::string("\2 neither batch nor end"), std::string(1, '\0'), std::string(100, '\xff'),
        BatchOf(0, {}, {}, 0, {}), no_classes, class_missing, unknown_class, too_many,
        end_without_flag, end_of_no_kind, end_of_no_flag, garbled_error, SoundEnd() + "x"}) {
    const Received received = Receive({kSound, frame, kSound, SoundEnd()});
    EXPECT_THAT(received.error, HasSubstr("the CTF library failed on it (garbled results)"))
        << testing::PrintToString(frame);
    EXPECT_EQ(received.events.size(), 2) << testing::PrintToString(frame);
  }
}

TEST_F(CtfGarbled, EventsThatCannotBeEndTheBatchBeforeThem) {
  const WantedPart first = {0, 0, 7, "ab"};
  const std::vector<std::pair<const char*, std::string>> cases = {
      {"behind the batch", BatchOf(3, kTimes, kClasses, 2, {first, {2, 0, 300, ""}})},
      {"far behind it", BatchOf(3, kTimes, kClasses, 2, {first, {UINT64_MAX, 0, 300, ""}})},
      {"of another class than was said", BatchOf(3, kTimes, kClasses, 2, {first, {0, 0, 300, ""}})},
      {"of a class of which nothing is wanted",
       BatchOf(3, kTimes, kClasses, 2, {first, {0, 1, 300, ""}})},
      {"of no class", BatchOf(3, kTimes, kClasses, 2, {first, {1, 2, 300, ""}})},
      {"of no class that would follow",
       BatchOf(3, kTimes, kClasses, 2, {first, {1, ctf_frames::kClassFollows, 2, ""}})},
      {"fewer than were said", BatchOf(3, kTimes, kClasses, 2, {first})},
      {"far fewer", BatchOf(3, kTimes, kClasses, UINT64_MAX, {first})},
      {"more than were said", BatchOf(3, kTimes, kClasses, 1, kParts)},
      {"a text longer than the batch", kSound.substr(0, kSound.size() - 1) + "\x14\x05"},
      {"a value of no kind", kSound.substr(0, kSound.size() - 1) + "\x09"},
  };
  for (const auto& [what, frame] : cases) {
    const Received received = Receive({frame, SoundEnd()});
    EXPECT_THAT(received.error, HasSubstr("(garbled results)")) << what;
    EXPECT_THAT(received.events, ElementsAre("0: 7 ab")) << what;
  }
}

TEST_F(CtfGarbled, APacketThatIsTooLongOrGoesNowhereIsGarbled) {
  Parcel parcel;
  ctf_frames::PackPacket({.size = 20, .direction = PacketDirection::kOutbound}, parcel);
  ParcelReader sound(parcel.text());
  EXPECT_EQ(ctf_frames::UnpackPacket(sound).size, 20);
  EXPECT_TRUE(sound.is_valid());
  parcel.Clear();
  ctf_frames::PackPacket({.size = 20, .direction = PacketDirection{3}}, parcel);
  ParcelReader nowhere(parcel.text());
  ctf_frames::UnpackPacket(nowhere);
  EXPECT_FALSE(nowhere.is_valid());
  parcel.Clear();
  parcel.Put(std::string(KernelPacket::kMaxBytes + 1, 'x'));
  parcel.Append(std::string(100, '\0'));
  ParcelReader longer(parcel.text());
  EXPECT_EQ(ctf_frames::UnpackPacket(longer).size, KernelPacket::kMaxBytes);
  EXPECT_FALSE(longer.is_valid());
}

TEST_F(CtfGarbled, HalfABatchSaysHowTheProcessEnded) {
  const auto send_half = [](ChildLink& parent) {
    parent.SendRaw(std::string_view("\x20\0\0\0\0\0\0\0half", 12));
  };
  const Received ended = Receive({kSound}, send_half);
  EXPECT_THAT(ended.error, HasSubstr("(it ended early)"));
  const Received killed = Receive({kSound}, [&](ChildLink& parent) {
    send_half(parent);
    ::raise(SIGKILL);
  });
  EXPECT_THAT(killed.error, HasSubstr("(signal 9, Killed)"));
  const Received hung = Receive({kSound}, [&](ChildLink& parent) {
    send_half(parent);
    for (;;) ::pause();
  });
  EXPECT_THAT(hung.error, HasSubstr("(no progress for 0.3 s)"));
  // A size that no frame has.
  const Received huge = Receive({kSound}, [](ChildLink& parent) {
    parent.SendRaw(std::string(16, '\xff'));
    for (;;) ::pause();
  });
  EXPECT_THAT(huge.error, HasSubstr("(garbled results)"));
  for (const Received& received : {ended, killed, hung, huge}) EXPECT_EQ(received.events.size(), 2);
}

// Whatever a batch holds, what is read of it has the form of what was asked for: ReadStream().
TEST_F(CtfGarbled, BytesChangedAnywhere) {
  constexpr unsigned kSeed = 7;
  constexpr int kRounds = 200;
  std::mt19937 random(kSeed);
  std::vector<std::string> frames;
  for (size_t size = 0; size < kSound.size(); ++size) frames.push_back(kSound.substr(0, size));
  for (int round = 0; round < kRounds; ++round) {
    std::string frame = kSound;
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      frame[random() % frame.size()] = static_cast<char>(random());
    }
    frames.push_back(std::move(frame));
  }
  int errors = 0;
  for (const std::string& frame : frames) {
    const Received received = Receive({frame, SoundEnd()});
    EXPECT_LE(received.events.size(), 2);
    errors += received.error.empty() ? 0 : 1;
  }
  // All parts of it, and most of the others: what is only another time or number is not told.
  EXPECT_GE(errors, kSound.size() + kRounds / 2);
}

}  // namespace
}  // namespace syncline
