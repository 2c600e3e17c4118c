#include "record/mpi/options.h"

#include <array>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace syncline::mpi {
namespace {

Result<Options> Parse(const std::map<std::string, std::string>& variables) {
  std::string text;
  for (const auto& [name, value] : variables) text += fmt::format("{}={}", name, value) + '\0';
  return OptionsOf(text);
}

TEST(Options, HaveDefaults) {
  const auto options = Parse({});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->folder, "syncline-trace");
  EXPECT_EQ(options->clock, ClockSource::kMonotonic);
  EXPECT_EQ(options->exchanges, 50U);
}

TEST(Options, AreTakenFromVariables) {
  const auto options = Parse({{"SYNCLINE_MPI_OUT", "runs/first//"},
                              {"SYNCLINE_MPI_CLOCK", "realtime"},
                              {"SYNCLINE_MPI_BURST", "tree"},
                              {"SYNCLINE_MPI_EXCHANGES", "7"},
                              {"SYNCLINE_MPI_BURST_EVERY", "3"},
                              {"SYNCLINE_MPI_MAX_BYTES", "5000000000"},
                              {"SYNCLINE_MPI_REGIONS", "1"},
                              {"SYNCLINE_MPI_VERBOSE", "1"}});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->folder, "runs/first");
  EXPECT_EQ(options->clock, ClockSource::kRealtime);
  EXPECT_EQ(options->shape, BurstShape::kTree);
  EXPECT_EQ(options->exchanges, 7U);
  EXPECT_EQ(options->burst_every, 3U);
  EXPECT_EQ(options->most_bytes, 5'000'000'000U);
  EXPECT_TRUE(options->keeps_regions);
  EXPECT_TRUE(options->is_verbose);
}

TEST(Options, OfAnotherProcessAreReadFromTheTextOfItsVariables) {
  const std::array<const char*, 6> environment = {
      "SYNCLINE_MPI_OUT=a=b",     "HOME=/",
      "SYNCLINE_MPI_EXCHANGES=7", "SYNCLINE=SYNCLINE_MPI_VERBOSE=1",
      "SYNCLINE_MPI_OUTER=c",     nullptr};
  const std::string variables = VariablesIn(environment.data());
  using namespace std::string_literals;
  EXPECT_EQ(variables, "SYNCLINE_MPI_EXCHANGES=7\0SYNCLINE_MPI_OUT=a=b\0SYNCLINE_MPI_OUTER=c\0"s);
  const auto options = OptionsOf(variables);
  ASSERT_TRUE(options) << options.error().ToString();
  EXPECT_EQ(options->folder, "a=b");
  EXPECT_EQ(options->exchanges, 7U);
  EXPECT_FALSE(options->is_verbose);
  EXPECT_EQ(OptionsOf("")->exchanges, Options{}.exchanges);
}

TEST(Options, ThatMakeNoSenseAreNamed) {
  const std::map<std::string, std::string> wrong = {
      {"SYNCLINE_MPI_OUT", ""},           {"SYNCLINE_MPI_CLOCK", "sun"},
      {"SYNCLINE_MPI_BURST", "star"},     {"SYNCLINE_MPI_EXCHANGES", "-1"},
      {"SYNCLINE_MPI_BURST_EVERY", "3x"}, {"SYNCLINE_MPI_MAX_BYTES", ""},
      {"SYNCLINE_MPI_REGIONS", "on"},     {"SYNCLINE_MPI_VERBOSE", "yes"}};
  for (const auto& [name, value] : wrong) {
    const auto options = Parse({{name, value}});
    ASSERT_FALSE(options) << name;
    EXPECT_EQ(options.error().code, ErrorCode::kUsage);
    EXPECT_EQ(options.error().message, fmt::format("{}={} is not understood", name, value));
  }
}

TEST(Options, RegionClocksCountNanoseconds) {
  const auto options = Parse({{"SYNCLINE_MPI_REGIONS", "1"}, {"SYNCLINE_MPI_CLOCK", "counter"}});
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace syncline::mpi
