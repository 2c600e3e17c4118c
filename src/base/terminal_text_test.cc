#include "base/terminal_text.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(ForTerminal, LeavesTextAlone) {
  EXPECT_EQ(ForTerminal("clock a: ±1 µs\n\tb → c · 漢字 🙂\n"),
            "clock a: ±1 µs\n\tb → c · 漢字 🙂\n");
  EXPECT_EQ(ForTerminal(""), "");
}

TEST(ForTerminal, SpellsOutWhatATerminalWouldObey) {
  EXPECT_EQ(ForTerminal("\x1b[31mred\x07\x7f\r"), R"(\x1b[31mred\x07\x7f\x0d)");
  EXPECT_EQ(ForTerminal("\xC2\x9B"
                        "5m\xC2\xA0"),
            "\\xc2\\x9b5m\xC2\xA0");  // CSI; a hard space stays
  EXPECT_EQ(ForTerminal("\u202Egpj.exe\u2069"), R"(\xe2\x80\xaegpj.exe\xe2\x81\xa9)");
  EXPECT_EQ(ForTerminal(std::string_view("a\0b", 3)), R"(a\x00b)");
}

TEST(ForTerminal, SpellsOutWhatIsNoUtf8) {
  EXPECT_EQ(ForTerminal("\x9B"
                        "31m"),
            R"(\x9b31m)");
  EXPECT_EQ(ForTerminal("\xED\xA0\x80"), R"(\xed\xa0\x80)");  // a surrogate
  EXPECT_EQ(ForTerminal("caf\xC3"), R"(caf\xc3)");
}

}  // namespace
}  // namespace syncline
