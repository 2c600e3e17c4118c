#include "write/perfetto/wire.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "write/perfetto/testing/protoc.h"

namespace syncline {
namespace {

TEST(Wire, FieldsAreThoseOfTheEncodingsDocumentation) {
  WireMessage message;
  message.AddVarint(1, 150);
  EXPECT_EQ(message.bytes(), "\x08\x96\x01");
  message.Clear();
  message.AddBytes(2, "testing");
  EXPECT_EQ(message.bytes(), "\x12\x07testing");
  message.Clear();
  message.AddSigned(1, -2);  // ten bytes, all ones but the last
  EXPECT_EQ(message.bytes(), "\x08\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01");
  message.Clear();
  message.AddFixed64(47, 0x0102030405060708);  // 47 · 8 + 1 = 377 = 2 · 128 + 121
  EXPECT_EQ(message.bytes(), "\xF9\x02\x08\x07\x06\x05\x04\x03\x02\x01");
}

TEST(Wire, ProtocReadsWhatWasWritten) {
  if (!HasProtoc()) GTEST_SKIP() << "needs protoc (protobuf-compiler)";
  WireMessage inner;
  inner.AddVarint(1, 0);
  inner.AddVarint(2, UINT64_MAX);
  WireMessage outer;
  outer.AddMessage(60, inner);
  outer.AddFixed64(48, 5);
  EXPECT_EQ(Protoc("--decode_raw", outer.bytes()),
            "60 {\n  1: 0\n  2: 18446744073709551615\n}\n48: 0x0000000000000005\n");
}

}  // namespace
}  // namespace syncline
