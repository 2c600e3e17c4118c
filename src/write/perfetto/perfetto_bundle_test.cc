#include "write/perfetto/perfetto_bundle.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/file.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

void WriteWhole(const std::string& path, std::string_view text) {
  auto file = OutputFile::Create(path, IfExists::kReplace);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->Write(text));
  ASSERT_TRUE(file->Commit());
}

std::string ReadWhole(const std::string& path) {
  auto file = InputFile::Open(path);
  if (!file) return "cannot open " + path;
  std::string text(1 << 16, '\0');
  text.resize(*file->Read(std::as_writable_bytes(std::span(text))));
  return text;
}

TEST(PerfettoBundle, TarUnpacksItsFilesAndTheManifestNamesThem) {
  const std::string folder = testing::TempDir() + "bundle";
  fs::remove_all(folder);
  fs::create_directories(folder + "/a");
  fs::create_directories(folder + "/out");
  const std::string first(513, '1');
  WriteWhole(folder + "/r \"1\".json", first);
  WriteWhole(folder + "/a/r \"1\".json", "");
  const BundledFile files[] = {{folder + "/r \"1\".json", "host\n", -5},
                               {folder + "/a/r \"1\".json", "b", 0}};
  std::string bytes;
  ASSERT_TRUE(WritePerfettoBundle(files, 1, ByteSink([&](std::string_view block) {
                                    bytes += block;
                                    return Result<void>();
                                  })));
  EXPECT_EQ(bytes.size() % 512, 0U);
  WriteWhole(folder + "/bundle.tar", bytes);
  ASSERT_EQ(std::system(("tar -xf " + folder + "/bundle.tar -C " + folder + "/out").c_str()), 0);
  EXPECT_EQ(ReadWhole(folder + "/out/r__1_.json"), first);
  EXPECT_EQ(ReadWhole(folder + "/out/1-r__1_.json"), "");
  EXPECT_EQ(ReadWhole(folder + "/out/perfetto_manifest.json"),
            "{\"perfetto_manifest\": {\"version\": 1, \"files\": [\n"
            "  {\"path\": \"r__1_.json\", \"machine\": {\"name\": \"host\\u000a\"}, \"clocks\": "
            "{\"sync_to\": {\"file\": \"1-r__1_.json\"}, \"offset_ns\": -5}},\n"
            "  {\"path\": \"1-r__1_.json\", \"machine\": {\"name\": \"b\"}}\n]}}\n");
}

TEST(PerfettoBundle, AFileThatIsNotThereIsNamed) {
  const BundledFile files[] = {{"/nowhere/at/all.json", "a", 0}};
  const auto done =
      WritePerfettoBundle(files, 0, ByteSink([](std::string_view) { return Result<void>(); }));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().file, "/nowhere/at/all.json");
}

}  // namespace
}  // namespace syncline
