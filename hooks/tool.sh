#!/bin/sh
# Says that a tool was used: a sign of life.
event=tool
stream=yes
post=${0%/*}/post.sh
[ "$post" != "$0/post.sh" ] || post=./post.sh
if [ -r "$post" ]; then . "$post"; else echo "exomonad: $post is missing; the hook $event says nothing." >&2; fi
