import { runShield } from './run.ts';

const ending = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => ending.abort());
const { env, stdout, stderr } = process;
// What nobody reads, or has room for, ends no filter.
for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
process.exitCode = await runShield(process.argv.slice(2), { env, stdout, stderr, signal: ending.signal });
