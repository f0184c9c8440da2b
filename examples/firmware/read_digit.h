// A model in a firmware: load once, then ask. For C too.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// 0, or the Status (contract/status.h) that loading ended with.
uint8_t load_digits(void);  // NOLINT(modernize-redundant-void-arg): C

// The digit on a picture of 8 x 8 pixels, -128 (empty) to 127; -1 when it could not be run.
int read_digit(const int8_t* picture);

#ifdef __cplusplus
}
#endif
