// What a build asks for: -Os, or anything else.
#pragma once

namespace berth::runtime {

// What costs bytes to save instructions is left out of a build for size.
#ifdef __OPTIMIZE_SIZE__
constexpr bool kForSpeed = false;
#else
constexpr bool kForSpeed = true;
#endif

}  // namespace berth::runtime
