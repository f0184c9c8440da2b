// What the letters of an operator's schema (contract/operators.h) take in the ir.
#pragma once

#include "compiler/ir/ir.h"

namespace berth::ir {

// "an int or none": what an argument of this letter must be.
const char* kind_words(char letter);

// "a list of ints": what an argument is.
const char* arg_words(const Arg& arg);

bool fits_letter(const Arg& arg, char letter);

}  // namespace berth::ir
