import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { AuditFault, type Verified, verifyAudit } from '#audit';
import { StartError } from '#platform/start-error.ts';
import { failing } from './failing.ts';

/** A compact JWS anywhere in the text, so that a saved API response can be used as it is. */
const JWS = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

type Options = { checkpoints?: string; key?: string; json?: true };

/**
 * Verifies an export of the audit log, without a database. Prints what it proves and exits with 0, or prints the fault
 * and exits with 1.
 * @param options `checkpoints`: a file of signed checkpoints kept elsewhere; `key`: the required thumbprint of the key
 */
export async function verifyAuditFile(file: string, options: Options): Promise<void> {
  await failing({}, async () => {
    try {
      const verified = await verify(file, options);
      process.stdout.write(
        options.json ? `${JSON.stringify({ verified: true, ...verified })}\n` : told(file, verified),
      );
    } catch (error) {
      if (!(error instanceof AuditFault)) throw error;
      const fault = error.message;
      process.stdout.write(
        options.json ? `${JSON.stringify({ verified: false, fault })}\n` : `NOT VERIFIED: ${file}\n  ${fault}\n`,
      );
      process.exitCode = 1;
    }
  });
}

async function verify(file: string, { checkpoints, key }: Options): Promise<Verified> {
  const kept = checkpoints === undefined ? [] : await checkpointsOf(checkpoints);
  const verified = await verifyAudit(linesOf(file), kept);
  if (key !== undefined && verified.key !== key)
    throw new AuditFault(`It is signed with the key ${verified.key}, not with ${key}.`);
  return verified;
}

async function checkpointsOf(file: string): Promise<string[]> {
  const found = await readFile(file, 'utf8').then(
    (text) => text.match(JWS),
    (error: unknown) => unreadable(file, error),
  );
  if (!found) throw new StartError(`There is no checkpoint in ${file}.`);
  return found;
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const input = createReadStream(file);
  const opened = Promise.withResolvers<void>();
  input.once('open', () => opened.resolve()).once('error', opened.reject);
  await opened.promise.catch((error: unknown) => unreadable(file, error));
  yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

function unreadable(file: string, error: unknown): never {
  throw new StartError(`${file} cannot be read (${String(Object(error).code)}).`);
}

function told(file: string, { seal, key, erased, checkpoints }: Verified): string {
  const { scope, first, last, count, since, until, at } = seal;
  const lines = [
    `Verified: ${file}`,
    `  project      ${scope.projectId} (${scope.environment}), workspace ${scope.workspaceId}`,
    `  entries      ${count === 0 ? 'none' : `${count}, from ${first} to ${last}, none missing, none altered`}`,
    `  asked for    ${since ?? 'the beginning'} to ${until ?? 'the end'}`,
    `  exported     ${at}`,
    `  signed with  ${key}`,
    ...(erased > 0
      ? [`  erased       ${erased} entries about people who were erased: their place is proven, not their content`]
      : []),
    ...(checkpoints > 0 ? [`  checkpoints  ${checkpoints} agree`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
