// The archive of a module (`.bira`): the text form with large bytes beside it, for models whose
// weights nobody wants to read as hex. A zip file: `module.bir`, then `blobs/0`, `blobs/1`, ...,
// none of them compressed. docs/bir.md describes it.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/ir/ir.h"
#include "contract/result.h"

namespace berth::ir {

// Whether the file is a zip that names a module, sound or not; other archives (.pt2) are zips too.
bool is_archive(const Bytes& file);

// Errors name the entry, or the line of the text. Nothing is unpacked, so a file never becomes more
// than its own size but for what its text says (parse).
Result<Module> read_archive(const Bytes& file);

// Equal bytes stand in it once. The same module, the same bytes. Fails above 4 GiB.
Result<Bytes> write_archive(const Module& module);

}  // namespace berth::ir
