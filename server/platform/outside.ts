import type { Ctx } from './ctx.ts';

/**
 * Thrown by work in a transaction that needs the answer of another system. `transaction` rolls back, calls `ask` while
 * nothing is held, and runs the work again, which finds the answer where `ask` has kept it (docs/decisions/0245).
 */
export class AsksOutside extends Error {
  override readonly name = 'AsksOutside';
  readonly ask: (ctx: Ctx) => Promise<void>;

  constructor(ask: (ctx: Ctx) => Promise<void>) {
    super('The work needs the answer of another system.');
    this.ask = ask;
  }
}
