// A model in a firmware: load once, then ask.
#pragma once

#include <cstdint>

// 0, or the Status (contract/status.h) that loading ended with.
uint8_t load_digits();

// The digit on a picture of 8 x 8 pixels, -128 (empty) to 127; -1 when it could not be run.
int read_digit(const int8_t* picture);
