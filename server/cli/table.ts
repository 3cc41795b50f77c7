/** Prints rows under a heading. Each column is as wide as its widest cell. */
export function printTable(heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const table = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const row of table)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}
