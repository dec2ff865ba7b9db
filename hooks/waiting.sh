#!/bin/sh
# Says that the agent waits for a person, such as at a permission prompt; the JSON's message says why.
event=waiting
post=${0%/*}/post.sh
[ "$post" != "$0/post.sh" ] || post=./post.sh
if [ -r "$post" ]; then . "$post"; else echo "exomonad: $post is missing; the hook $event says nothing." >&2; fi
