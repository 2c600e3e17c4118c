#include "base/parcel.h"

#include <array>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Inner {
  std::string name;
  bool is_set = false;
  std::optional<uint32_t> number;
  static auto Members(auto& self) { return std::tie(self.name, self.is_set, self.number); }
  friend bool operator==(const Inner&, const Inner&) = default;
};

class Outer {
 public:
  Outer() = default;
  explicit Outer(std::vector<Inner> inner) : inner_(std::move(inner)) {}
  static auto Members(auto& self) { return std::tie(self.inner_); }
  const std::vector<Inner>& inner() const { return inner_; }

 private:
  std::vector<Inner> inner_;
};

struct Listed {
  std::string text;
};
auto Members(Is<Listed> auto& self) { return std::tie(self.text); }

class Odd {
 public:
  static Odd Of(int half) { return Odd(2 * half + 1); }
  void Put(Parcel& parcel) const { parcel.Put(value_ / 2); }
  static Odd Take(ParcelReader& parcel) { return Of(parcel.Take<int>()); }
  int value() const { return value_; }

 private:
  explicit Odd(int value) : value_(value) {}
  int value_;
};

TEST(Parcel, GivesBackWhatWasPutIntoIt) {
  const std::vector<int64_t> times = {-1, INT64_MAX};
  Parcel parcel;
  parcel.Put(uint8_t{7}, std::string("näme"), times, std::vector<int64_t>{}, 2.5,
             std::span(times).first(1), std::string_view("view"));
  ParcelReader reader(parcel.bytes());
  uint8_t number = 0;
  std::string name;
  reader.Take(number, name);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(name, "näme");
  EXPECT_EQ(reader.TakeAll<int64_t>(), times);
  EXPECT_THAT(reader.TakeAll<int64_t>(), IsEmpty());
  EXPECT_FALSE(reader.is_at_end());
  EXPECT_EQ(reader.Take<double>(), 2.5);
  EXPECT_THAT(reader.TakeAll<int64_t>(), ElementsAre(-1));
  EXPECT_EQ(reader.Take<std::string_view>(), "view");
  EXPECT_TRUE(reader.is_at_end());
}

TEST(Parcel, GivesBackWhatHoldsOthers) {
  const Outer outer({{"a", true, 7}, {"b", false, {}}});
  const std::map<std::pair<int, std::string>, std::vector<bool>> map = {{{1, "x"}, {true, false}},
                                                                        {{2, ""}, {}}};
  const std::array<std::vector<int>, 2> array = {{{1, 2}, {}}};
  Parcel parcel;
  parcel.Put(outer, map, array, std::vector<Listed>{{"c"}}, std::optional(Odd::Of(3)));
  ParcelReader reader(parcel.bytes());
  EXPECT_EQ(reader.Take<Outer>().inner(), outer.inner());
  EXPECT_EQ((reader.Take<std::map<std::pair<int, std::string>, std::vector<bool>>>()), map);
  EXPECT_EQ((reader.Take<std::array<std::vector<int>, 2>>()), array);
  EXPECT_EQ(reader.TakeAll<Listed>().at(0).text, "c");
  EXPECT_EQ(reader.Take<std::optional<Odd>>()->value(), 7);
  EXPECT_TRUE(reader.is_at_end());
}

TEST(Parcel, ResultsAndErrorsComeBack) {
  const auto value = UnpackResult<double>(FrameWith(Result<double>(0.5)));
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, 0.5);
  const Result<double> failed = Fail(ErrorCode::kUnsupported, "what", "where", ByteOffset{12});
  const auto error = UnpackResult<double>(FrameWith(failed));
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(error.error().ToString(), failed.error().ToString());
  EXPECT_FALSE(UnpackResult<double>(""));
  EXPECT_EQ(UnpackResult<double>(FrameWith(failed).substr(0, 9)).error().message,
            "a garbled error");
  auto odd_code = failed.error();
  odd_code.code = static_cast<ErrorCode>(77);
  EXPECT_EQ(UnpackResult<double>(FrameWith(Result<double>(tl::unexpected(odd_code)))).error().code,
            ErrorCode::kMalformed);
  EXPECT_TRUE(UnpackResult<void>(FrameWith(Result<void>())));
  EXPECT_FALSE(UnpackResult<void>(FrameWith(Result<void>(Fail(ErrorCode::kUsage, "what")))));
}

TEST(Parcel, ShortNumbersTakeAsManyBytesAsTheyHaveAndOneMore) {
  for (size_t bytes = 0; bytes <= sizeof(uint64_t); ++bytes) {
    const uint64_t largest = bytes == 0 ? 0 : ~uint64_t{0} >> (64 - 8 * bytes);
    Parcel parcel;
    parcel.PutShort(largest, 9);
    parcel.PutShort(3);
    ASSERT_EQ(parcel.text().size(), 1 + bytes + 2);
    ParcelReader reader(parcel.text());
    const ParcelReader::Short first = reader.TakeShort();
    EXPECT_EQ(first.number, largest);
    EXPECT_EQ(first.bits, 9);
    EXPECT_EQ(reader.TakeShort().number, 3);
    EXPECT_TRUE(reader.is_valid() && reader.is_at_end());
    for (size_t cut = 0; cut <= bytes; ++cut) {
      ParcelReader part(parcel.text().substr(0, cut));
      EXPECT_EQ(part.TakeShort().number, 0);
      EXPECT_FALSE(part.is_valid()) << bytes << " " << cut;
    }
  }
  ParcelReader too_long("\xF0----------------");
  EXPECT_EQ(too_long.TakeShort().number, 0);
  EXPECT_FALSE(too_long.is_valid());
}

TEST(GarbledParcel, IsNotReadBeyondItsEnd) {
  Parcel parcel;
  parcel.Put(std::string("a text"), std::vector<int64_t>{-1, 2, 3});
  for (size_t bytes = 0; bytes < parcel.text().size(); ++bytes) {
    ParcelReader reader(parcel.text().substr(0, bytes));
    reader.Take<std::string_view>();
    EXPECT_TRUE(reader.TakeAll<int64_t>().empty()) << bytes;
    EXPECT_FALSE(reader.is_valid()) << bytes;
    EXPECT_EQ(reader.Take<int>(), 0) << bytes;
    EXPECT_FALSE(reader.CanHold(0)) << bytes;
  }
}

TEST(GarbledParcel, CountsBeyondTheBytesAreNotBelieved) {
  const std::string count = FrameWith(uint64_t{1} << 60);
  ParcelReader reader(count);
  EXPECT_FALSE(reader.CanHold(reader.Take<uint64_t>()));
  ParcelReader texts(count);
  EXPECT_THAT(texts.TakeAll<std::string>(), IsEmpty());
  EXPECT_FALSE(texts.is_valid());
  ParcelReader many(count);
  EXPECT_THAT(many.TakeMany<int64_t>(2), IsEmpty());
  EXPECT_FALSE(many.is_valid());
}

TEST(GarbledParcel, HasNoBoolThatIsNeitherTrueNorFalse) {
  const std::string other = FrameWith(uint8_t{2}, 7);
  for (const auto take : {+[](ParcelReader& reader) { (void)reader.Take<bool>(); },
                          +[](ParcelReader& reader) { (void)reader.Take<std::optional<int>>(); },
                          +[](ParcelReader& reader) { (void)reader.Take<Result<int>>(); }}) {
    ParcelReader reader(other);
    take(reader);
    EXPECT_FALSE(reader.is_valid());
  }
}

TEST(ParcelDeathTest, IsNotReadBeyondItsEnd) {
  Parcel parcel;
  parcel.Put(uint8_t{7});
  ParcelReader reader(parcel.bytes());
  EXPECT_DEATH((void)reader.Take<uint64_t>(), "");
}

}  // namespace
}  // namespace syncline
