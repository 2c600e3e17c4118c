#include "base/packing.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(Packing, ValuesTextsAndArraysComeBack) {
  Packer packer;
  packer.Put(std::optional<uint32_t>(7));
  packer.PutText("a text");
  packer.PutAll(std::span<const int64_t>(std::vector<int64_t>{-1, 2, 3}));
  Unpacker unpacker(packer.bytes());
  EXPECT_EQ(unpacker.Get<std::optional<uint32_t>>(), 7);
  EXPECT_EQ(unpacker.GetText(), "a text");
  EXPECT_EQ(unpacker.GetAll<int64_t>(), (std::vector<int64_t>{-1, 2, 3}));
  EXPECT_TRUE(unpacker.is_valid());
  EXPECT_TRUE(unpacker.is_over());
}

TEST(Packing, NothingIsReadBeyondTheEnd) {
  Packer packer;
  packer.PutText("a text");
  packer.PutAll(std::span<const int64_t>(std::vector<int64_t>{-1, 2, 3}));
  for (size_t bytes = 0; bytes < packer.bytes().size(); ++bytes) {
    Unpacker unpacker(std::string_view(packer.bytes()).substr(0, bytes));
    unpacker.GetText();
    EXPECT_TRUE(unpacker.GetAll<int64_t>().empty()) << bytes;
    EXPECT_FALSE(unpacker.is_valid()) << bytes;
    EXPECT_EQ(unpacker.Get<int>(), 0) << bytes;
    EXPECT_FALSE(unpacker.CanHold(0)) << bytes;
  }
}

TEST(Packing, ShortNumbersTakeAsManyBytesAsTheyHaveAndOneMore) {
  for (size_t bytes = 0; bytes <= sizeof(uint64_t); ++bytes) {
    const uint64_t largest = bytes == 0 ? 0 : ~uint64_t{0} >> (64 - 8 * bytes);
    Packer packer;
    packer.PutShort(largest, 9);
    packer.PutShort(3);
    ASSERT_EQ(packer.bytes().size(), 1 + bytes + 2);
    Unpacker unpacker(packer.bytes());
    const Unpacker::Short first = unpacker.GetShort();
    EXPECT_EQ(first.number, largest);
    EXPECT_EQ(first.bits, 9);
    EXPECT_EQ(unpacker.GetShort().number, 3);
    EXPECT_TRUE(unpacker.is_valid() && unpacker.is_over());
    for (size_t cut = 0; cut <= bytes; ++cut) {
      Unpacker part(packer.bytes().substr(0, cut));
      EXPECT_EQ(part.GetShort().number, 0);
      EXPECT_FALSE(part.is_valid()) << bytes << " " << cut;
    }
  }
  Unpacker too_long("\xF0----------------");
  EXPECT_EQ(too_long.GetShort().number, 0);
  EXPECT_FALSE(too_long.is_valid());
}

TEST(Packing, CountsBeyondTheBytesAreNotBelieved) {
  Packer packer;
  packer.Put(uint64_t{1} << 60);
  Unpacker unpacker(packer.bytes());
  EXPECT_FALSE(unpacker.CanHold(unpacker.Get<uint64_t>()));
}

TEST(Packing, ResultsAndErrorsComeBack) {
  const auto value = UnpackResult<double>(PackResult(Result<double>(0.5)));
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, 0.5);
  const Result<double> failed = Fail(ErrorCode::kUnsupported, "what", "where", ByteOffset{12});
  const auto error = UnpackResult<double>(PackResult(failed));
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(error.error().ToString(), failed.error().ToString());
  EXPECT_FALSE(UnpackResult<double>(""));
}

}  // namespace
}  // namespace syncline
