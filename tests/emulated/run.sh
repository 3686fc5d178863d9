#!/bin/sh
# run.sh PROGRAM [ARGUMENT...] [-- PROGRAM ...]: runs programs of a build, in sequence, on an
# emulated Sapphire Rapids. It has instruction sets that this host may not support: AVX-VNNI,
# AVX-512 and its VNNI. Fails if one program fails. The emulator has one processor, which executes a
# hundred million instructions a second. Do not measure speed with it.
#
# Bochs boots a Linux that contains only the programs and their libraries. Both come from Debian 13
# (Debian 12's Bochs does not support AVX-VNNI) and are stored in TPUTWIN_EMULATOR (build/emulator).
# TPUTWIN_DEBIAN_MIRROR names their mirror; the default is the mirror of this system's apt.
set -eu

fail() { echo "${0##*/}: $*" >&2; exit 1; }
[ $# -ge 1 ] || fail "usage: run.sh PROGRAM [ARGUMENT...] [-- PROGRAM ...]"

kept=${TPUTWIN_EMULATOR:-build/emulator}
debian=$kept/debian
if [ ! -e "$debian/complete" ]; then
  . "$(dirname "$0")/../../cmake/debian-mirror.sh"
  mkdir -p "$kept"
  rm -rf "$debian"
  mmdebstrap --quiet --variant=extract \
    --include=bochs-term,bochsbios,vgabios,busybox-static,isolinux,syslinux-common,linux-image-cloud-amd64 \
    trixie "$debian" "$mirror"
  touch "$debian/complete"
fi
debian=$(cd "$debian" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The guest has busybox, the programs and their libraries.
guest=$work/guest
for folder in bin lib lib64 proc sys dev tmp; do mkdir -p "$guest/$folder"; done
cp "$debian/usr/bin/busybox" "$guest/bin/"
put() {  # put FILE FOLDER: copies a file without its debug information
  [ -e "$2/${1##*/}" ] || { cp -L "$1" "$2/" && strip --strip-unneeded "$2/${1##*/}"; }
}
put /lib64/ld-linux-x86-64.so.2 "$guest/lib64"
commands="" is_program=yes
for word; do
  if [ "$word" = -- ]; then
    commands="$commands; result \$?
" is_program=yes
  elif [ $is_program = yes ]; then
    put "$word" "$guest/bin"
    for library in $(ldd "$word" | grep -o '/[^ ]*\.so[^ ]*'); do put "$library" "$guest/lib"; done
    commands="$commands/bin/${word##*/}" is_program=no
  else
    commands="$commands '$word'"
  fi
done
cat >"$guest/init" <<END
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
exec >/dev/ttyS0 2>&1
export LD_LIBRARY_PATH=/lib GTEST_COLOR=no
status=0
result() { [ \$1 = 0 ] || status=\$1; }
cd /tmp
$commands; result \$?
echo "emulated: exit status \$status"
sleep 1
poweroff -f
END
chmod +x "$guest/init"

# Linux boots from this disc. It must ignore some features that the emulated processor reports. The
# processor has fast short copies (FSRM), but not the fast copies that Linux requires with them. And
# AMX gives wrong products of signed bytes in Bochs 3.0, for every shape of tiles.
disc=$work/disc
mkdir -p "$disc/isolinux"
(cd "$guest" && find . | cpio --quiet -o -H newc) >"$disc/initrd"
cp "$debian"/boot/vmlinuz-* "$disc/vmlinuz"
cp "$debian/usr/lib/ISOLINUX/isolinux.bin" "$debian/usr/lib/syslinux/modules/bios/ldlinux.c32" "$disc/isolinux/"
cat >"$disc/isolinux/isolinux.cfg" <<END
DEFAULT programs
LABEL programs
 KERNEL /vmlinuz
 INITRD /initrd
 APPEND console=ttyS0 quiet mitigations=off nokaslr tsc=reliable lpj=1000000 idle=halt hpet=disable clearcpuid=fsrm,amx_tile,amx_int8,amx_bf16
END
xorriso -as mkisofs -quiet -o "$work/disc.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot \
  -boot-load-size 4 -boot-info-table "$disc" 2>/dev/null

cat >"$work/bochsrc" <<END
cpu: model=sapphire_rapids, exclude_features="la57 uintr", count=1, ips=100000000, reset_on_triple_fault=0
memory: guest=2048, host=2048
romimage: file=$debian/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=$debian/usr/share/vgabios/vgabios.bin
display_library: rfb, options="timeout=0"
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=$work/disc.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/serial
sound: driver=dummy
log: $work/log
panic: action=fatal
error: action=ignore
info: action=ignore
clock: sync=none
END
libraries=$debian/usr/lib/x86_64-linux-gnu
touch "$work/serial"
LTDL_LIBRARY_PATH=$libraries/bochs/plugins BXSHARE=$debian/usr/share/bochs \
  "$debian/usr/lib64/ld-linux-x86-64.so.2" --library-path "$libraries" "$debian/usr/bin/bochs-bin" \
  -q -f "$work/bochsrc" </dev/null >"$work/printed" 2>&1 &
tail -f -n +1 --pid=$! "$work/serial" | sed -u 's|\r$||'
grep -q '^emulated: exit status 0' "$work/serial" || { tail -n 5 "$work/printed" "$work/log" >&2; exit 1; }
