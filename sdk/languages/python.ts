import { type Description, type Field, type Operation, type RecordType, type Type, wordsOf } from './description.ts';

const HEADER = '# Made from the OpenAPI description by sdk/languages. Change that instead.\n';
const RESERVED = new Set(['from', 'class', 'global', 'import', 'pass', 'is', 'in', 'not', 'type', 'id', 'format']);

/** @returns the files of the Python package that are made, by their names */
export function pythonFiles({ operations, records }: Description): Record<string, string> {
  return { 'models.py': models(records), 'operations.py': operationsOf(operations) };
}

function models(records: readonly RecordType[]): string {
  return [
    HEADER.trimEnd(),
    '"""The records of Latchkey\'s API, as they stand in JSON."""\n',
    'from __future__ import annotations\n',
    'from typing import Any, Literal, NotRequired, TypedDict\n',
    ...records.map(model),
  ].join('\n');
}

/** The functional form takes names that Python reserves, such as `from`; its types are names of classes that may follow. */
function model({ name, description, fields }: RecordType): string {
  const plain = fields.every(
    (field) => /^[A-Za-z_]\w*$/.test(field.name) && !['from', 'class', 'global'].includes(field.name),
  );
  if (!plain) {
    const entries = fields.map((field) => `    ${JSON.stringify(field.name)}: ${JSON.stringify(fieldType(field))},\n`);
    return `\n${name} = TypedDict("${name}", {\n${entries.join('')}})\n`;
  }
  const doc = description === '' ? '' : `    """${oneLine(description)}"""\n\n`;
  const lines = fields.map(
    (field) =>
      `${field.description === '' ? '' : `    # ${oneLine(field.description)}\n`}    ${field.name}: ${fieldType(field)}\n`,
  );
  return `\nclass ${name}(TypedDict):\n${doc}${lines.join('') || '    pass\n'}`;
}

function fieldType({ type, required }: Field): string {
  return required ? pythonType(type) : `NotRequired[${pythonType(type)}]`;
}

function pythonType(type: Type, prefix = ''): string {
  switch (type.kind) {
    case 'string':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'any':
      return 'Any';
    case 'enum':
      return `Literal[${type.values.map((value) => JSON.stringify(value)).join(', ')}]`;
    case 'list':
      return `list[${pythonType(type.of, prefix)}]`;
    case 'map':
      return `dict[str, ${pythonType(type.of, prefix)}]`;
    case 'record':
      return prefix + type.name;
    case 'nullable':
      return `${pythonType(type.of, prefix)} | None`;
  }
}

function operationsOf(operations: readonly Operation[]): string {
  return [
    HEADER.trimEnd(),
    '"""The operations of Latchkey\'s API host, one method each."""\n',
    'from __future__ import annotations\n',
    'from collections.abc import Iterator',
    'from typing import Any, Literal\n',
    'from . import models',
    'from .client import Client\n\n',
    'class Operations(Client):',
    operations.map(method).join('\n'),
  ].join('\n');
}

function method(operation: Operation): string {
  const { item, result } = operation;
  const returns = item
    ? `Iterator[${pythonType(item, 'models.')}]`
    : result === null
      ? 'None'
      : result.kind === 'text'
        ? 'str'
        : pythonType(result, 'models.');
  const note = operation.description === '' ? '' : `\n\n        ${oneLine(operation.description)}\n        `;
  return `    def ${snake(operation.name)}(${parametersOf(operation).join(', ')}) -> ${returns}:
        """${oneLine(operation.summary)}.${note}"""
        return self.${callOf(operation)}
`;
}

function parametersOf({ pathParameters, body, bodyRequired, query, keyed, conditional }: Operation): string[] {
  const parameters = ['self', ...pathParameters.map((name) => `${argument(name)}: str`)];
  const bodyType = body && pythonType(body, 'models.');
  if (bodyType) parameters.push(bodyRequired ? `body: ${bodyType}` : `body: ${bodyType} | None = None`);
  const named: string[] = [];
  for (const { name, type, required } of query)
    named.push(`${argument(name)}: ${pythonType(type, 'models.')}${required ? '' : ' | None = None'}`);
  if (conditional) named.push('if_match: str | None = None');
  if (keyed) named.push('idempotency_key: str | None = None');
  return named.length > 0 ? [...parameters, '*', ...named] : parameters;
}

function callOf(operation: Operation): string {
  const { path, method: verb, pathParameters, query, body, keyed, conditional, item } = operation;
  const parts = [
    ...(item ? [] : [JSON.stringify(verb.toUpperCase())]),
    JSON.stringify(path),
    `{${pathParameters.map((name) => `${JSON.stringify(name)}: ${argument(name)}`).join(', ')}}`,
  ];
  if (query.length > 0)
    parts.push(`query={${query.map(({ name }) => `${JSON.stringify(name)}: ${argument(name)}`).join(', ')}}`);
  if (body) parts.push('body=body');
  if (conditional) parts.push('if_match=if_match');
  if (keyed) parts.push('idempotency_key=idempotency_key', 'keyed=True');
  return `${item ? 'pages' : 'call'}(${parts.join(', ')})`;
}

function snake(name: string): string {
  return wordsOf(name).join('_').toLowerCase();
}

/** An underscore follows a word that Python reserves or has a meaning for. */
function argument(name: string): string {
  const word = snake(name);
  return RESERVED.has(word) ? `${word}_` : word;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, "'").trim();
}
