#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include <gmock/gmock.h>

// The main of every test program: testing::TempDir() is a folder of this run alone, gone when it
// ends, so that tests of one name in several runs (ctest's jobs, two checkouts) do not meet.
int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  std::string folder = testing::TempDir() + "syncline-test-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    std::cerr << "cannot make the folder " << folder << '\n';
    return 1;
  }
  ::setenv("TEST_TMPDIR", (folder + "/").c_str(), 1);
  const int failed = RUN_ALL_TESTS();
  std::error_code left;
  std::filesystem::remove_all(folder, left);
  return failed;
}
