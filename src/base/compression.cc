#include "base/compression.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <zlib.h>
#ifdef SYNCLINE_HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/try.h"

namespace syncline {
namespace {

constexpr size_t kPackedBlock = size_t{1} << 17;  // bytes of the compressed file at a time

constexpr std::array kGzipMagic = {std::byte{0x1f}, std::byte{0x8b}};
constexpr std::array kZstdMagic = {std::byte{0x28}, std::byte{0xb5}, std::byte{0x2f},
                                   std::byte{0xfd}};

bool StartsWith(std::span<const std::byte> bytes, std::span<const std::byte> magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

struct DecoderStep {
  size_t consumed = 0;
  size_t produced = 0;
  bool is_at_end = false;  // of a member or frame
};

class GzipDecoder {
 public:
  static constexpr std::string_view kName = "gzip";

  GzipDecoder() { is_open_ = ::inflateInit2(&stream_, 15 + 16) == Z_OK; }
  ~GzipDecoder() {
    if (is_open_) ::inflateEnd(&stream_);
  }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  bool is_open() const { return is_open_; }
  // The message where the data is damaged.
  tl::expected<DecoderStep, std::string> Step(std::span<const std::byte> packed,
                                              std::span<std::byte> to) {
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = static_cast<uInt>(std::min<size_t>(to.size(), UINT32_MAX));
    const uInt room = stream_.avail_out;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      place_of_error_ = packed.size() - stream_.avail_in;
      return tl::unexpected(
          std::string(stream_.msg != nullptr ? stream_.msg : "cannot be unpacked"));
    }
    return DecoderStep{packed.size() - stream_.avail_in, room - stream_.avail_out,
                       status == Z_STREAM_END};
  }
  size_t place_of_error() const { return place_of_error_; }
  void Restart() { ::inflateReset(&stream_); }
  static bool Continues(std::span<const std::byte> packed) {
    return packed[0] == kGzipMagic[0] && (packed.size() < 2 || packed[1] == kGzipMagic[1]);
  }

 private:
  z_stream stream_ = {};
  bool is_open_ = false;
  size_t place_of_error_ = 0;
};

#ifdef SYNCLINE_HAVE_ZSTD
class ZstdDecoder {
 public:
  static constexpr std::string_view kName = "zstd";

  ZstdDecoder() : stream_(::ZSTD_createDStream()) {}
  ~ZstdDecoder() { ::ZSTD_freeDStream(stream_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  bool is_open() const { return stream_ != nullptr; }
  tl::expected<DecoderStep, std::string> Step(std::span<const std::byte> packed,
                                              std::span<std::byte> to) {
    ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
    ZSTD_outBuffer out = {to.data(), to.size(), 0};
    const size_t left = ::ZSTD_decompressStream(stream_, &out, &in);
    if (::ZSTD_isError(left) != 0) {
      place_of_error_ = in.pos;
      return tl::unexpected(std::string(::ZSTD_getErrorName(left)));
    }
    return DecoderStep{in.pos, out.pos, left == 0};
  }
  size_t place_of_error() const { return place_of_error_; }
  // The library goes on with the next frame by itself.
  void Restart() {}
  // A frame with data, or one to be skipped: their numbers end in other bytes.
  static bool Continues(std::span<const std::byte> packed) {
    const auto first = std::to_integer<unsigned>(packed[0]);
    return first == 0x28 || (first & 0xf0) == 0x50;
  }

 private:
  ZSTD_DStream* stream_;
  size_t place_of_error_ = 0;
};
#endif

template <typename Decoder>
class UnpackingBy : public Unpacking {
 public:
  explicit UnpackingBy(std::string path) : path_(std::move(path)) {}

  bool is_open() const { return decoder_.is_open(); }

  Result<size_t> ReadSome(std::span<std::byte> to, const ReadPacked& read) override {
    while (!to.empty()) {
      if (packed_.empty() && !has_output_ && !Fill(read)) return tl::unexpected(*error_);
      if (packed_.empty() && !has_begun_) return size_t{0};
      if (!has_begun_ && !BeginNext()) {
        if (error_) return tl::unexpected(*error_);
        continue;  // zeros behind the last member
      }
      if (packed_.empty() && is_at_file_end_ && !has_output_) return CutOff();
      auto step = decoder_.Step(packed_, to);
      if (!step) return Damaged(decoder_.place_of_error(), step.error());
      packed_ = packed_.subspan(step->consumed);
      offset_ += step->consumed;
      // A full buffer may leave more to come of what was read already.
      has_output_ = step->produced == to.size();
      if (step->is_at_end) {
        has_begun_ = false;
        has_output_ = false;
        decoder_.Restart();
        any_ended_ = true;
      }
      if (step->produced > 0) return step->produced;
    }
    return size_t{0};
  }
  bool HasOutput() const override { return has_output_ || !packed_.empty(); }
  bool is_cut_off() const override { return is_cut_off_; }

 private:
  // False at an error.
  bool Fill(const ReadPacked& read) {
    if (is_at_file_end_) return true;
    auto n = read(buffer_);
    if (!n) {
      error_ = n.error();
      return false;
    }
    is_at_file_end_ = *n == 0;
    packed_ = std::span<const std::byte>(buffer_).first(*n);
    return true;
  }

  // False where what follows the last member is filling, or an error.
  bool BeginNext() {
    if (!any_ended_ || (!is_filling_ && Decoder::Continues(packed_))) return has_begun_ = true;
    const auto other = std::ranges::find_if(packed_, [](std::byte b) { return b != std::byte{0}; });
    if (other != packed_.end()) {
      error_ =
          Damaged(static_cast<size_t>(other - packed_.begin()), "something else follows its end")
              .value();
      return false;
    }
    is_filling_ = true;
    offset_ += packed_.size();
    packed_ = {};
    return false;
  }

  tl::unexpected<Error> CutOff() {
    is_cut_off_ = true;
    return Fail(ErrorCode::kMalformed,
                std::string("the ") + std::string(Decoder::kName) + " data is cut off", path_,
                ByteOffset{offset_});
  }
  tl::unexpected<Error> Damaged(size_t further, const std::string& why) const {
    return Fail(ErrorCode::kMalformed,
                std::string("the ") + std::string(Decoder::kName) + " data is damaged: " + why,
                path_, ByteOffset{offset_ + further});
  }

  std::string path_;
  Decoder decoder_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kPackedBlock);
  std::span<const std::byte> packed_;  // read, not yet unpacked
  uint64_t offset_ = 0;                // of packed_ in the file
  bool has_begun_ = false;             // a member or frame
  bool any_ended_ = false;
  bool is_filling_ = false;  // what comes now must be zeros
  bool has_output_ = false;
  bool is_at_file_end_ = false;
  bool is_cut_off_ = false;
  std::optional<Error> error_;
};

class GzipPacking : public Packing {
 public:
  GzipPacking() {
    is_open_ = ::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                              Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~GzipPacking() override {
    if (is_open_) ::deflateEnd(&stream_);
  }
  bool is_open() const { return is_open_; }

  Result<void> Write(std::span<const std::byte> bytes, const WritePacked& write) override {
    return Run(bytes, Z_NO_FLUSH, write);
  }
  Result<void> End(const WritePacked& write) override { return Run({}, Z_FINISH, write); }

 private:
  Result<void> Run(std::span<const std::byte> bytes, int flush, const WritePacked& write) {
    do {
      const size_t part = std::min<size_t>(bytes.size(), size_t{1} << 30);
      stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(part);
      do {
        stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
        stream_.avail_out = static_cast<uInt>(buffer_.size());
        ::deflate(&stream_, flush);
        const size_t made = buffer_.size() - stream_.avail_out;
        SYNCLINE_TRY(write(std::span<const std::byte>(buffer_).first(made)));
      } while (stream_.avail_out == 0);
      bytes = bytes.subspan(part);
    } while (!bytes.empty());
    return {};
  }

  z_stream stream_ = {};
  bool is_open_ = false;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kPackedBlock);
};

#ifdef SYNCLINE_HAVE_ZSTD
class ZstdPacking : public Packing {
 public:
  ZstdPacking() : stream_(::ZSTD_createCStream()) {
    if (stream_ != nullptr) ::ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdPacking() override { ::ZSTD_freeCStream(stream_); }
  bool is_open() const { return stream_ != nullptr; }

  Result<void> Write(std::span<const std::byte> bytes, const WritePacked& write) override {
    return Run(bytes, ZSTD_e_continue, write);
  }
  Result<void> End(const WritePacked& write) override { return Run({}, ZSTD_e_end, write); }

 private:
  Result<void> Run(std::span<const std::byte> bytes, ZSTD_EndDirective mode,
                   const WritePacked& write) {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    for (bool is_done = false; !is_done;) {
      ZSTD_outBuffer out = {buffer_.data(), buffer_.size(), 0};
      const size_t left = ::ZSTD_compressStream2(stream_, &out, &in, mode);
      if (::ZSTD_isError(left) != 0) {
        return Fail(ErrorCode::kUnreadable,
                    std::string("cannot compress: ") + ::ZSTD_getErrorName(left));
      }
      SYNCLINE_TRY(write(std::span<const std::byte>(buffer_).first(out.pos)));
      is_done = mode == ZSTD_e_end ? left == 0 : in.pos == in.size;
    }
    return {};
  }

  ZSTD_CStream* stream_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kPackedBlock);
};
#endif

template <typename Made, typename Interface, typename... Arguments>
Result<std::unique_ptr<Interface>> MakeOpen(const Arguments&... arguments) {
  auto made = std::make_unique<Made>(arguments...);
  if (!made->is_open()) {
    return Fail(ErrorCode::kUnreadable, "there is no memory for compressed data");
  }
  return made;
}

[[maybe_unused]] tl::unexpected<Error> NoZstd(const std::string& path) {
  return Fail(ErrorCode::kUnsupported,
              "is compressed with zstd, which this build cannot read: libzstd was missing", path);
}

}  // namespace

Compression CompressionOf(std::span<const std::byte> head) {
  if (StartsWith(head, kGzipMagic) && head.size() > 2 && head[2] == std::byte{8}) {
    return Compression::kGzip;
  }
  return StartsWith(head, kZstdMagic) ? Compression::kZstd : Compression::kNone;
}

bool MayBeCompressed(std::span<const std::byte> head) {
  const auto agrees = [&](std::span<const std::byte> magic) {
    const size_t n = std::min(head.size(), magic.size());
    return std::equal(head.begin(), head.begin() + static_cast<ptrdiff_t>(n), magic.begin());
  };
  return head.size() < kCompressionMagic && (agrees(kGzipMagic) || agrees(kZstdMagic));
}

Result<std::unique_ptr<Unpacking>> MakeUnpacking(Compression compression, const std::string& path) {
  if (compression == Compression::kGzip) {
    return MakeOpen<UnpackingBy<GzipDecoder>, Unpacking>(path);
  }
#ifdef SYNCLINE_HAVE_ZSTD
  return MakeOpen<UnpackingBy<ZstdDecoder>, Unpacking>(path);
#else
  return NoZstd(path);
#endif
}

Result<std::unique_ptr<Packing>> MakePacking(Compression compression) {
  if (compression == Compression::kNone) return std::unique_ptr<Packing>();
  if (compression == Compression::kGzip) return MakeOpen<GzipPacking, Packing>();
#ifdef SYNCLINE_HAVE_ZSTD
  return MakeOpen<ZstdPacking, Packing>();
#else
  return NoZstd("");
#endif
}

Compression CompressionOfName(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::kGzip;
  return path.ends_with(".zst") ? Compression::kZstd : Compression::kNone;
}

Result<OutputFile> CreateAsNamed(const std::string& path, IfExists if_exists) {
  SYNCLINE_ASSIGN(auto packing, MakePacking(CompressionOfName(path)));
  SYNCLINE_ASSIGN(auto output, OutputFile::Create(path, if_exists));
  output.WriteThrough(std::move(packing));
  return output;
}

uint64_t LikelyUnpackedSize(Compression compression, std::span<const std::byte> first,
                            std::span<const std::byte> last, uint64_t size) {
  constexpr uint64_t kUsualRatio = 8;
  if (compression == Compression::kGzip && last.size() == 4) {
    uint32_t modulo = 0;  // of 2^32, in little-endian order
    for (size_t i = 4; i-- > 0;) modulo = modulo << 8 | std::to_integer<uint32_t>(last[i]);
    // Beyond what deflate can, it is none: the file is cut off.
    constexpr uint64_t kMostRatio = 1032;
    if (modulo / kMostRatio <= size) return std::max<uint64_t>(modulo, size);
  }
#ifdef SYNCLINE_HAVE_ZSTD
  if (compression == Compression::kZstd) {
    const unsigned long long stated = ::ZSTD_getFrameContentSize(first.data(), first.size());
    if (stated != ZSTD_CONTENTSIZE_UNKNOWN && stated != ZSTD_CONTENTSIZE_ERROR) {
      return std::max<uint64_t>(stated, size);
    }
  }
#else
  static_cast<void>(first);
#endif
  return kUsualRatio * size;
}

}  // namespace syncline
