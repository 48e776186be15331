# Checks slug.sh: a title, and the part of a link that it must become.
check() {
  got=$(printf '%s\n' "$1" | sh slug.sh)
  [ "$got" = "$2" ] && return
  echo "FAIL: '$1' became '$got', not '$2'"
  exit 1
}
check 'Moby Dick' 'moby-dick'
check 'The  Old   Man' 'the-old-man'
echo 'ok: 2 titles'
