#include "read/ctf/field_value.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "read/ctf/ctf_reader.h"
#include "read/ctf/testing/field_names.h"
#include "read/ctf/testing/tiny_trace.h"

namespace syncline {
namespace {

class FieldValueTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TinyTrace trace;
    trace.streams = {{{.events = {{5, 7, "seven"}}, .cpu = 3}}};
    auto reader = CtfReader::Open(folder_.Add("t", trace));
    ASSERT_TRUE(reader) << reader.error().ToString();
    reader_ = std::move(*reader);
    event_ = reader_->streams().at(0)->Next();
    ASSERT_NE(event_, nullptr);
    event_class_ = reader_->event_classes().at(event_->event_class).handle;
  }
  FieldValue Read(std::string_view name) const {
    const auto place = FieldPlace::Find(event_class_, name);
    return place ? place->Read(event_->handle) : FieldValue();
  }

  TinyTraceFolder folder_{"ctf_fields"};
  std::unique_ptr<CtfReader> reader_;
  const CtfEvent* event_ = nullptr;
  const bt_event_class* event_class_ = nullptr;
};

TEST_F(FieldValueTest, NamesWithAndWithoutUnderscoresMeanTheSame) {
  for (const char* name : {"n", "_n", "__n"}) {
    EXPECT_EQ(Read(name).kind(), FieldValue::Kind::kUnsigned) << name;
    EXPECT_EQ(Read(name).as_unsigned(), 7) << name;
  }
}

TEST_F(FieldValueTest, TextsMembersAndContextsAreFound) {
  EXPECT_EQ(Read("text").kind(), FieldValue::Kind::kText);
  EXPECT_EQ(Read("text").text(), "seven");
  EXPECT_EQ(Read("group.inner").as_unsigned(), 7 + 1);
  EXPECT_EQ(Read("cpu_id").as_unsigned(), 3);
}

TEST_F(FieldValueTest, WhatIsNoScalarOrNotThereIsNotFound) {
  for (const char* name : {"nothing", "group", "n.inner", "group.nothing", "", "."}) {
    EXPECT_FALSE(FieldPlace::Find(event_class_, name)) << name;
  }
}

TEST_F(FieldValueTest, AllScalarsAreListed) {
  EXPECT_EQ(FieldNames(event_class_),
            (std::vector<std::string>{"n", "text", "group.inner", "cpu_id"}));
}

}  // namespace
}  // namespace syncline
