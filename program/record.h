// The plan record's bytes (docs/plan-record.md) <-> Program::record and Method::plan. Used by
// read.cc and write.cc.
#pragma once

#include <cstddef>
#include <span>

#include "contract/result.h"
#include "program/program.h"

namespace berth::program {

// REQUIRES: a valid, placed program with a record and a plan for every method.
Bytes write_record(const Program& program);

}  // namespace berth::program
