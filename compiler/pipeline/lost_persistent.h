// What a file without its plan record loses.
#pragma once

namespace berth {

// Only the record tells a backend's persistent memory from the outputs before it. The note's place
// names the backend.
inline constexpr char kLostPersistent[] =
    "has persistent memory, which a runtime cannot find without the plan record; what --strip "
    "wrote "
    "may not load";

}  // namespace berth
