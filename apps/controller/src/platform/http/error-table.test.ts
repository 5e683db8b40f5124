import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorTable } from '@flotilla/contract';
import * as contract from '@flotilla/contract';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../../../..');
const DOCUMENT = join(ROOT, 'docs/errors.md');

/** Every exported table of the contract whose name ends in `_ERRORS`. A code must not be in two of them. */
const tables = Object.entries(contract).flatMap(([name, value]) =>
  name.endsWith('_ERRORS') && typeof value === 'object' ? [value as ErrorTable] : [],
);
const ERRORS: ErrorTable = Object.assign({}, ...tables);

function renderDocument(): string {
  const rows = Object.entries(ERRORS)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([code, { status, message }]) => `| \`${code}\` | ${status} | ${message.replaceAll('|', '\\|')} |`);
  return `# Error codes

Every refusal of the REST API is \`{ "code", "message", "details"?: [{ "path", "rule", "message" }], "request_id" }\`. The code is
stable; the message may get better. Places in braces are filled in. Made from the error tables in \`packages/contract/src\`;
\`GOLDEN=write npx vitest run --project unit error-table\` writes this page again.

| code | status | message |
|---|---|---|
${rows.join('\n')}
`;
}

/** The sources without tests and without the entries of the error tables. */
function readSources(): string {
  return globSync(['packages/contract/src/**/*.ts', 'apps/controller/src/**/*.ts'], { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(ROOT, file), 'utf8').replaceAll(/^ *'[a-z_.]+': \{/gm, ''))
    .join('\n');
}

describe('the error tables', () => {
  it('match docs/errors.md (GOLDEN=write rewrites it)', () => {
    if (process.env.GOLDEN === 'write') writeFileSync(DOCUMENT, renderDocument());
    expect(readFileSync(DOCUMENT, 'utf8')).toBe(renderDocument());
  });

  it('contain each code once', () => {
    expect(tables.length).toBeGreaterThan(10);
    expect(tables.flatMap((table) => Object.keys(table))).toHaveLength(Object.keys(ERRORS).length);
  });

  it('have a dotted code, an error status and a sentence as the message for each', () => {
    for (const [code, { status, message }] of Object.entries(ERRORS)) {
      expect(code).toMatch(/^[a-z][a-z_]*(\.[a-z][a-z_]*)+$/);
      expect(status, code).toBeGreaterThanOrEqual(400);
      expect(message, code).toMatch(/\S/);
    }
  });

  it('contain no unused code', () => {
    const sources = readSources();
    const unused = Object.keys(ERRORS).filter((code) => !sources.includes(`'${code}'`));
    expect(unused).toEqual([]);
  });

  it('contain every thrown code', () => {
    const thrown = [...readSources().matchAll(/\bfail[A-Z]?\w*\(\s*'([a-z_]+(?:\.[a-z_]+)+)'/g)].map(
      (match) => match[1],
    );
    expect(thrown.length).toBeGreaterThan(20);
    expect([...new Set(thrown)].filter((code) => !Object.hasOwn(ERRORS, code ?? ''))).toEqual([]);
  });
});
