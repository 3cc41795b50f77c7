import type { TxCtx } from '#platform/ctx.ts';
import { projectOf } from '#tenancy';

type Mail = { to: string; subject: string; text: string };

/** The mail that carries a one-time code. */
export async function codeMail(tx: TxCtx, to: string, code: string): Promise<Mail> {
  const { projectName } = await projectOf(tx.system, tx.scope);
  const shown = `${code.slice(0, 4)} ${code.slice(4)}`;
  return {
    to,
    subject: `${shown} is your ${projectName} code`,
    text: `Your code for ${projectName}:\n\n    ${code}\n\nIt works for 10 minutes. If you did not ask for it, ignore this mail: nothing happens without the code.\n`,
  };
}

/** What the owner of an address hears when somebody registers with it again. */
export async function knownAddressMail(tx: TxCtx, to: string): Promise<Mail> {
  const { projectName } = await projectOf(tx.system, tx.scope);
  return {
    to,
    subject: `You already have a ${projectName} account`,
    text: `Somebody, perhaps you, tried to register with this address at ${projectName}. You have an account already: sign in with it.\n\nIf it was not you, there is nothing to do: nothing was changed.\n`,
  };
}
