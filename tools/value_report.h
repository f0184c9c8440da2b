// Values of a run as people and scripts see them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/run_value.h"

namespace berth::tools {

// "f32[2x3]: 1 2 3 4 5 6", "int 3". Of long tensors the first elements.
std::string value_line(const RunValue& value);

// {"dtype", "shape", "bytes"} of a tensor, {"value"} of anything else.
nlohmann::ordered_json value_json(const RunValue& value);

// Indented, and sound JSON whatever bytes stand in texts.
std::string dump_json(const nlohmann::ordered_json& json);

}  // namespace berth::tools
