// The way quantities are written for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace syncline {

// "574.3 µs", "−1.701260 s", "0 ns": three or more significant digits in the unit that fits.
// An end of the range stands for all beyond it: "≥ 9223372036.854776 s".
std::string FormatDuration(int64_t ns);
// As FormatDuration with an explicit "+" for positive values.
std::string FormatSignedDuration(int64_t ns);
// "unbounded" where there is none.
std::string FormatBound(std::optional<int64_t> ns);
// "± 574.3 µs", the larger of both; "−3.1 µs/+574.3 µs" where they differ by more than a tenth of
// it; "−3.1 µs/unbounded" where a side is, "unbounded" where both are.
std::string FormatBounds(std::optional<int64_t> below, std::optional<int64_t> above);
// "+12.3400 ppm", "−0.5000 ppm" with 4 decimals.
std::string FormatSignedPpm(double ppm, int decimals);
// "+12.340 ppm"; "0.000 ppm" of less than half of the last digit, "–" where there is none.
std::string FormatDrift(std::optional<double> ppm);
// "1.56 %" of 0.0156.
std::string FormatPercent(double fraction);
// "16 441": groups of three digits, separated by a narrow space.
std::string FormatCount(uint64_t count);
// "512 bytes", "4.0 MiB".
std::string FormatBytes(uint64_t bytes);
// "1 packet", "2 packets".
std::string FormatCount(uint64_t count, const std::string& singular);

}  // namespace syncline
