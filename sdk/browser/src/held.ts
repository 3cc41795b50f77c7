import type { Clock } from './clock.ts';
import type { AuthState } from './options.ts';
import { isNewer, type Session } from './session.ts';
import type { Store } from './store.ts';
import { Tabs } from './tabs.ts';

/** The session as this page knows it, the same in all tabs, and the state that the application sees. */
export class Held {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #tabs: Tabs;
  readonly #listeners = new Set<(state: AuthState) => void>();
  /** Sessions that ended: a message that was on its way revives none. */
  readonly #ended = new Set<string>();
  readonly #whenEnded: () => void;
  #state: AuthState = { status: 'loading' };
  #session: Session | null = null;
  #isOnline = true;

  /** @param whenEnded is called if another tab ends the session */
  constructor(name: string, store: Store, { clock, whenEnded }: { clock: Clock; whenEnded: () => void }) {
    this.#clock = clock;
    this.#store = store;
    this.#whenEnded = whenEnded;
    this.#tabs = new Tabs(name, {
      current: () => this.#session,
      session: (session) => {
        if (!this.#ended.has(session.id) && isNewer(session, this.#session)) this.#receive(session);
      },
      ended: (id) => this.#receiveEnd(id),
    });
  }

  get state(): AuthState {
    return this.#state;
  }

  get session(): Session | null {
    return this.#session;
  }

  get wasSignedIn(): boolean {
    return this.#store.wasSignedIn();
  }

  subscribe(listener: (state: AuthState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes up what is stored, or what another tab has. */
  async load(): Promise<Session | null> {
    const kept = this.#store.load();
    if (kept) this.#receive(kept);
    else if (this.#store.wasSignedIn()) await this.#tabs.ask();
    return this.#session;
  }

  /** Asks the other tabs for a later state. */
  askTabs(): Promise<void> {
    return this.#tabs.ask();
  }

  /** A sign-in, or a change of the session. Tells the other tabs. */
  adopt(changed: Omit<Session, 'offset'>): void {
    const session = { ...changed, offset: this.#clock.offset };
    this.#hold(session);
    this.#tabs.tell(session);
  }

  /** Ends the session here and in the other tabs. */
  end(reason: 'signed_out' | 'ended'): void {
    const session = this.#session;
    this.#drop(reason);
    if (session) this.#tabs.tellEnded(session.id);
  }

  /** Nobody is signed in here; whether somebody is at Latchkey may be unknown. */
  showSignedOut(reason?: 'offline'): void {
    this.#show({ status: 'signed-out', ...(reason && { reason }) });
  }

  setOnline(isOnline: boolean): void {
    this.#isOnline = isOnline;
    if (this.#state.status === 'signed-in' && this.#state.isOnline !== isOnline)
      this.#show({ ...this.#state, isOnline });
  }

  close(): void {
    this.#tabs.close();
    this.#listeners.clear();
  }

  #receive(session: Session): void {
    this.#clock.take(session.offset);
    this.#hold(session);
  }

  #hold(session: Session): void {
    const before = this.#session;
    this.#session = session;
    this.#store.save(session);
    const { user, organization } = session;
    const isShown = this.#state.status === 'signed-in' && before?.user === user && before.organization === organization;
    if (!isShown) this.#show({ status: 'signed-in', user, organization, isOnline: this.#isOnline });
  }

  #drop(reason: 'signed_out' | 'ended'): void {
    if (this.#session) this.#ended.add(this.#session.id);
    this.#session = null;
    this.#store.save(null);
    this.#show({ status: 'signed-out', reason });
  }

  #receiveEnd(id: string): void {
    this.#ended.add(id);
    if (this.#session?.id !== id) return;
    this.#drop('signed_out');
    this.#whenEnded();
  }

  #show(state: AuthState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}
