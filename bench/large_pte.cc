// Makes a large .pte of a small one for timing: every constant gets TIMES as many bytes, its own
// ones over and over. What comes out is sound to every reader, though no kernel would take its
// shapes.
//
//   large_pte IN.pte OUT.pte TIMES
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "program/read.h"
#include "program/write.h"

namespace {

using namespace berth;
namespace pte = berth::program;

// Not those that are scalars or seen in parts.
void lengthen(pte::Program& program, int32_t times) {
  std::vector<bool> longer(program.constants.size());
  for (pte::Method& method : program.methods) {
    for (pte::Value& value : method.values) {
      pte::Tensor* tensor = value.tensor();
      if (tensor == nullptr || tensor->storage < 0) continue;
      pte::Storage& storage = method.storages[static_cast<size_t>(tensor->storage)];
      if (storage.kind != pte::StorageKind::kConstant || tensor->sizes.empty()) continue;
      if (tensor->offset != 0 || pte::tensor_nbytes(*tensor) != storage.nbytes) continue;
      tensor->sizes[0] *= times;
      storage.nbytes *= static_cast<uint64_t>(times);
      longer[static_cast<size_t>(storage.data)] = true;
    }
  }
  for (size_t i = 0; i < longer.size(); ++i) {
    if (!longer[i]) continue;
    const pte::Blob& once = program.constants[i];
    pte::Bytes bytes;
    for (int32_t n = 0; n < times; ++n) bytes.insert(bytes.end(), once.begin(), once.end());
    program.constants[i] = std::move(bytes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(in), {}};
  Result<pte::Program> program = pte::read(std::as_bytes(std::span(file)));
  if (!program.ok()) {
    std::fprintf(stderr, "large_pte: %s: cannot be read\n", argv[1]);
    return 1;
  }
  lengthen(program.value(), std::atoi(argv[3]));
  const Result<pte::Bytes> bytes = pte::write(program.value());
  if (!bytes.ok()) return 1;
  std::ofstream out(argv[2], std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.value().data()),
            static_cast<std::streamsize>(bytes.value().size()));
  return out ? 0 : 1;
}
