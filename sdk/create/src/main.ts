#!/usr/bin/env node
import { existsSync, readdirSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { addTo } from './application.ts';
import { findDemo, Refused } from './demo.ts';
import { TEMPLATES, type TemplateName, write } from './templates.ts';

const USAGE = `npm create latchkey-app -- [FOLDER] [--template NAME] [--data FOLDER]

  --template   ${Object.keys(TEMPLATES).join(', ')}
  --data       the data folder of your Latchkey (.latchkey); by default it is looked for here and in the folders above
  --packages   a folder with packed files of the @latchkey packages, to install instead of those of the registry`;

const isTemplate = (name: string | undefined): name is TemplateName =>
  name !== undefined && Object.hasOwn(TEMPLATES, name);

async function ask(question: string, otherwise: string): Promise<string> {
  if (!process.stdin.isTTY) return otherwise;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const entered = (await terminal.question(`${question} (${otherwise}) `)).trim();
  terminal.close();
  return entered === '' ? otherwise : entered;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      template: { type: 'string' },
      data: { type: 'string' },
      packages: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return console.log(USAGE);
  const folder = resolve(positionals[0] ?? (await ask('Folder', 'my-latchkey-app')));
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Refused(`${folder} is not empty. Name another folder.`);
  const names = Object.keys(TEMPLATES).join(', ');
  const template = values.template ?? (await ask(`Template: ${names}`, 'react'));
  if (!isTemplate(template)) throw new Refused(`There is no template ${template}. Choose one of ${names}.`);
  // Before anything is written: without Latchkey there is nothing to make.
  const demo = findDemo(values.data);
  const application = await addTo(demo, { name: basename(folder), ...TEMPLATES[template] });
  write(folder, { template, application, packages: values.packages });
  const { email, password } = demo.environment.owner;
  console.log(`
Made ${folder}

  cd ${relative('.', folder) || '.'}
  npm install
  ${TEMPLATES[template].run}

It signs people in with ${demo.environment.authUrl}. Create an account there, or sign in as
${email} with the password ${password}`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Refused) && !Object(error).code?.startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
