// A fresh folder for one test, removed at the end.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <gtest/gtest.h>
#include <unistd.h>

namespace syncline::mpi {

class TestFolder {
 public:
  TestFolder() {
    std::string pattern = testing::TempDir() + "syncline-mpi-XXXXXX";
    path_ = ::mkdtemp(pattern.data()) == nullptr ? std::string() : pattern;
    EXPECT_FALSE(path_.empty());
  }
  ~TestFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace syncline::mpi
