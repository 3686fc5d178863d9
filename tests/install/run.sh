#!/bin/sh
# run.sh BUILD WORK: installs BUILD below WORK and moves the installed tree. Then builds and runs
# examples with it: with a Makefile in the vendor's style, with CMake, with pkg-config, and
# statically.
set -eu
build=$1
work=$2
here=$(cd "$(dirname "$0")" && pwd)
examples=$here/../../examples

rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/first" >"$work/install.log"
sdk=$work/sdk
# Files must not depend on the prefix of the installation.
mv "$work/first" "$sdk"

step() { echo "== $*"; }

step vendor Makefile
make -s -f "$here/vendor/Makefile" SDK="$sdk" SOURCE="$examples/bmkernel/tensor_add.cpp" \
  PROGRAM="$work/vendor"
LD_LIBRARY_PATH=$sdk/lib "$work/vendor"

step CMake
cmake -S "$here/cmake" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$sdk" -DEXAMPLES="$examples" \
  >"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
cmake --build "$work/cmake" >>"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
"$work/cmake/streams"
"$work/cmake/streams_static"
"$work/cmake/write_bmodel" "$work/tiny.bmodel"
"$work/cmake/inference" "$work/tiny.bmodel"

export PKG_CONFIG_PATH="$sdk/lib/pkgconfig"
step pkg-config, C99
$CC -std=c99 -Wall -Wextra -Werror $CFLAGS "$examples/bmkernel/matmul.c" -o "$work/pkgconfig" \
  $(pkg-config --cflags --libs bmruntime) -Wl,-rpath,"$sdk/lib" $LDFLAGS
"$work/pkgconfig"

step pkg-config, static
$CXX -std=c++11 $CXXFLAGS "$examples/bmkernel/tensor_add.cpp" -o "$work/static" \
  $(pkg-config --cflags --libs bmruntime-static) $LDFLAGS
"$work/static"
if ldd "$work/static" | grep -E 'libbm|libtputwin'; then
  echo "the static program loads tputwin's shared libraries"
  exit 1
fi

step BMNet with customized layers, pkg-config
$CXX -std=c++11 -shared -fPIC $CXXFLAGS "$examples/bmnet/custom_lenet/elu_plugin.cpp" \
  -o "$work/ELU.so" $(pkg-config --cflags --libs cpu-plugin) $LDFLAGS
$CXX -std=c++11 $CXXFLAGS "$examples/bmnet/custom_lenet/main.cpp" -o "$work/custom_lenet" \
  $(pkg-config --cflags --libs bmnet) -Wl,-rpath,"$sdk/lib" $LDFLAGS

# Builds the vendor's example, linked with the libraries that the documents name.
bmnet=$work/bmnet
mkdir -p "$bmnet/plugins/x86_64"
includes="-I$sdk/include -I$sdk/include/bmnet"
step "BMNet, the vendor's example"
$CXX -std=c++11 -shared -fPIC $CXXFLAGS $includes "$here/bmnet/elu.cpp" \
  -o "$bmnet/plugins/x86_64/ELU.so" -L"$sdk/lib" -lcpu-plugin -lprotobuf -lglog $LDFLAGS
$CXX -std=c++11 $CXXFLAGS $includes "$here/bmnet/main.cpp" -o "$bmnet/custom" \
  -L"$sdk/lib" -lbmnet -lbmkernel -lbmodel -lglog -lgflags -lprotobuf -lpthread \
  -Wl,-rpath,"$sdk/lib" $LDFLAGS
(cd "$bmnet" && ./custom --net net.bmodel plugins)
"$sdk/bin/tputwin" run "$bmnet/net.bmodel" --input "$bmnet/in.bin" --compare "$bmnet/expected.bin"

# Builds the same program with its own messages, in which layers have one more parameter.
own=$work/own
cp -r "$here/own_messages" "$own"
cp "$here/bmnet/main.cpp" "$own"
sed 's/^message LayerParameter {/message SteepParameter { optional float alpha = 1; }\n&\n  optional SteepParameter steep_param = 10050;/' \
  "$sdk/include/bmnet/bmnet_caffe.proto" >"$own/bmnet_caffe.proto"
own_net() { # own_net PROGRAM: writes the net with PROGRAM and compares its results
  (cd "$bmnet" && rm -f net.bmodel && "$1" --net net.bmodel plugins)
  "$sdk/bin/tputwin" run "$bmnet/net.bmodel" --input "$bmnet/in.bin" --compare "$bmnet/expected.bin"
}
step BMNet with messages of the program, make
make -s -C "$own" SDK="$sdk" CXX="$CXX $CXXFLAGS" LDFLAGS="$LDFLAGS"
own_net "$own/custom"

step BMNet with messages of the program, CMake
cmake -S "$own" -B "$work/own-cmake" -DCMAKE_PREFIX_PATH="$sdk" \
  >"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
cmake --build "$work/own-cmake" >>"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
own_net "$work/own-cmake/custom"

step BMNet with messages of the program, pkg-config
mkdir -p "$own/include/bmnet"
protoc -I "$own" --cpp_out="$own/include/bmnet" bmnet_caffe.proto
# The messages must also compile with these flags. The object file is the one that make built.
$CXX -std=c++11 $CXXFLAGS -DOWN_MESSAGES -I"$own/include" $(pkg-config --cflags bmnet) -fsyntax-only \
  "$own/include/bmnet/bmnet_caffe.pb.cc"
$CXX -std=c++11 $CXXFLAGS -DOWN_MESSAGES -I"$own/include" "$own/main.cpp" "$own/bmnet_caffe.pb.o" \
  -o "$own/pkgconfig" $(pkg-config --cflags --libs bmnet) -rdynamic -Wl,-rpath,"$sdk/lib" $LDFLAGS
own_net "$own/pkgconfig"

step BMNet with messages of the program, with other numbers
mkdir -p "$own/other/bmnet"
# Code that is optimized for size takes half the time to compile.
sed 's/elu_param = 10040/elu_param = 10041/; s/^syntax = .*/&\noption optimize_for = CODE_SIZE;/' "$own/bmnet_caffe.proto" >"$own/other/bmnet_caffe.proto"
protoc -I "$own/other" --cpp_out="$own/other/bmnet" bmnet_caffe.proto
$CXX -std=c++11 $CXXFLAGS -DOWN_MESSAGES -I"$own/other" "$own/main.cpp" \
  "$own/other/bmnet/bmnet_caffe.pb.cc" -o "$own/otherwise" $(pkg-config --cflags --libs bmnet) \
  -Wl,-rpath,"$sdk/lib" $LDFLAGS
if (cd "$bmnet" && "$own/otherwise" plugins) 2>"$work/otherwise.txt"; then exit 1; fi
grep 'LayerParameter.elu_param = 10041, here 10040' "$work/otherwise.txt"

step BMNet without glog
$CXX -std=c++11 -Wall -Wextra -Werror $CXXFLAGS $includes "$here/bmnet/flags.cpp" \
  -o "$bmnet/flags" $LDFLAGS
"$bmnet/flags" --count=7 --quick file --name twin --ratio=0.25

# Builds a project of device/*.c and host/*.cpp, in the three ways of docs/okkernel.md.
okkernel=$work/okkernel
cp -r "$here/okkernel" "$okkernel"
step OKKernel, make
PATH=$sdk/bin:$PATH make -s -C "$okkernel" CC="$CC $CFLAGS" CXX="$CXX $CXXFLAGS $LDFLAGS"
"$okkernel/build/scale"
"$okkernel/build/fill"

step OKKernel, CMake
cmake -S "$okkernel" -B "$work/okkernel-cmake" -DCMAKE_PREFIX_PATH="$sdk" \
  -DCMAKE_BUILD_TYPE=Release >"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
cmake --build "$work/okkernel-cmake" >>"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
"$work/okkernel-cmake/scale"
"$work/okkernel-cmake/fill"

step OKKernel, pkg-config
for kernel in scale fill; do
  $CC -std=gnu99 $CFLAGS $(pkg-config --cflags bmlib) -c "$okkernel/device/$kernel.c" \
    -o "$work/$kernel.o"
done
$CXX -std=c++11 $CXXFLAGS "$okkernel/host/scale.cpp" "$work/scale.o" "$work/fill.o" \
  -o "$work/okkernel-pkgconfig" $(pkg-config --cflags --libs bmlib) -Wl,-rpath,"$sdk/lib" $LDFLAGS
"$work/okkernel-pkgconfig"

# Builds a host that loads its kernels as a module, in the three ways of docs/tpukernel.md. It
# passes --as-needed, as some compilers do. libtpukernel must still be linked, and the device must
# be a BM1684X.
tpukernel=$work/tpukernel
mkdir -p "$tpukernel"
as_needed=-Wl,--as-needed
step TPUKernel modules, tputwin-config
config="$sdk/bin/tputwin-config tpukernel"
$CC -std=gnu99 $CFLAGS -fPIC -shared "$here/tpukernel/kernel.c" -o "$tpukernel/kernels.so" \
  $as_needed $($config --cflags --libs) $LDFLAGS
$CC -std=gnu99 $CFLAGS "$here/tpukernel/host.c" -o "$tpukernel/host" $as_needed \
  $($config --cflags --libs) $LDFLAGS
"$tpukernel/host" "$tpukernel/kernels.so"

step TPUKernel modules, pkg-config
$CC -std=gnu99 $CFLAGS "$here/tpukernel/host.c" -o "$tpukernel/host-pkgconfig" $as_needed \
  $(pkg-config --cflags --libs tpukernel) -Wl,-rpath,"$sdk/lib" $LDFLAGS
"$tpukernel/host-pkgconfig" "$tpukernel/kernels.so"

step TPUKernel modules, CMake
cmake -S "$here/tpukernel" -B "$work/tpukernel-cmake" -DCMAKE_PREFIX_PATH="$sdk" \
  >"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
cmake --build "$work/tpukernel-cmake" >>"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
"$work/tpukernel-cmake/host" "$work/tpukernel-cmake/kernels.so"

step TPUKernel modules, without libtpukernel
$CC -std=gnu99 $CFLAGS "$here/tpukernel/host.c" -o "$tpukernel/host-bmlib" \
  $("$sdk/bin/tputwin-config" bmlib --cflags --libs) $LDFLAGS
TPUTWIN_CHIP=BM1684X "$tpukernel/host-bmlib" "$tpukernel/kernels.so"
if "$tpukernel/host-bmlib" "$tpukernel/kernels.so" 2>"$work/chip.txt"; then exit 1; fi
grep -e 'TW-BML-0310.*no-as-needed' "$work/chip.txt"

recorded=$here/../conformance/bm168x/bm1684x
step bmrt in C, tputwin-config
$CC -std=c99 -Wall -Wextra -Werror $CFLAGS "$examples/bmrt/run_net.c" -o "$work/run_net" \
  $("$sdk/bin/tputwin-config" bmrt --cflags --libs) $LDFLAGS
"$work/run_net" "$recorded/nets-lenet-int8.bmodel"

step bmrt in C++, pkg-config
$CXX -std=c++11 -Wall -Wextra -Werror $CXXFLAGS "$examples/bmrt/network.cpp" -o "$work/network" \
  $(pkg-config --cflags --libs bmrt) -Wl,-rpath,"$sdk/lib" $LDFLAGS
"$work/network" "$recorded/nets-stages.bmodel"

# Finds the installation as bindings for Python do: with find_package(libsophon), and -lbmrt
# -lbmlib.
step bmrt, libsophon and a Python module, CMake
cmake -S "$here/bmrt" -B "$work/bmrt-cmake" -DCMAKE_PREFIX_PATH="$sdk" \
  >"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
cmake --build "$work/bmrt-cmake" >>"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
"$work/bmrt-cmake/engine" "$recorded/nets-lenet-int8.bmodel"
python3 "$here/bmrt/engine.py" "$work/bmrt-cmake/libengine.so" "$recorded/nets-lenet-int8.bmodel"

# Runs the commands of pages with the installed tree.
here_paths="/usr/share/doc/tputwin/examples/models=$here/../../models /usr/share/doc/tputwin/examples=$examples"
export PATH="$sdk/bin:$PATH" PYTHONPATH="$sdk/lib/python3/dist-packages" CMAKE_PREFIX_PATH="$sdk"
step docs/start.md
mkdir -p "$work/start"
if [ -d "$PYTHONPATH/tputwin" ]; then
  # The module is for Debian's Python.
  python=/usr/bin/python3
else
  # A build with sanitizers has no module.
  python=:
fi
"$here/run_page.py" "$here/../../docs/start.md" "$work/start" $here_paths "python3 <<=$python <<"
step docs/bmkernel.md
mkdir -p "$work/bmkernel-page"
"$here/run_page.py" "$here/../../docs/bmkernel.md" "$work/bmkernel-page" $here_paths
step docs/course.md
mkdir -p "$work/course-page"
"$here/run_page.py" "$here/../../docs/course.md" "$work/course-page" $here_paths
for page in onnx compiler168x; do
  step "docs/$page.md"
  mkdir -p "$work/$page-page"
  "$here/run_page.py" "$here/../../docs/$page.md" "$work/$page-page" $here_paths
done
step docs/ci.md
cp -r "$examples/ci" "$work/ci"
"$here/run_page.py" "$here/../../docs/ci.md" "$work/ci"
cmp "$examples/ci/cycles.json" "$work/ci/cycles.json"

for tool in "$sdk"/bin/*; do
  [ -e "$tool" ] || continue
  step "$(basename "$tool") --help"
  "$tool" --help >"$work/help.txt" || { cat "$work/help.txt"; exit 1; }
done
