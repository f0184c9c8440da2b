# fmt for a build of another word size than the installed library has: its headers alone.
find_path(fmt_INCLUDE_DIR fmt/format.h REQUIRED)
if(NOT TARGET fmt::fmt)
  add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
  target_include_directories(fmt::fmt INTERFACE "${fmt_INCLUDE_DIR}")
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
endif()
set(fmt_FOUND TRUE)
