#!/bin/sh
# Asks whether the agent may stop. Prints {"decision":"allow"} or {"decision":"block","reason":…}; exits 0 either way.
event=stop
answers=always
# Longer than stop.timeout: the check fetches, rebases and pushes.
limit=65
case $EXOMONAD_STOP_TIMEOUT in
"" | *[!0-9]*) ;;
*) limit=$EXOMONAD_STOP_TIMEOUT ;;
esac
post=${0%/*}/post.sh
[ "$post" != "$0/post.sh" ] || post=./post.sh
if [ -r "$post" ]; then . "$post"; else echo "exomonad: $post is missing; the hook $event says nothing." >&2; fi
