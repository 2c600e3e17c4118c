#include "trace/file_team.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::ElementsAre;

std::vector<size_t> Dealt(const std::vector<std::pair<std::string, uint64_t>>& files,
                          size_t processes) {
  std::vector<Input> inputs;
  for (const auto& [path, bytes] : files) inputs.push_back({.path = path, .bytes = bytes});
  std::vector<const Input*> pointers;
  for (const Input& input : inputs) pointers.push_back(&input);
  return DealFiles(pointers, processes);
}

TEST(DealFiles, GivesEachToWhoHasTheLeastSoFar) {
  EXPECT_THAT(Dealt({{"a", 100}, {"b", 100}, {"c", 30}, {"d", 90}, {"e", 1}}, 3),
              ElementsAre(0, 1, 2, 2, 0));
  EXPECT_THAT(Dealt({{"a", 100}, {"b", 5}}, 1), ElementsAre(0, 0));
  EXPECT_THAT(Dealt({{"a", 100}}, 7), ElementsAre(0));
}

TEST(DealFiles, KeepsWhatOthersDoNotSee) {
  EXPECT_THAT(Dealt({{"a", 100}, {"/dev/stdin", 1}, {"/proc/self/fd/5", 1}, {"b", 1}}, 2),
              ElementsAre(0, 0, 0, 1));
}

TEST(DealtFile, IsTheSameFileByItsSize) {
  const std::string path = testing::TempDir() + "dealt_file_test";
  std::ofstream(path) << "12345";
  Parcel parcel;
  parcel.Put(DealtFile(path));
  ParcelReader reader(parcel.bytes());
  const auto arrived = reader.Take<DealtFile>();
  EXPECT_EQ(arrived.path(), path);
  EXPECT_TRUE(arrived.Check());
  std::ofstream(path) << "123456";
  const auto other = arrived.Check();
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kUnreadable);
  EXPECT_EQ(other.error().file, path);
  std::filesystem::remove(path);
  EXPECT_TRUE(arrived.Check());  // whoever opens it says so
}

}  // namespace
}  // namespace syncline
