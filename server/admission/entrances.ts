/** What an entrance does with an admitted user. */
type EntranceKind =
  /**
   * Starts a session for a user who is signing in; if registration is open, they join the project as if they
   * registered.
   */
  | 'sign_in'
  /** Finishes a sign-in that waits for its second factor. */
  | 'second_step'
  /** Takes a session into a project. */
  | 'session'
  /** Checks the browser's session, and asks the user to sign in if it does not suffice. */
  | 'browser'
  /** Lets an entry that was admitted before go on. */
  | 'renewal';

/**
 * Every way into a project. Code that starts a session, takes one into a project or renews its tokens names its
 * entrance.
 * `firstPartyOnly`: refuses tokens and sessions of third-party applications.
 */
export const ENTRANCES = {
  password: { kind: 'sign_in', firstPartyOnly: false },
  magic_link: { kind: 'sign_in', firstPartyOnly: false },
  email_code: { kind: 'sign_in', firstPartyOnly: false },
  phone_code: { kind: 'sign_in', firstPartyOnly: false },
  verified_address: { kind: 'sign_in', firstPartyOnly: false },
  social: { kind: 'sign_in', firstPartyOnly: false },
  connection: { kind: 'sign_in', firstPartyOnly: false },
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

/** What kinds of entrance let a person in who was not in the project before with this session: these ask the actions. */
const ASKS_ACTIONS: Readonly<Record<EntranceKind, boolean>> = {
  sign_in: true,
  second_step: true,
  session: true,
  browser: true,
  renewal: false,
};

export function asksActions(entrance: Entrance): boolean {
  return ASKS_ACTIONS[ENTRANCES[entrance].kind];
}

export type Entrance = keyof typeof ENTRANCES;
