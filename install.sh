#!/bin/sh
# Installs ccc: builds it (or takes a built binary), puts it into a directory of programs, and
# wires the Stop hook. See --help.
set -eu

usage() {
  cat <<'EOF'
Usage: ./install.sh [--bin FILE] [--bin-dir DIR] [--no-wire]
       ./install.sh --uninstall [--purge] [--bin-dir DIR]

Installs ccc and adds its hook to Claude Code's settings. Safe to run again.

  --bin FILE      install this binary instead of building from source with cargo
  --bin-dir DIR   directory to install into (default: ~/.local/bin)
  --no-wire       install the binary only, leave all settings alone
  --uninstall     take the hook out of the settings and remove the binary
  --purge         with --uninstall: remove ccc's config, state and history, too
  -h, --help      print this text
EOF
}

say() { printf '%s\n' "$*"; }

# What went wrong, and exit 1.
fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

# Wrong words on the command line, and exit 64.
misused() {
  printf 'install.sh: %s (see --help)\n' "$*" >&2
  exit 64
}

# Whether the argument is a directory on PATH.
on_path() {
  case ":${PATH:-}:" in
    *:"$1":*) return 0 ;;
    *) return 1 ;;
  esac
}

# The argument as an absolute path.
absolute() {
  case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s/%s\n' "$(pwd)" "$1" ;;
  esac
}

# The argument in single quotes, for a shell to read.
quoted() {
  printf "'%s'\n" "$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")"
}

# Builds from the source beside this script; leaves the binary's path in $bin.
build() {
  source_dir=$(cd "$(dirname "$0")" && pwd)
  [ -f "$source_dir/Cargo.toml" ] || fail "there is no source beside this script; give a binary with --bin FILE"
  command -v cargo >/dev/null 2>&1 ||
    fail "cargo is not found; install Rust (rustup.rs), or give a binary with --bin FILE"
  say "building ccc with cargo, this takes a few minutes"
  target=${CARGO_TARGET_DIR:-$source_dir/target}
  target=$(absolute "$target")
  (cd "$source_dir" && cargo build --release --locked --target-dir "$target") || fail "the build failed; nothing was installed"
  bin=$target/release/ccc
}

# Copies $bin to $program by rename: a hook that runs meanwhile keeps the old file.
place() {
  mkdir -p -- "$bin_dir" || fail "cannot create \`$bin_dir\`; choose another with --bin-dir DIR"
  [ ! -d "$program" ] || fail "\`$program\` is a directory; remove it, or choose another place with --bin-dir DIR"
  temp=$bin_dir/.ccc-install-$$
  trap 'rm -f -- "$temp"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  cp -- "$bin" "$temp" || fail "cannot write into \`$bin_dir\`; choose another with --bin-dir DIR"
  chmod 755 -- "$temp"
  "$temp" --version >/dev/null 2>&1 || fail "\`$bin\` does not run on this machine; nothing was installed"
  mv -f -- "$temp" "$program"
  trap - EXIT INT TERM HUP
}

install_ccc() {
  if [ -n "$bin" ]; then
    [ -f "$bin" ] || fail "\`$bin\` is not a file"
  else
    build
  fi
  if [ -f "$program" ] && cmp -s -- "$bin" "$program" && [ -x "$program" ]; then
    say "\`$program\` is up to date"
  else
    place
    say "installed \`$program\`"
  fi
  if [ "$wire" = yes ]; then
    "$program" install || fail "the binary is installed, but the hook is not; mend what is said above, then run: $(quoted "$program") install"
  else
    say "settings are left alone; wire the hook with: $(quoted "$program") install"
  fi
  if ! on_path "$bin_dir"; then
    say "\`$bin_dir\` is not on your PATH; the hook works without, but to type \`ccc\` add this line to your shell's profile:"
    say "  export PATH=$(quoted "$bin_dir"):\"\$PATH\""
  fi
  undo="$(quoted "$(absolute "$0")") --uninstall"
  [ "$bin_dir" = "$default_dir" ] || undo="$undo --bin-dir $(quoted "$bin_dir")"
  say "undo all of this with: $undo"
}

uninstall_ccc() {
  if [ ! -f "$program" ]; then
    say "there is no \`$program\`; nothing was changed"
    return
  fi
  set -- uninstall
  [ "$purge" = no ] || set -- "$@" --purge
  "$program" "$@" || fail "the hook could not be taken out, so \`$program\` stays; mend what is said above, then try again"
  rm -f -- "$program" || fail "cannot remove \`$program\`"
  say "removed \`$program\`"
  [ "$purge" = yes ] || say "config and history stay in \`${CCC_HOME:-${CLAUDE_CONFIG_DIR:-$HOME/.claude}/ccc}\`"
}

bin='' bin_dir='' wire=yes action=install purge=no
while [ $# -gt 0 ]; do
  case $1 in
    --bin) [ -n "${2:-}" ] || misused "--bin needs a file"; bin=$2; shift ;;
    --bin=?*) bin=${1#--bin=} ;;
    --bin-dir) [ -n "${2:-}" ] || misused "--bin-dir needs a directory"; bin_dir=$2; shift ;;
    --bin-dir=?*) bin_dir=${1#--bin-dir=} ;;
    --no-wire) wire=no ;;
    --uninstall) action=uninstall ;;
    --purge) purge=yes ;;
    -h | --help) usage; exit 0 ;;
    *) misused "what is \`$1\`?" ;;
  esac
  shift
done

[ "$purge" = no ] || [ "$action" = uninstall ] || misused "--purge goes with --uninstall"
default_dir=${HOME:+$HOME/.local/bin}
bin_dir=${bin_dir:-$default_dir}
[ -n "$bin_dir" ] || fail "HOME is not set; set it, or give --bin-dir DIR"
bin_dir=$(absolute "$bin_dir")
program=$bin_dir/ccc
[ -z "$bin" ] || bin=$(absolute "$bin")

case $action in
  install) install_ccc ;;
  uninstall) uninstall_ccc ;;
esac
