#!/bin/bash
# habits.sh BIN: tests conventions of the commands. Shells must accept the completion, and man must
# format the manual pages. Also tests suggestions, colours, JSON and exit codes.
set -eu
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "habits.sh: $*" >&2; exit 1; }

"$bin/tputwin" --help-as bash >"$work/tputwin.bash"
complete_line() { # complete_line WORDS...: prints bash's completions of the last word
  bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tputwin; printf "%s\n" "${COMPREPLY[@]}"' \
    bash "$work/tputwin.bash" "$@"
}
[ "$(complete_line tputwin comp)" = compile ] || fail "tputwin comp does not complete to compile"
complete_line tputwin run --la | grep -qx -- --latency || fail "run --la does not complete to --latency"
[ "$(complete_line tputwin compile --level wei)" = weight ] || fail "the values of --level are not completed"
[ "$(complete_line tputwin kernel li)" = list ] || fail "subcommands are not completed"
if command -v zsh >/dev/null; then
  "$bin/tputwin" --help-as zsh >"$work/_tputwin"
  zsh -n "$work/_tputwin"
fi
if command -v man >/dev/null; then
  "$bin/tputwin" --help-as man >"$work/tputwin.1"
  warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ= MANWIDTH=100 man --warnings -E UTF-8 -l -Tutf8 -Z "$work/tputwin.1" 2>&1 >/dev/null)
  [ -z "$warnings" ] || fail "man warns: $warnings"
fi

refused() { # refused EXPECTED ARGUMENTS...: requires exit code 2 and the expected text
  local expected=$1 status=0
  shift
  "$bin/tputwin" "$@" 2>"$work/error" || status=$?
  [ "$status" = 2 ] || fail "tputwin $*: exit code $status"
  grep -qF -- "$expected" "$work/error" || fail "tputwin $*: $(cat "$work/error")"
}
refused "did you mean compile?" comple
refused "did you mean --input?" run --inptu x
refused "did you mean list?" kernel lst
refused "net.bmodel is no report to write" timing --json net.bmodel

# Errors have colours in a terminal, unless NO_COLOR has a value.
colours() { TERM=xterm script -qec "$1 '$bin/tputwin' info missing.bmodel" /dev/null </dev/null | grep -c $'\x1b\[1;31m'; }
if command -v script >/dev/null; then
  [ "$(colours "")" = 1 ] || fail "no colour in a terminal"
  [ "$(colours "NO_COLOR=1" || true)" = 0 ] || fail "colour despite NO_COLOR"
fi

# The help of each command must have examples and exit codes. Each command must have --json, unless
# its result is JSON, a file, or a dialogue.
"$bin/tputwin" --help-as json | python3 -c '
import json, sys
def ends(command):
    return sum(map(ends, command["commands"]), []) if command["commands"] else [command]
for command in ends(json.load(sys.stdin)):
    name, text = command["name"].removeprefix("tputwin "), command["help"]
    assert "Example" in text and "Exit codes: 0 ok" in text, f"{name} has no examples or exit codes in its help"
    has = any("--json" in option["names"] for option in command["options"])
    assert has != (name in ("print", "record", "pack", "debug")), f"{name} --json"
' || fail "the help of a command lacks something"

for command in chips "errors --json" "errors --json TW-MOD-0101"; do
  case $command in chips) command="chips --json" ;; esac
  # shellcheck disable=SC2086
  "$bin/tputwin" $command | python3 -m json.tool >/dev/null || fail "$command does not print JSON"
done
status=0
"$bin/tputwin" info missing.bmodel 2>/dev/null || status=$?
[ "$status" = 3 ] || fail "a file that cannot be read: exit code $status"
chips=$("$bin/tputwin" chips | sed -n 's/^name *//p' | paste -sd, | sed 's/,/, /g')
case $chips in BM1880,*) ;; *) fail "the first chip is not the BM1880: $chips" ;; esac
"$bin/tputwin" --version | grep -qx "chips    $chips" || fail "--version does not print the chips"
