#include "base/parcel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Parcel, GivesBackWhatWasPutIntoIt) {
  Parcel parcel;
  parcel.Put(uint8_t{7});
  parcel.Put(std::string("näme"));
  parcel.PutAll(std::vector<int64_t>{-1, INT64_MAX});
  parcel.PutAll(std::vector<int64_t>{});
  parcel.Put(2.5);
  ParcelReader reader(parcel.bytes());
  EXPECT_EQ(reader.Take<uint8_t>(), 7);
  EXPECT_EQ(reader.TakeText(), "näme");
  EXPECT_THAT(reader.TakeAll<int64_t>(), ElementsAre(-1, INT64_MAX));
  EXPECT_THAT(reader.TakeAll<int64_t>(), IsEmpty());
  EXPECT_FALSE(reader.is_at_end());
  EXPECT_EQ(reader.Take<double>(), 2.5);
  EXPECT_TRUE(reader.is_at_end());
}

TEST(Parcel, GivesBackWhatWasPutInOneGo) {
  const std::vector<int64_t> times = {-1, 4};
  Parcel parcel;
  parcel.PutEach(uint8_t{7}, std::string("näme"), times, std::span(times).first(1));
  ParcelReader reader(parcel.bytes());
  uint8_t number = 0;
  std::string name;
  std::vector<int64_t> all;
  reader.TakeEach(number, name, all);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(name, "näme");
  EXPECT_EQ(all, times);
  EXPECT_THAT(reader.TakeAll<int64_t>(), ElementsAre(-1));
  EXPECT_TRUE(reader.is_at_end());
}

TEST(ParcelDeathTest, IsNotReadBeyondItsEnd) {
  Parcel parcel;
  parcel.Put(uint8_t{7});
  ParcelReader reader(parcel.bytes());
  EXPECT_DEATH((void)reader.Take<uint64_t>(), "");
}

}  // namespace
}  // namespace syncline
