// Instruction sets that scratch sizes and kernels are made for, and the ABI that the runtime's own
// records are counted for.
#pragma once

#include <cstdint>

namespace berth {

// The numbers stand in the plan record: append only.
enum class Isa : uint8_t {
  kHost = 0,    // a workstation: kernels need no scratch
  kScalar = 1,  // Cortex-M0, M0+, M3, M23
  kDsp = 2,     // Cortex-M4, M7, M33, M35P
  kMve = 3,     // Cortex-M52, M55, M85
  // In the plan record of a file that someone else compiled: nobody says what its scratch sizes
  // were computed for. Every machine takes it; kernels check the sizes that they are given.
  kUnstated = 4,
};
constexpr int kIsaCount = 5;

// Sizes of pointers and of the runtime's records (contract/runtime_sizes.h).
enum class Abi : uint8_t { kHost64 = 0, kArm32 = 1 };
constexpr int kAbiCount = 2;

constexpr const char* isa_name(Isa isa) {
  constexpr const char* kNames[kIsaCount] = {"host", "scalar", "dsp", "mve", "unstated"};
  return kNames[static_cast<int>(isa)];
}

constexpr const char* abi_name(Abi abi) { return abi == Abi::kHost64 ? "host64" : "arm32"; }

// The instruction set that this translation unit is compiled for.
#if defined(__ARM_FEATURE_MVE)
constexpr Isa kBuildIsa = Isa::kMve;
#elif defined(__ARM_FEATURE_DSP) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
constexpr Isa kBuildIsa = Isa::kDsp;
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
constexpr Isa kBuildIsa = Isa::kScalar;
#else
constexpr Isa kBuildIsa = Isa::kHost;
#endif

}  // namespace berth
