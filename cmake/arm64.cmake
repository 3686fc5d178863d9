# Cross-builds for 64-bit Arm Linux with Debian's compiler. The arm64 libraries are installed next
# to the host's (multiarch), and programs run under qemu. arm64-packages.txt lists the packages.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -cpu cortex-a53)
# A Cortex-A53 has no instructions for dot products.
set(TPUTWIN_EMULATOR_OF_DOT_PRODUCTS qemu-aarch64-static -cpu max)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
