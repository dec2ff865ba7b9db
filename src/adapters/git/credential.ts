/**
 * Environment in which git gets a password for one host, and for no other, from a helper of ours.
 * The secret is in a variable that only git and what it starts see: never in an argument, a
 * configuration or a remote’s URL. Helpers that are configured are not asked for it, nor to
 * keep it. `origin`: `https://HOST[:PORT]`, as it begins the remote’s URL.
 */
export const credentialEnvironment = ({
  origin,
  username,
  password,
}: {
  origin: string
  username: string
  password: string
}): Record<string, string> => ({
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: `credential.${origin}.helper`,
  GIT_CONFIG_VALUE_0: '',
  GIT_CONFIG_KEY_1: `credential.${origin}.helper`,
  GIT_CONFIG_VALUE_1: HELPER,
  EXOMONAD_GIT_USERNAME: username,
  EXOMONAD_GIT_PASSWORD: password,
})

/** git starts it with a shell and says in its argument what it wants. */
const HELPER = `!f() { test "$1" = get || return 0; printf 'username=%s\\npassword=%s\\n' "$EXOMONAD_GIT_USERNAME" "$EXOMONAD_GIT_PASSWORD"; }; f`
