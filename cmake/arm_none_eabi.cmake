# Cross-compiling for a Cortex-M: cmake --toolchain cmake/arm_none_eabi.cmake -DCMAKE_CXX_FLAGS=...
# Only device code is built then (CMakeLists.txt). The flags of a processor stand in firmware/image.py, which builds and links.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
