import { type ApiClient, createApiClient } from '@latchkey/api';
import { AuthError, type StepUp } from '@latchkey/browser';
import { type Account, accountOf, type Proof, type SignInMethods } from '@latchkey/browser/api';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useMethods } from '../brand.tsx';
import { useAuth } from '../provider.tsx';

/** The API of the person who is signed in. */
export function useAccountClient(): { account: Account; client: ApiClient | null; methods: SignInMethods | null } {
  const { auth } = useAuth();
  const { methods } = useMethods();
  const account = useMemo(() => accountOf(auth), [auth]);
  const client = useMemo(
    () =>
      methods &&
      createApiClient({ baseUrl: methods.apiUrl, fetch: (input, init) => account.fetch(requestOf(input), init) }),
    [account, methods],
  );
  return { account, client, methods };
}

/** The API client calls `fetch` with an address, never with a request. */
function requestOf(input: RequestInfo | URL): string {
  return input instanceof Request ? input.url : String(input);
}

const loaders = {
  profile: async (client: ApiClient) => (await client.get('/v1/me/profile')).data,
  security: async (client: ApiClient) => (await client.get('/v1/me/security')).data,
  identities: (client: ApiClient) => all(client.list('/v1/me/linked-identities')),
  organizations: (client: ApiClient) => all(client.list('/v1/me/organizations')),
  invitations: (client: ApiClient) => all(client.list('/v1/me/invitations')),
};

/** The items of all pages. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export type AccountData = { [Name in keyof typeof loaders]: Awaited<ReturnType<(typeof loaders)[Name]>> };

/** A change that waits for another proof of the person. */
export type PendingProof = {
  stepUp: StepUp;
  /** Sends the proof, and then the change. @throws AuthError refused */
  prove: (proof: Proof) => Promise<void>;
  cancel: () => void;
};

/** The account of the person who is signed in, for panels of your own. */
export type AccountState = {
  account: Account;
  client: ApiClient | null;
  methods: SignInMethods | null;
  /** Null until it is read. */
  data: AccountData | null;
  error: unknown;
  isBusy: boolean;
  /** Set while a change waits for another proof. */
  proof: PendingProof | null;
  /**
   * Makes a change and reads the account again. Asks for another proof where the API does.
   * @returns whether the change was made
   */
  change: (make: (client: ApiClient) => Promise<unknown>) => Promise<boolean>;
};

export function useAccount(): AccountState {
  const { account, client, methods } = useAccountClient();
  const [data, setData] = useState<AccountData | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [proof, setProof] = useState<PendingProof | null>(null);
  const reads = useRef(0);
  const read = useCallback(async (of: ApiClient) => {
    reads.current += 1;
    const own = reads.current;
    const [profile, security, identities, organizations, invitations] = await Promise.all([
      loaders.profile(of),
      loaders.security(of),
      loaders.identities(of),
      loaders.organizations(of),
      loaders.invitations(of),
    ]);
    // A later reading has newer data.
    if (own === reads.current) setData({ profile, security, identities, organizations, invitations });
  }, []);
  const change = useCallback(
    async (make: (client: ApiClient) => Promise<unknown>): Promise<boolean> => {
      if (!client) return false;
      setBusy(true);
      setError(null);
      try {
        await proven(() => make(client), { account, ask: setProof });
        if (account.auth.state.status === 'signed-in') await read(client);
        return true;
      } catch (failure) {
        if (failure !== CANCELLED) setError(failure);
        return false;
      } finally {
        setBusy(false);
      }
    },
    [account, client, read],
  );
  useEffect(() => {
    if (!client) return undefined;
    const begin = async () => {
      await read(client);
      const code = account.takeLinkCode();
      if (code !== null) await change((of) => link(of, code));
    };
    begin().catch(setError);
    // Another tab may have linked an account, or the account page changed something.
    const readAgain = () => document.hidden || read(client).catch(() => null);
    document.addEventListener('visibilitychange', readAgain);
    return () => document.removeEventListener('visibilitychange', readAgain);
  }, [account, change, client, read]);
  return { account, client, methods, data, error, isBusy, proof, change };
}

/**
 * Links an account with the code that its provider led back with.
 * @throws AuthError sign_in_failed without a code, or with one of another session or too old
 */
async function link(client: ApiClient, code: string): Promise<void> {
  const failed = new AuthError('sign_in_failed', 'The account at the provider was not linked.');
  if (code === '') throw failed;
  await client.post('/v1/me/linked-identities', { body: { code } }).catch((error: unknown) => {
    throw Object(error).errorCode === 'INVALID_TOKEN' ? failed : error;
  });
}

const CANCELLED = Symbol('cancelled');

type Asking = { account: Account; ask: (pending: PendingProof | null) => void };

/** Makes a change; if it needs another proof, once more after it. A proof of the person's own may follow a second factor. */
async function proven(make: () => Promise<unknown>, { account, ask }: Asking): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!(error instanceof AuthError) || error.stepUp === null) throw error;
    await askedFor(error.stepUp, { account, ask });
    await proven(make, { account, ask });
  }
}

/** Waits until the person has proven who they are. */
function askedFor(stepUp: StepUp, { account, ask }: Asking): Promise<void> {
  return new Promise((resolve, reject) => {
    ask({
      stepUp,
      prove: async (proof) => {
        await account.reauthenticate(proof);
        ask(null);
        resolve();
      },
      cancel: () => {
        ask(null);
        reject(CANCELLED);
      },
    });
  });
}
