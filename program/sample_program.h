// A program for tests that has one of everything the format can hold: every kind of value,
// instruction and storage, two methods, two chains, delegates, state, named data, a device arena, a
// stack trace, a plan record.
#pragma once

#include "program/program.h"

namespace berth::program {

// Valid and placed. What the pieces do makes no sense as a computation.
Program sample_program();

// One method that adds two planned inputs: the least that a stock runtime runs.
Program add_program();

}  // namespace berth::program
