import { crashTest } from './crash.ts';

/** `npm run test:crash [-- KILLS [RESTARTS]]`: the long form of crash.test.ts. */
const [kills = '32', restarts = '3'] = process.argv.slice(2);
const began = performance.now();
const report = await crashTest({
  kills: Number(kills),
  restarts: Number(restarts),
  say: (line) => process.stdout.write(`${line}\n`),
});
const seconds = Math.round((performance.now() - began) / 1000);
process.stdout.write(
  `Nothing lost in ${seconds} s: ${report.acknowledged} changes acknowledged (${report.refused} refused or cut off), ` +
    `${report.received} events received at two endpoints, ${report.repeated} of them or their failures more than once.\n`,
);
process.exit(0);
