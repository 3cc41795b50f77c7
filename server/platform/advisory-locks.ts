/** The advisory locks of a database, one number each, for all Latchkey processes. */
export const advisoryLocks = {
  /** Held while migrating. */
  migration: 7_154_223,
  /** Held by the process that numbers events. */
  eventDispatcher: 7_154_224,
  /** Held while signing keys are rotated. */
  keyRotation: 7_154_226,
  /** Held by the process that measures the status. */
  statusLeader: 7_154_227,
  /** Held while the built-in workspace is created or its addresses change. */
  consoleSetUp: 7_154_228,
} as const;
