# debian-mirror.sh: sets the variable mirror for scripts that source this file. It is
# TPUTWIN_DEBIAN_MIRROR, or the mirror that this system's apt uses.
mirror=${TPUTWIN_DEBIAN_MIRROR:-$(apt-get indextargets --format '$(SITE)' "Created-By: Packages" 2>/dev/null |
  grep '/debian/*$' | head -n 1)}
mirror=${mirror%/}
[ -n "$mirror" ] || { echo "${0##*/}: set TPUTWIN_DEBIAN_MIRROR: apt has no mirror of Debian here" >&2; exit 1; }
