#include "trace/found_parcel.h"

#include <string>
#include <variant>

#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(FoundParcel, DiagnosticsArriveAsTheyWereCounted) {
  Diagnostics diagnostics;
  diagnostics.Count("first", Severity::kWarning, 3, "here");
  diagnostics.Count("first", Severity::kInfo, 2, "there");
  diagnostics.Count("first", Severity::kInfo, 7);
  for (int i = 0; i < 20; ++i) {
    diagnostics.Count("second", Severity::kError, 1, "place " + std::to_string(i));
  }
  Parcel parcel;
  parcel.Put(diagnostics);
  ParcelReader reader(parcel.bytes());
  const auto arrived = reader.Take<Diagnostics>();
  EXPECT_TRUE(reader.is_at_end());
  ASSERT_EQ(arrived.all().size(), 2);
  const Diagnostic& first = arrived.all().at("first");
  EXPECT_EQ(first.severity, Severity::kWarning);
  EXPECT_EQ(first.count, 12);
  EXPECT_EQ(first.example, "here");
  EXPECT_THAT(first.spread, ElementsAre(Pair("here", 3), Pair("there", 2)));
  const Diagnostic& second = arrived.all().at("second");
  EXPECT_EQ(second.count, 20);
  EXPECT_EQ(second.spread, diagnostics.all().at("second").spread);
}

TEST(FoundParcel, ErrorsArrive) {
  Parcel parcel;
  parcel.Put(Error{ErrorCode::kMalformed, "is cut off", "a.pcap", ByteOffset{77}});
  ParcelReader reader(parcel.bytes());
  const auto error = reader.Take<Error>();
  EXPECT_TRUE(reader.is_at_end());
  EXPECT_EQ(error.code, ErrorCode::kMalformed);
  EXPECT_EQ(error.message, "is cut off");
  EXPECT_EQ(error.file, "a.pcap");
  EXPECT_EQ(std::get<ByteOffset>(error.position).value, 77);
}

}  // namespace
}  // namespace syncline
