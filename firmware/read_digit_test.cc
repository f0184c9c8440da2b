// The example as a firmware would use it: three pictures, and what is on them.
#include "examples/firmware/read_digit.h"

#include "firmware/semihosting.h"
#include "firmware/startup.h"

extern "C" {
extern const uint8_t PICTURES[];
}

namespace berth::firmware {

void run_image() {
  if (load_digits() != 0) stop(Outcome::kLoadStatus);
  for (int i = 0; i < 3; ++i) {
    print_all("a ",
              static_cast<uint32_t>(read_digit(reinterpret_cast<const int8_t*>(PICTURES) + i * 64)),
              "\n");
  }
}

}  // namespace berth::firmware
