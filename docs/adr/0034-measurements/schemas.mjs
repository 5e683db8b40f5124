// Prints the size of the ways to check request bodies in the browser: `node docs/adr/0034-measurements/schemas.mjs`.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as contract from '@flotilla/contract';
import { build } from 'esbuild';
import { readBodies } from '../../../apps/web/build/bodies-plugin.ts';

const MINI = `import * as z from 'zod/mini';
const name = z.string().check(z.minLength(1), z.maxLength(128), z.regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/, 'letters, digits'));
const description = z.optional(z.nullable(z.string().check(z.maxLength(1024))));
const unique = z.refine((all) => new Set(all).size === all.length);
export const group = z.strictObject({ name, description });
export const token = z.strictObject({ name, description, role: z.enum(['owner', 'viewer']), expires_at: z.optional(z.nullable(z.iso.datetime())),
  families: z.nullable(z.array(z.enum(['a', 'b'])).check(z.minLength(1), unique)) });
export const check = (schema, value) => schema.safeParse(value);
`;
const CONTRACT = `import { apiTokenRoutes, groupRoutes } from '@flotilla/contract';
export const check = (value) => [groupRoutes.create.body.safeParse(value), apiTokenRoutes.create.body.safeParse(value)];
`;

const folder = await mkdtemp(join(fileURLToPath(new URL('.', import.meta.url)), 'measured-'));
try {
  for (const [name, source] of Object.entries({ 'zod/mini': MINI, 'zod, contract': CONTRACT })) {
    const entry = join(folder, 'entry.js');
    await writeFile(entry, source);
    const { outputFiles } = await build({
      entryPoints: [entry],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    });
    console.log(name, gzipSync(outputFiles[0].contents, { level: 9 }).length);
  }
  const rules = JSON.stringify(Object.fromEntries(readBodies(contract)));
  console.log('rules of all bodies', gzipSync(rules, { level: 9 }).length);
} finally {
  await rm(folder, { recursive: true });
}
