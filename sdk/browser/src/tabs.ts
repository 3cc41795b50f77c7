import { isSession, type Session } from './session.ts';

/** How long another tab has to hand the session over. */
const ASK_MS = 250;

type Handlers = {
  session: (session: Session) => void;
  ended: (id: string) => void;
  /** Another tab asks for the session. */
  current: () => Session | null;
};

/** The other tabs of the same origin. Messages never leave the origin. */
export class Tabs {
  readonly #channel: BroadcastChannel;
  readonly #handlers: Handlers;
  #waiting: (() => void)[] = [];

  constructor(name: string, handlers: Handlers) {
    this.#channel = new BroadcastChannel(name);
    this.#handlers = handlers;
    this.#channel.onmessage = ({ data }) => this.#receive(Object(data));
  }

  tell(session: Session): void {
    this.#channel.postMessage({ session });
  }

  tellEnded(id: string): void {
    this.#channel.postMessage({ ended: id });
  }

  /** Asks for the session. The handler has got it when the promise is fulfilled, or no tab has one. */
  ask(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      setTimeout(resolve, ASK_MS);
      this.#channel.postMessage({ ask: true });
    });
  }

  close(): void {
    this.#channel.close();
  }

  #receive({ session, ended, ask }: { session?: unknown; ended?: unknown; ask?: unknown }): void {
    if (isSession(session)) {
      this.#handlers.session(session);
      for (const resolve of this.#waiting.splice(0)) resolve();
    }
    if (typeof ended === 'string') this.#handlers.ended(ended);
    const current = ask === true ? this.#handlers.current() : null;
    if (current) this.tell(current);
  }
}
