// Reads handwritten digits with the compiled model, the way a firmware would: every byte the
// runtime works in is a static array, and the sizes come from the header that `berth compile
// --header` wrote. Shows one digit, then the accuracy over all held-out images, and compares every
// output byte with what TensorFlow Lite Micro's reference kernels gave.
//
//   digits_classify digits.pte FOLDER-WITH-THE-HELD-OUT-IMAGES
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "examples/digits/digits_memory.h"  // written by `berth compile --header`
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/runtime.h"

namespace {

using namespace berth;
using namespace berth::runtime;

constexpr int kSide = 8;
constexpr size_t kPixels = BERTH_DIGITS_INPUT0_BYTES;
constexpr size_t kClasses = BERTH_DIGITS_OUTPUT0_BYTES;
static_assert(kPixels == kSide * kSide, "one byte per pixel");

// All the memory there is: what the compiler counted, to the byte.
alignas(BERTH_DIGITS_POOL_MAIN_ALIGNMENT) uint8_t main_pool[BERTH_DIGITS_POOL_MAIN_BYTES];
alignas(BERTH_DIGITS_METHOD_ALIGNMENT) uint8_t method_memory[BERTH_DIGITS_METHOD_BYTES_HOST64];

// 16-aligned, as Program::open wants a file's first byte.
struct alignas(16) Block {
  char bytes[16];
};

[[noreturn]] void stop(const std::string& what) {
  std::fprintf(stderr, "error: %s\n", what.c_str());
  std::exit(1);
}

std::vector<char> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) stop(path + ": cannot read");
  return {std::istreambuf_iterator<char>(in), {}};
}

void require(Status status, const char* what, const LoadFault& fault = {}) {
  if (status == Status::kOk) return;
  stop(std::string(what) + ": " + status_words(status) + " " + fault.field + ", need " +
       std::to_string(fault.need) + ", have " + std::to_string(fault.have));
}

void show(const int8_t* image) {
  const char* shades = " .:-=+*#%@";
  for (int y = 0; y < kSide; ++y) {
    std::printf("    ");
    for (int x = 0; x < kSide; ++x) {
      const char shade = shades[(image[y * kSide + x] + 128) * 9 / 255];
      std::printf("%c%c", shade, shade);
    }
    std::printf("\n");
  }
}

size_t best(const int8_t* scores) {
  return static_cast<size_t>(std::max_element(scores, scores + kClasses) - scores);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) stop("usage: digits_classify digits.pte FOLDER");
  const std::string folder = std::string(argv[2]) + "/";
  const std::vector<char> file = read_file(argv[1]);
  const std::vector<char> images = read_file(folder + "heldout.bin");
  const std::vector<char> expected = read_file(folder + "expected.bin");
  std::ifstream label_text(folder + "heldout_labels.txt");
  const std::vector<size_t> labels(std::istream_iterator<size_t>(label_text), {});
  const size_t count = labels.size();
  if (count == 0 || images.size() != count * kPixels || expected.size() != count * kClasses) {
    stop(folder + ": images, expected outputs and labels are not equally many");
  }
  std::vector<Block> aligned(file.size() / sizeof(Block) + 1);
  std::memcpy(aligned.data(), file.data(), file.size());

  // Open, load, run: no call below allocates.
  LoadFault fault;
  Program program;
  const auto* bytes = reinterpret_cast<const uint8_t*>(aligned.data());
  require(program.open({bytes, file.size()}, &fault), "open", fault);
  const Span<const Kernel> kernels[] = {cortex_m_kernels()};
  const PoolMemory pools[] = {{1, main_pool}};
  Method method;
  require(method.load(program, "forward", {kernels}, {method_memory, pools}, &fault), "load",
          fault);

  size_t right = 0;
  size_t same = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto* image = reinterpret_cast<const int8_t*>(&images[i * kPixels]);
    require(method.set_input(0, image, kPixels), "input");
    require(method.execute(), "run");
    const auto* scores = method.output(0).tensor->as<int8_t>();
    if (i == 0) {
      show(image);
      std::printf("    this is a %zu, says the model (%d of 256)\n\n", best(scores),
                  scores[best(scores)] + 128);
    }
    right += best(scores) == labels[i] ? 1 : 0;
    same += std::memcmp(scores, &expected[i * kClasses], kClasses) == 0 ? 1 : 0;
  }
  const double percent = 100.0 * static_cast<double>(right) / static_cast<double>(count);
  std::printf("right: %zu of %zu held-out digits, %.1f %%\n", right, count, percent);
  std::printf("same bytes as TensorFlow Lite Micro: %zu of %zu\n", same, count);
  return same == count && percent >= 96 ? 0 : 1;
}
