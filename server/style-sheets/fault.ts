import type { CssNode } from 'css-tree';

/** A fault of a style sheet: its place, and what was expected. Lines and columns begin at 1. */
export type StyleFault = { line: number; column: number; message: string };

/** Something that a style sheet may not say. */
export class Unfit extends Error {
  readonly node: CssNode | undefined;
  constructor(message: string, node?: CssNode) {
    super(message);
    this.node = node;
  }
}

export function faultAt(message: string, node: CssNode | undefined): StyleFault {
  const { line, column } = node?.loc?.start ?? { line: 1, column: 1 };
  return { line, column, message };
}
