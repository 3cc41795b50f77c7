// Prints the failures that the stages of CI wrote into the file CI_FAILURES. Only the end of a log is kept, so it prints about a
// hundred lines: the name of each failure, and as much of each error as there is room for.
// A failure is a line that begins with "✖ ", then the lines of its error, which are indented.
import { readFileSync } from 'node:fs';

const MAX_LINES = 100;
const MAX_COLUMNS = 240;

const failures = readFileSync(process.env.CI_FAILURES, 'utf8')
  .split(/^(?=✖ )/m)
  .map((failure) => failure.split('\n').filter((line) => line.trim() !== ''));
const lengthWith = (limit) => failures.reduce((sum, lines) => sum + Math.min(lines.length, limit), 0);
let limit = MAX_LINES;
while (limit > 1 && lengthWith(limit) > MAX_LINES) limit -= 1;

console.log('\nWhat failed:');
const lines = failures.flatMap((failure) => failure.slice(0, limit));
for (const line of lines.slice(0, MAX_LINES)) console.log(line.slice(0, MAX_COLUMNS));
if (lines.length > MAX_LINES) console.log(`… and ${lines.length - MAX_LINES} more`);
