#!/bin/sh
# test.sh FOLDER: runs programs in FOLDER on an emulated processor (run.sh). They compare its
# instruction sets with the reference kernels. The script takes half an hour.
set -eu
bin=$1
here=$(dirname "$0")
differential="$bin/test_differential"

"$here/run.sh" "$bin/on_target" --list \
  -- "$bin/test_vectors" --gtest_brief=1 \
  -- "$bin/test_ops" --gtest_brief=1 \
  -- "$differential" '--gtest_filter=Every/ChainTiles*:*ranspose*:HalfRow*:Unaligned*:TypicalLayers*' \
  -- "$bin/test_machine" '--gtest_filter=Every/Plans.*/avx512_vnni:Every/PlansBm1684.*/avx512_vnni:Every/DeferredSums.*/avx512_vnni' \
  -- "$differential" --cases 60 --isa onednn --only conv2d_bm1880 \
  -- "$differential" --cases 12 --isa avx512_vnni \
  -- "$differential" --cases 12 --isa avx2_vnni \
  -- "$differential" --cases 12 --isa avx512
