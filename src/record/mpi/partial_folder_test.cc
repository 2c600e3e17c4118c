#include "record/mpi/partial_folder.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "record/mpi/testing/test_folder.h"

namespace syncline::mpi {
namespace {

namespace fs = std::filesystem;

TEST(PartialFolder, BecomesTheFolderWhenTheArchiveIsWhole) {
  const TestFolder test;
  const std::string folder = test / "runs/first";  // the folder above need not be there
  ASSERT_TRUE(MakePartialFolder(folder));
  EXPECT_TRUE(fs::is_directory(folder + ".partial/log"));
  EXPECT_FALSE(fs::exists(folder));
  fs::create_directory(ArchiveFolderOf(folder));
  std::ofstream(ArchiveFolderOf(folder) + "/traces.otf2") << "x";
  ASSERT_TRUE(CompletePartialFolder(folder));
  EXPECT_TRUE(fs::exists(folder + "/traces.otf2"));
  EXPECT_FALSE(fs::exists(folder + ".partial"));
}

TEST(PartialFolder, IsNumberedWhereOneOfTheTwoExists) {
  const TestFolder test;
  const std::string folder = test / "trace";
  EXPECT_EQ(MakePartialFolder(folder).value(), folder);
  EXPECT_EQ(MakePartialFolder(folder).value(), folder + ".2");
  RemovePartialFolder(folder);
  fs::create_directory(folder);
  EXPECT_EQ(MakePartialFolder(folder).value(), folder + ".3");
  EXPECT_TRUE(fs::is_directory(folder + ".3.partial/log"));
  EXPECT_FALSE(fs::exists(folder + ".partial"));
}

TEST(PartialFolder, NeverReplacesWhatCameInTheMeantime) {
  const TestFolder test;
  const std::string folder = test / "trace";
  ASSERT_TRUE(MakePartialFolder(folder));
  fs::create_directory(ArchiveFolderOf(folder));
  fs::create_directory(folder);
  std::ofstream(folder + "/mine") << "x";
  EXPECT_FALSE(CompletePartialFolder(folder));
  EXPECT_TRUE(fs::exists(folder + "/mine"));
  EXPECT_TRUE(fs::exists(ArchiveFolderOf(folder)));
}

}  // namespace
}  // namespace syncline::mpi
