# Cross-compiling for a Cortex-M: cmake --toolchain cmake/arm_none_eabi.cmake -DBERTH_CPU=cortex-m4
# Only device code is built then (CMakeLists.txt). The flags of a processor stand in firmware/image.py, which links.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
