#include "tools/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace berth::tools {
namespace {

std::string reason() { return std::strerror(errno); }

// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  // False when the system could not keep what was written.
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

// A hint: nothing is lost where the system does not take it. REQUIRES: nothing is in `bytes` yet.
void prefer_large_pages(const Bytes& bytes) {
  constexpr uintptr_t kPage = uintptr_t{1} << 21;
  const auto address = reinterpret_cast<uintptr_t>(bytes.data());
  const uintptr_t begin = (address + kPage - 1) / kPage * kPage;
  const uintptr_t end = (address + bytes.capacity()) / kPage * kPage;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

// One call may write less than asked, and no more than about 2 GiB.
bool write_all(int fd, const Bytes& bytes) {
  constexpr size_t kChunk = size_t{1} << 30;
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::write(fd, bytes.data() + done, std::min(kChunk, bytes.size() - done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

// A pipe or a device cannot be replaced by a rename; there a write is all there is. Nor can what a
// descriptor's name leads to, though it may be a regular file: others hold it open.
bool is_special(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) return true;
  return path == "/dev/stdout" || path == "/dev/stderr" || path.rfind("/dev/fd/", 0) == 0 ||
         path.rfind("/proc/", 0) == 0;
}

// Without links and detours, so that one file has one name. Of a file that is not there yet too.
std::string resolved(const std::string& path) {
  std::error_code failed;
  std::filesystem::path real = path;
  // A link to nothing yet; the system follows as many.
  for (int links = 0; links < 40 && std::filesystem::is_symlink(real, failed); ++links)
    real = real.parent_path() / std::filesystem::read_symlink(real, failed);
  real = std::filesystem::weakly_canonical(real, failed);
  return failed ? path : real.string();
}

// Standard output is written where it stands, behind what the command has printed.
Descriptor open_special(const std::string& path) {
  const bool is_stdout = path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
  if (!is_stdout) return Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  std::fflush(stdout);
  return Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
}

}  // namespace

Result<Bytes> read_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return Error{"", "cannot open: " + reason()};
  struct stat info;
  if (::fstat(file.get(), &info) != 0) return Error{"", "cannot read: " + reason()};
  if (S_ISDIR(info.st_mode)) return Error{"", "is a folder; a file is wanted"};
  if (S_ISCHR(info.st_mode)) return Error{"", "is a device, which need not end; a file is wanted"};
  Bytes bytes;
  constexpr size_t kStep = size_t{1} << 20;
  constexpr size_t kMostOfPipe = size_t{1} << 30;  // it may never end
  const bool is_file = S_ISREG(info.st_mode);
  const size_t expected = is_file ? static_cast<size_t>(info.st_size) : 0;
  size_t done = 0;
  // A large file goes into large pages: with small ones, making them takes longer than reading
  // does.
  bytes.reserve(std::max(expected + 1, size_t{4096}));
  prefer_large_pages(bytes);
  // One byte more than expected, so that the last read sees the end without growing the buffer.
  bytes.resize(std::max(expected + 1, size_t{4096}));
  for (;;) {
    if (!is_file && done > kMostOfPipe) {
      return Error{"", "does not end within 1 GiB; a file is wanted"};
    }
    if (done == bytes.size()) bytes.resize(bytes.size() + std::max(bytes.size() / 2, kStep));
    const size_t want = std::min(bytes.size() - done, size_t{1} << 30);
    const ssize_t count = ::read(file.get(), bytes.data() + done, want);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error{"", "cannot read: " + reason()};
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

Bytes as_bytes(std::string_view text) {
  Bytes bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

std::string file_stem(const std::string& path) {
  const size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const size_t dot = name.rfind('.');
  if (dot != std::string::npos && dot > 0) name.resize(dot);
  return name;
}

void OutputFiles::add(std::string path, Bytes bytes) {
  files_.push_back({std::move(path), std::move(bytes), "", ""});
}

MaybeError OutputFiles::check_paths() const {
  for (size_t i = 0; i < files_.size(); ++i) {
    const File& file = files_[i];
    if (file.path.empty()) return Error{"", "cannot write: an output has an empty name"};
    if (is_special(file.path)) continue;
    for (size_t j = 0; j < i; ++j) {
      if (file.place == files_[j].place)
        return Error{file.path, "is named for two outputs; give each its own file"};
    }
    for (const std::string& path : kept_) {
      if (!path.empty() && resolved(path) == file.place)
        return Error{file.path, "is read by this command too; give the output another name"};
    }
  }
  return std::nullopt;
}

MaybeError OutputFiles::commit() {
  for (File& file : files_) file.place = resolved(file.path);
  if (MaybeError error = check_paths()) return error;
  for (File& file : files_) {
    if (is_special(file.path)) continue;
    const std::string temporary = file.place + ".tmp" + std::to_string(::getpid());
    Descriptor out(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (out.get() < 0) {
      const Error error{file.path, "cannot write: " + reason()};
      remove_temporaries();
      return error;
    }
    file.temporary = temporary;
    if (!write_all(out.get(), file.bytes) || !out.close()) {
      const Error error{file.path, "cannot write: " + reason()};
      remove_temporaries();
      return error;
    }
  }
  // Pipes and devices before the renames: a write may fail, and a folder may stand there.
  for (File& file : files_) {
    if (!file.temporary.empty()) continue;
    Descriptor out = open_special(file.path);
    if (out.get() < 0 || !write_all(out.get(), file.bytes) || !out.close()) {
      const Error error{file.path, "cannot write: " + reason()};
      remove_temporaries();
      return error;
    }
  }
  for (File& file : files_) {
    if (!file.temporary.empty() && std::rename(file.temporary.c_str(), file.place.c_str()) != 0) {
      const Error error{file.path, "cannot write: " + reason()};
      remove_temporaries();
      return error;
    }
    file.temporary.clear();
  }
  files_.clear();
  return std::nullopt;
}

void OutputFiles::remove_temporaries() {
  for (File& file : files_) {
    if (!file.temporary.empty()) ::unlink(file.temporary.c_str());
    file.temporary.clear();
  }
}

}  // namespace berth::tools
