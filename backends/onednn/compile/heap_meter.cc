#include "backends/onednn/compile/heap_meter.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BERTH_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define BERTH_SANITIZED 1
#endif
#endif
#if defined(__GLIBC__) && !defined(BERTH_SANITIZED)
#define BERTH_COUNTS_HEAP 1
#endif

namespace berth::onednn {
namespace {

std::atomic<bool> g_counts{false};
std::atomic<uint64_t> g_blocks{0};
std::atomic<uint64_t> g_bytes{0};

}  // namespace

void count_aligned_block(size_t bytes) {
  if (!g_counts.load(std::memory_order_relaxed)) return;
  g_blocks.fetch_add(1, std::memory_order_relaxed);
  g_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

HeapMeter::HeapMeter() {
  g_blocks = g_bytes = 0;
  g_counts = true;
}
HeapMeter::~HeapMeter() { g_counts = false; }

std::optional<HeapCount> HeapMeter::count() const {
#ifdef BERTH_COUNTS_HEAP
  return HeapCount{g_blocks.load(), g_bytes.load()};
#else
  return {};
#endif
}

std::optional<uint64_t> measure_heap(const Op& op, const Primitive& primitive) {
  using dnnl::memory;
  try {
    std::unordered_map<int, memory> arguments;
    const auto add = [&](int what, const memory::desc& desc) {
      if (desc.is_zero()) return;
      const memory& made = arguments[what] = memory(desc, cpu_engine());
      std::memset(made.get_data_handle(), 0, desc.get_size());
    };
    add(DNNL_ARG_SRC, desc_of(op.src));
    add(DNNL_ARG_DST, desc_of(op.dst));
    if (op.kind == static_cast<uint32_t>(Kind::kBinary)) add(DNNL_ARG_SRC_1, desc_of(op.other));
    if (op.kind == static_cast<uint32_t>(Kind::kMatmul)) add(DNNL_ARG_WEIGHTS, desc_of(op.other));
    if (op.kind == static_cast<uint32_t>(Kind::kConvolution))
      add(DNNL_ARG_WEIGHTS, primitive.weights);
    add(DNNL_ARG_BIAS, bias_desc(op));
    add(DNNL_ARG_SCRATCHPAD, primitive.desc.query_md(dnnl::query::scratchpad_md));
    for (size_t i = 0; i < op.posts.size(); ++i) {
      if (op.posts[i].input < 0) continue;
      add(DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i)) | DNNL_ARG_SRC_1, desc_of(op.dst));
    }
    const dnnl::primitive made(primitive.desc.get());
    dnnl::stream stream(cpu_engine());
    made.execute(stream, arguments);
    stream.wait();
    const HeapMeter meter;
    made.execute(stream, arguments);
    stream.wait();
    const std::optional<HeapCount> count = meter.count();
    return count ? std::optional(count->bytes) : std::nullopt;
  } catch (const dnnl::error&) {
    return {};
  }
}

}  // namespace berth::onednn

#ifdef BERTH_COUNTS_HEAP
extern "C" {
void* __libc_memalign(size_t, size_t);  // NOLINT: glibc's name

int posix_memalign(void** out, size_t alignment, size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
    return EINVAL;
  void* const block = __libc_memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  berth::onednn::count_aligned_block(size);
  *out = block;
  return 0;
}
}
#endif
