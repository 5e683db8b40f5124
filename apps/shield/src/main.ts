import { runShield } from './run.ts';

const ending = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => ending.abort());
const { env, stdout, stderr } = process;
// An unread or full output must not end the filter.
for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
process.exitCode = await runShield(process.argv.slice(2), { env, stdout, stderr, signal: ending.signal });
