import { runShield } from './run.ts';

const ending = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => ending.abort());
const { env, stdout, stderr } = process;
process.exitCode = await runShield(process.argv.slice(2), { env, stdout, stderr, signal: ending.signal });
