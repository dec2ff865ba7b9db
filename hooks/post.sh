# Sourced by the hooks beside it with $event set: sends the daemon what an agent CLI's hook received, the JSON on stdin. Also read:
#   $limit    seconds that it may take (2): the agent waits for it before every tool call, so that a daemon that hangs must not cost it more
#   $answers  `always`: prints the answer, or that the agent may go on; `verbatim`: prints what there is to print; else prints nothing
#   $stream   not empty: curl reads stdin itself, which is faster; where the daemon dies in the middle, what was said is lost with it
# Fails open: whatever goes wrong is said on stderr, and the exit status is 0.
# Needs curl. Forks as little as it can: it runs on every tool call.

# An error of the shell itself must not hold the agent either: some agent CLIs take a failing hook as an objection.
trap 'exit 0' EXIT

# Not an agent of exomonad: nothing to say, and nobody to say it to.
[ -n "$EXOMONAD_SOCKET" ] || exit 0

token=$EXOMONAD_TOKEN
# Some agent CLIs hide variables named *TOKEN* from their hooks.
if [ -z "$token" ] && [ -r "$EXOMONAD_AUTH_FILE" ]; then IFS= read -r token <"$EXOMONAD_AUTH_FILE"; fi

# A terminal is not a hook's input, and a pipe that nobody closes must not hold the agent.
read_body() {
  body=
  if [ -t 0 ]; then
    :
  elif command -v timeout >/dev/null; then
    body=$(timeout 1 cat 2>/dev/null)
  else
    body=$(cat 2>/dev/null)
  fi
  case $body in
  '{'*'}') ;;
  *) body='{}' ;;
  esac
}
if [ -t 0 ]; then stream=; fi
if [ -z "$stream" ]; then read_body; fi

# The event as one file that appears whole; the daemon reads it when it starts and at each reconciliation (30 s), so that what took too long is late and
# not lost. 0600, since it holds the token that says who spoke.
spool() {
  if [ -n "$stream" ]; then read_body; fi
  [ -n "$EXOMONAD_SPOOL" ] && [ -d "$EXOMONAD_SPOOL" ] || {
    echo "exomonad: the daemon does not answer, and there is no spool: the hook $event is lost." >&2
    return
  }
  name=$(date +%s)-$$-${event##*/}.json
  umask 077
  if printf '{"version":1,"event":"%s","token":"%s","body":%s}\n' "$event" "$token" "$body" >"$EXOMONAD_SPOOL/.$name" &&
    mv "$EXOMONAD_SPOOL/.$name" "$EXOMONAD_SPOOL/$name"; then
    echo "exomonad: the daemon does not take it now; the hook $event waits in the spool." >&2
  else
    rm -f "$EXOMONAD_SPOOL/.$name"
    echo "exomonad: the daemon does not answer, and the spool cannot be written: the hook $event is lost." >&2
  fi
}

say() {
  case $answers in
  always) printf '%s\n' "$1" ;;
  verbatim) if [ -n "$1" ]; then printf '%s\n' "$1"; fi ;;
  esac
}
go_on() { if [ "$answers" = always ]; then printf '%s\n' '{"decision":"allow"}'; fi; }

if [ ! -S "$EXOMONAD_SOCKET" ]; then
  spool
  go_on
  exit 0
fi

# The token goes in through a file descriptor, where no list of processes shows it; -q and --noproxy keep the user's curl settings out.
# Of uploads some versions of curl show their progress even so.
if [ -n "$stream" ]; then
  answer=$(
    curl -q -X POST -T . --silent --noproxy '*' --max-time "${limit:-2}" --unix-socket "$EXOMONAD_SOCKET" -H @/dev/fd/3 \
      --write-out '%{http_code}' "http://localhost/v1/hooks/$event" 3<<HEADERS 2>/dev/null
Authorization: Bearer $token
Content-Type: application/json
Expect:
HEADERS
  )
else
  answer=$(
    curl -q --silent --noproxy '*' --max-time "${limit:-2}" --unix-socket "$EXOMONAD_SOCKET" -H @/dev/fd/3 --data-binary @- \
      --write-out '%{http_code}' "http://localhost/v1/hooks/$event" 3<<HEADERS <<BODY
Authorization: Bearer $token
Content-Type: application/json
Expect:
HEADERS
$body
BODY
  )
fi
status=$?
code=${answer#"${answer%???}"}
answer=${answer%???}

case $status:$code in
0:200) say "$answer" ;;
0:2??) go_on ;;
# It can't reach its store, or has no room: it reads the spool when it can.
0:503)
  spool
  go_on
  ;;
0:*)
  echo "exomonad: the daemon refused the hook $event ($code): $answer" >&2
  go_on
  ;;
*)
  if [ "$status" = 127 ]; then echo "exomonad: curl is missing; install it, or the tree does not learn what this agent does." >&2; fi
  spool
  go_on
  ;;
esac
