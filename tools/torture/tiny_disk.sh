#!/bin/sh
# Runs a program in this folder as if that stood on a file system of its own with so few bytes:
#     unshare -m tiny_disk.sh BYTES PROGRAM ARGUMENT...
# What stands here goes there first, and what stands there afterwards comes back. Exit code: the program's, or 97
# where no file system can be mounted. TEMPORARY_THERE=1: temporary storage is there as well.
here=$PWD
bytes=$1
shift
kept=$(mktemp -d "$here.kept.XXXXXX") || exit 97
cp -a . "$kept" || exit 97
mount -t tmpfs -o "size=$bytes" tmpfs "$here" || exit 97
cd "$here" && cp -a "$kept/." . || exit 97
if [ "$TEMPORARY_THERE" = 1 ]; then
  mkdir temporary
  TMPDIR=$here/temporary "$@"
  code=$?
  rmdir temporary  # a folder that is not empty stays, and is found
else
  "$@"
  code=$?
fi
rm -rf "$kept" && cp -a . "$kept" && cd / && umount "$here" || exit 97
cd "$here" && find . -mindepth 1 -delete && cp -a "$kept/." . && rm -rf "$kept" || exit 97
exit $code
