# Builds for 64-bit ARM on Debian; the tests run under qemu-user. scripts/test.sh arm64 downloads
# the libraries.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

get_filename_component(arm64_root ${CMAKE_CURRENT_LIST_DIR}/../../build-arm64/libraries ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${arm64_root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${arm64_root}/usr/lib/aarch64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${arm64_root})
set(CMAKE_C_FLAGS_INIT "-isystem ${arm64_root}/usr/include/aarch64-linux-gnu")

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu
    -E LD_LIBRARY_PATH=${arm64_root}/usr/lib/aarch64-linux-gnu:${arm64_root}/lib/aarch64-linux-gnu)
