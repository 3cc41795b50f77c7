/** An address without a path: with and without the slash it is the same address. */
const BARE = /^(https?:\/\/[^/?#]+)\/?$/;

/**
 * The spellings of an issuer. Some providers write their bare address with a slash at the end, and an import knows only
 * the configured spelling. Both are the same origin, so the same provider speaks for both.
 */
export function spellingsOf(issuer: string): string[] {
  const bare = BARE.exec(issuer)?.[1];
  return bare === undefined ? [issuer] : [bare, `${bare}/`];
}

/** What identifies an account at a provider, whatever the spelling of its issuer. */
export function accountKey({ issuer, subject }: { issuer: string; subject: string }): string {
  return `${spellingsOf(issuer)[0]} ${subject}`;
}
