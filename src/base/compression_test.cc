#include "base/compression.h"

#include <filesystem>
#include <fstream>
#include <random>

#include <gmock/gmock.h>

namespace syncline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string Packed(Compression compression, std::string_view text) {
  std::string packed;
  const auto write = [&](std::span<const std::byte> bytes) -> Result<void> {
    packed.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  };
  auto packing = MakePacking(compression).value();
  EXPECT_TRUE(packing->Write(std::as_bytes(std::span(text)), write));
  EXPECT_TRUE(packing->End(write));
  return packed;
}

// 300 KB that hardly repeat.
std::string LongText() {
  std::string text;
  for (uint64_t i = 0; text.size() < 300'000; ++i)
    text += std::to_string(i * i * 2654435761U) + ' ';
  return text;
}

class CompressionTest : public testing::TestWithParam<Compression> {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("compression_test_") + test->name();
    std::replace(name.begin(), name.end(), '/', '_');
    folder_ = fs::path(testing::TempDir()) / name;
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Write(std::string_view bytes) const {
    const std::string path = (folder_ / "x").string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static std::string Pack(std::string_view text) { return Packed(GetParam(), text); }
  fs::path folder_;
};

TEST_P(CompressionTest, AFileIsReadAsWhatWasCompressed) {
  const std::string text = LongText();
  const std::string path = Write(Pack(text));
  EXPECT_LT(fs::file_size(path), text.size());
  EXPECT_EQ(*ReadWholeFile(path), text);
  const auto file = InputFile::Open(path);
  EXPECT_EQ(file->compression(), GetParam());
}

TEST_P(CompressionTest, TheFilesOwnBytesAreToBeHad) {
  const std::string packed = Pack("text");
  auto file = InputFile::OpenPacked(Write(packed));
  std::string bytes(100, 0);
  const auto n = file->Read(std::as_writable_bytes(std::span(bytes)));
  EXPECT_EQ(bytes.substr(0, *n), packed);
  EXPECT_EQ(file->size(), packed.size());
}

TEST_P(CompressionTest, PartsInARowAreOneContent) {
  EXPECT_EQ(*ReadWholeFile(Write(Pack("one ") + Pack("") + Pack("two"))), "one two");
}

TEST_P(CompressionTest, ZerosBehindTheContentAreFilling) {
  EXPECT_EQ(*ReadWholeFile(Write(Pack("one") + std::string(300'000, 0))), "one");
}

TEST_P(CompressionTest, OtherBytesBehindTheContentAreAnErrorWithTheirPlace) {
  const std::string packed = Pack("one");
  const auto read = ReadWholeFile(Write(packed + std::string(5, 0) + "xyz"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kMalformed);
  const std::string place = "byte " + std::to_string(packed.size() + 5);
  EXPECT_THAT(read.error().ToString(), HasSubstr((folder_ / "x").string() + ": " + place));
}

TEST_P(CompressionTest, NothingGoesOnBehindTheFilling) {
  for (const size_t zeros : {size_t{3}, size_t{300'000}}) {
    const std::string packed = Pack("one") + std::string(zeros, 0);
    const auto read = ReadWholeFile(Write(packed + Pack("two")));
    ASSERT_FALSE(read) << zeros;
    EXPECT_THAT(read.error().ToString(), HasSubstr("byte " + std::to_string(packed.size()) + ": "));
  }
}

TEST_P(CompressionTest, AFileCutOffAnywhereIsAnErrorWithItsEnd) {
  const std::string packed = Pack("some text that is some text");
  for (size_t length = kCompressionMagic; length < packed.size(); ++length) {
    const auto read = ReadWholeFile(Write(packed.substr(0, length)));
    ASSERT_FALSE(read) << length;
    EXPECT_THAT(read.error().ToString(), HasSubstr("byte " + std::to_string(length) + ": "));
    EXPECT_THAT(read.error().message, HasSubstr("cut off"));
  }
}

TEST_P(CompressionTest, WhatIsThereOfAFileThatIsCutOffCanBeRead) {
  std::string text;
  std::mt19937 random(7);
  for (int i = 0; i < 100'000; ++i) text.push_back(static_cast<char>('a' + random() % 20));
  const std::string packed = Pack(text);
  const auto read_all = [](InputFile& file) {
    std::string content(4096, ' ');
    for (size_t done = 0;; content.resize(done + 4096)) {
      const auto n = file.ReadSome(std::as_writable_bytes(std::span(content)).subspan(done));
      done += n.value_or(0);
      if (!n || *n == 0) return content.substr(0, done);
    }
  };
  for (const size_t missing : {size_t{1}, size_t{5}, packed.size() / 4, packed.size() - 8}) {
    InputFile file = InputFile::Open(Write(packed.substr(0, packed.size() - missing))).value();
    const std::string content = read_all(file);
    EXPECT_TRUE(file.is_cut_off()) << missing;
    EXPECT_EQ(content, text.substr(0, content.size()));
    if (GetParam() == Compression::kGzip && missing < 8) EXPECT_EQ(content.size(), text.size());
  }
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(damaged[packed.size() / 2] ^ 0x55);
  damaged[packed.size() - 2] = static_cast<char>(damaged[packed.size() - 2] ^ 0x55);
  for (const std::string& other : {packed, damaged}) {
    InputFile file = InputFile::Open(Write(other)).value();
    EXPECT_EQ(read_all(file) == text, other == packed);
    EXPECT_FALSE(file.is_cut_off());
  }
}

TEST_P(CompressionTest, DamageIsAnErrorOrWithoutEffect) {
  const std::string text = "some text that is some text";
  const std::string packed = Pack(text);
  for (size_t at = kCompressionMagic; at < packed.size(); ++at) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const auto read = ReadWholeFile(Write(damaged));
    if (read) {
      EXPECT_EQ(*read, text) << at;  // of gzip's header the time and the system
    } else {
      EXPECT_EQ(read.error().code, ErrorCode::kMalformed);
      EXPECT_THAT(read.error().ToString(), HasSubstr(": byte ")) << at;
    }
  }
}

TEST_P(CompressionTest, WhatIsWrittenCanBeRead) {
  const std::string path = (folder_ / "out").string();
  const std::string text = LongText();
  auto file = OutputFile::Create(path, IfExists::kFail).value();
  file.WriteThrough(MakePacking(GetParam()).value());
  for (size_t at = 0; at < text.size(); at += 50'000) {
    ASSERT_TRUE(file.Write(std::string_view(text).substr(at, 50'000)));
  }
  ASSERT_TRUE(file.Commit());
  EXPECT_EQ(InputFile::Open(path)->compression(), GetParam());
  EXPECT_EQ(*ReadWholeFile(path), text);
}

TEST_P(CompressionTest, AGuessAtTheSizeIsKnownBeforehand) {
  const std::string text = LongText();
  const uint64_t guessed = InputFile::Open(Write(Pack(text)))->size();
  EXPECT_GE(guessed, text.size());
  EXPECT_LE(guessed, 8 * text.size());
}

#ifdef SYNCLINE_HAVE_ZSTD
const auto kKinds = testing::Values(Compression::kGzip, Compression::kZstd);
#else
const auto kKinds = testing::Values(Compression::kGzip);
#endif
INSTANTIATE_TEST_SUITE_P(Kinds, CompressionTest, kKinds, [](const auto& kind) {
  return kind.param == Compression::kGzip ? "gzip" : "zstd";
});

TEST(Compression, IsToldByTheFirstBytes) {
  const auto of = [](std::string_view head) {
    return CompressionOf(std::as_bytes(std::span(head)));
  };
  EXPECT_EQ(of("\x1f\x8b\x08\x00"), Compression::kGzip);
  EXPECT_EQ(of("\x28\xb5\x2f\xfd"), Compression::kZstd);
  EXPECT_EQ(of("\x1f\x8b"), Compression::kNone);
  EXPECT_EQ(of("text"), Compression::kNone);
  EXPECT_EQ(of(""), Compression::kNone);
}

}  // namespace
}  // namespace syncline
