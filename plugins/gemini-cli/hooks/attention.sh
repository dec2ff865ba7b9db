#!/bin/sh
# When a session begins: has the model know how many things of this repository's tree need the person. Says nothing where
# there is no daemon, nothing needs them, or the session is one of exomonad's agents, which are told by other means.
[ -z "$EXOMONAD_AGENT_ID" ] || exit 0
command -v exomonad >/dev/null 2>&1 || exit 0
# Such as "exo 3 * 1 !": the number before the mark.
words=$(exomonad status --short 2>/dev/null) || exit 0
case $words in *" !") ;; *) exit 0 ;; esac
items=${words% !}
items=${items##* }
printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Of exomonad, the tree of coding agents of this repository, the person is needed for: %s (exomonad inbox lists what)."}}\n' "$items"
