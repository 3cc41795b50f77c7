/** Test files that `npm run test:citus -- FOLDER` leaves out, by pattern, and why. */
export const LEFT_OUT: readonly { files: string; because: string }[] = [
  { files: '{sdk,site}/**', because: 'ask Latchkey over HTTP, as the tests of its parts do, or build pages' },
  {
    files: 'server/tests/{boundaries,doors,guides,openapi,words}.test.ts',
    because: 'read the code and the documentation',
  },
  {
    files: 'server/tests/{crash,faults}.test.ts',
    because: 'kill a PostgreSQL of their own; tests/citus/killed kills a worker',
  },
  {
    files: 'server/tests/recovery/recovery.test.ts',
    because: 'restores a PostgreSQL of its own; tests/citus/point-in-time a cluster',
  },
  {
    files: 'server/platform/{embedded-postgres,server-fitness}.test.ts',
    because: 'are about one server, its connections and its pooler',
  },
  { files: 'server/tests/harness.test.ts', because: 'plants the statements that the checks of a run must find' },
  { files: 'server/tests/pictures/**', because: 'compare pictures of pages, whose content the tests of pages look at' },
  { files: 'server/tests/clients/toolchains/**', because: 'need other toolchains, and ask Latchkey over HTTP' },
];
