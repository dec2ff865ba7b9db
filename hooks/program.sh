#!/bin/sh
# What agent CLIs run as their hooks: sh program.sh EVENT, where EVENT is the CLI's own name of what happened. Its JSON goes to the
# daemon as it is; what the daemon answers is in the CLI's own words already and is printed as it is. Prints nothing else, exits with 0.
event=program/$1
answers=verbatim
limit=
stream=
case $1 in
"" | *[!A-Za-z0-9._-]*)
  echo "exomonad: program.sh takes the name of an event." >&2
  exit 0
  ;;
# The hot path, and the bulky one: a tool's whole result. Of these only that they happened must outlive the daemon.
*Tool* | tool.*) stream=yes ;;
# The first may be held until the program knows of the tools.
UserPromptSubmit) limit=6 ;;
# Where the role's policy is to ask a person.
PermissionRequest) limit=$EXOMONAD_PERMISSION_TIMEOUT ;;
Stop | AfterAgent | session.idle)
  # Longer than stop.timeout: the check fetches, rebases and pushes.
  limit=65
  case $EXOMONAD_STOP_TIMEOUT in
  "" | *[!0-9]*) ;;
  *) limit=$EXOMONAD_STOP_TIMEOUT ;;
  esac
  ;;
esac
post=${0%/*}/post.sh
[ "$post" != "$0/post.sh" ] || post=./post.sh
if [ -r "$post" ]; then . "$post"; else echo "exomonad: $post is missing; the hook $event says nothing." >&2; fi
