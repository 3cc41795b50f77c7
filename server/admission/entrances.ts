/** What an entrance does with whom it lets in. */
type EntranceKind =
  /** Begins a session of somebody who is signing in; where registration is open they join the project, as registering would. */
  | 'sign_in'
  /** Finishes a sign-in that waits for its second factor. */
  | 'second_step'
  /** Takes a session into a project. */
  | 'session'
  /** Asks the browser's session, and has its person sign in where that is not enough. */
  | 'browser'
  /** Lets what was admitted before go on. */
  | 'renewal';

/**
 * Every way into a project. Whatever begins a session, takes one into a project or renews its tokens names the one it is.
 * `firstPartyOnly`: tokens and sessions of somebody else's application do not pass.
 */
export const ENTRANCES = {
  password: { kind: 'sign_in', firstPartyOnly: false },
  magic_link: { kind: 'sign_in', firstPartyOnly: false },
  email_code: { kind: 'sign_in', firstPartyOnly: false },
  phone_code: { kind: 'sign_in', firstPartyOnly: false },
  verified_address: { kind: 'sign_in', firstPartyOnly: false },
  social: { kind: 'sign_in', firstPartyOnly: false },
  passkey: { kind: 'sign_in', firstPartyOnly: false },
  registration: { kind: 'sign_in', firstPartyOnly: false },
  invitation: { kind: 'sign_in', firstPartyOnly: false },
  second_factor: { kind: 'second_step', firstPartyOnly: false },
  factor_enrolment: { kind: 'second_step', firstPartyOnly: false },
  switch_context: { kind: 'session', firstPartyOnly: true },
  accepted_invitation: { kind: 'session', firstPartyOnly: true },
  authorize: { kind: 'browser', firstPartyOnly: false },
  account_page: { kind: 'browser', firstPartyOnly: true },
  console: { kind: 'browser', firstPartyOnly: true },
  refresh: { kind: 'renewal', firstPartyOnly: false },
  oidc_token: { kind: 'renewal', firstPartyOnly: false },
  reauthenticate: { kind: 'renewal', firstPartyOnly: true },
} as const satisfies Record<string, { kind: EntranceKind; firstPartyOnly: boolean }>;

export type Entrance = keyof typeof ENTRANCES;
