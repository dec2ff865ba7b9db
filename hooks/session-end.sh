#!/bin/sh
# Says that the agent's session ended.
event=session-end
post=${0%/*}/post.sh
[ "$post" != "$0/post.sh" ] || post=./post.sh
if [ -r "$post" ]; then . "$post"; else echo "exomonad: $post is missing; the hook $event says nothing." >&2; fi
