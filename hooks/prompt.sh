#!/bin/sh
# Says that a turn began; the ids of messages in the JSON's prompt confirm that they arrived.
event=prompt
post=${0%/*}/post.sh
[ "$post" != "$0/post.sh" ] || post=./post.sh
if [ -r "$post" ]; then . "$post"; else echo "exomonad: $post is missing; the hook $event says nothing." >&2; fi
