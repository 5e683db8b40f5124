import { spawn } from 'node:child_process';
import { err, ok, type Result } from '@flotilla/kit';
import type { NetworkSettings, Problem } from './types.ts';

export interface RunOptions {
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 30_000;
const OUTPUT_MAX_BYTES = 64 * 1024 ** 2;
const MESSAGE_MAX = 2000;
/** Services often have no folders of the administrator in their PATH. */
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** Runs a program without a shell. Fails if it cannot be started, fails, takes too long or prints too much. */
export async function runProgram(
  { prefix }: Pick<NetworkSettings, 'prefix'>,
  command: readonly string[],
  { input = '', timeoutMs = TIMEOUT_MS, env = {} }: RunOptions = {},
): Promise<Result<string, Problem>> {
  const [program = '', ...args] = [...prefix, ...command];
  const name = command.slice(0, 2).join(' ');
  const child = spawn(program, args, { env: { PATH, LC_ALL: 'C.UTF-8', ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  let size = 0;
  let complaint = '';
  let problem: string | undefined;
  const end = (message: string) => {
    problem ??= message;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => end(`took longer than ${timeoutMs / 1000} s`), timeoutMs);
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > OUTPUT_MAX_BYTES) end(`printed more than ${OUTPUT_MAX_BYTES} bytes`);
    else output.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    if (complaint.length < MESSAGE_MAX) complaint += chunk.toString();
  });
  // A program may end before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      problem ??= error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  clearTimeout(timer);
  if (problem === undefined && code === 0) return ok(Buffer.concat(output).toString());
  const reason = problem ?? (complaint.trim().slice(0, MESSAGE_MAX) || `ended with code ${code}`);
  return err({ code: 'network.program', message: `${name}: ${reason}` });
}

/**
 * Runs lines in their order, as batches of `ip`. Stops at the first failure; with `isForced`, the lines after it are run, too.
 */
export async function runBatch(
  settings: Pick<NetworkSettings, 'prefix'>,
  lines: readonly string[],
  { isForced = false, env = {} }: { readonly isForced?: boolean; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Result<undefined, Problem>> {
  for (const { isIpv6Rule, batch } of splitByFamily(lines)) {
    const command = ['ip', ...(isIpv6Rule ? ['-6'] : []), ...(isForced ? ['-force'] : []), '-batch', '-'];
    const ran = await runProgram(settings, command, { input: `${batch.join('\n')}\n`, env });
    if (!ran.ok && !isForced) return ran;
  }
  return ok(undefined);
}

/** For rules, unlike routes, `ip` does not derive the version from the addresses. */
function splitByFamily(lines: readonly string[]) {
  const parts: Array<{ readonly isIpv6Rule: boolean; readonly batch: string[] }> = [];
  for (const line of lines) {
    const isIpv6Rule = line.startsWith('rule ') && line.includes(':');
    const last = parts.at(-1);
    if (last?.isIpv6Rule === isIpv6Rule) last.batch.push(line);
    else parts.push({ isIpv6Rule, batch: [line] });
  }
  return parts;
}
