// The model and its cases as firmware/image.py puts them into an image (image_data.s).
#pragma once

#include <cstdint>

extern "C" {
extern const uint8_t MODEL_BEGIN[], MODEL_END[], INPUTS_BEGIN[], INPUTS_END[], ANSWERS_BEGIN[],
    ANSWERS_END[];
}
