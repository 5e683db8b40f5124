import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findByEnvironment, ok, type Result, signalProcess, sleep, toErrorMessage, tryFileLock } from '@flotilla/kit';
import { ChangeFolder, type ChangeRecord, type Phase } from './change-folder.ts';
import { findDuplicate } from './duplicates.ts';
import { runBatch, runProgram } from './programs.ts';
import { readKernelState } from './read-state.ts';
import { planRestore } from './restore.ts';
import type { Problem } from './types.ts';

/** Processes of a change have its id in their environment. */
const CHANGE_VARIABLE = 'FLOTILLA_NETWORK_CHANGE';
const POLL_MS = 50;
const NETPLAN_TIMEOUT_MS = 90_000;
const RESTORE_PASSES = 5;

export function isFinal(phase: Phase | undefined): boolean {
  return phase === 'committed' || phase === 'reverted';
}

/**
 * Runs a change in a process of its own: applies it, waits for the agent to confirm it, and takes it back otherwise. It needs
 * nobody's help from then on.
 */
export async function guardChange(dataDir: string, id: string): Promise<void> {
  const folder = new ChangeFolder(dataDir, id);
  const record = await folder.read();
  await withLock(folder, record.settings.lockDir, async () => {
    if ((await folder.phase()) === 'prepared') {
      const applied = await apply(record).catch((error: unknown) => failure(toErrorMessage(error)));
      if (applied.ok) await folder.advance('prepared', 'applied');
      else {
        await folder.noteProblem(applied.error);
        await folder.advance('prepared', 'reverting');
      }
    }
    await waitForDecision(folder, record.timeoutMs);
    await settle(folder, record);
  });
}

/**
 * Finishes a change whose guard has died: a confirmed one is completed, any other is taken back. Returns false if the guard is
 * alive and finishes it.
 */
export async function finishChange(folder: ChangeFolder): Promise<boolean> {
  const { lockDir } = (await folder.read()).settings;
  return withLock(folder, lockDir, async () => {
    const phase = await folder.phase();
    if (phase === undefined || isFinal(phase)) return;
    // Programs of the guard may have outlived it.
    for (const process of findByEnvironment(CHANGE_VARIABLE, folder.id)) signalProcess(process, 'SIGKILL');
    const reverts = (await folder.advance('prepared', 'reverting')) || (await folder.advance('applied', 'reverting'));
    if (reverts) await folder.noteProblem({ code: 'network.interrupted', message: 'the change was interrupted' });
    await settle(folder, await folder.read());
  });
}

async function withLock({ id }: ChangeFolder, lockDir: string, work: () => Promise<void>): Promise<boolean> {
  const lock = await tryFileLock(join(lockDir, `network-${id}.lock`));
  if ('holder' in lock) return false;
  try {
    await work();
    return true;
  } finally {
    await lock.unlock();
  }
}

async function apply(record: ChangeRecord): Promise<Result<unknown, Problem>> {
  const { settings, id, lines, routeLines, shadow, newAddresses } = record;
  const env = { [CHANGE_VARIABLE]: id };
  // IPv6 addresses are asked for by the kernel, when it has them.
  const isAskedEarly = ({ address, dev }: { readonly address: string; readonly dev: string }) =>
    !address.includes(':') && record.before.links.some((link) => link.name === dev && link.isUp && link.hasCarrier);
  const early = await findDuplicate(record, newAddresses.filter(isAskedEarly), record.before);
  if (early) return { ok: false, error: early };
  if (shadow !== null) {
    await mkdir(dirname(shadow.path), { recursive: true });
    await writeFile(shadow.path, shadow.content ?? 'network: {version: 2}\n', { mode: 0o600 });
    const applied = await runProgram(settings, ['netplan', 'apply'], { timeoutMs: NETPLAN_TIMEOUT_MS, env });
    if (!applied.ok) return applied;
  }
  const ran = await runBatch(settings, lines, { env });
  if (!ran.ok) return ran;
  await runBatch(settings, routeLines, { isForced: true, env });
  const now = await readKernelState(settings);
  if (!now.ok) return now;
  const rest = newAddresses.filter((one) => !isAskedEarly(one));
  const late = await findDuplicate(record, rest, now.value);
  return late ? { ok: false, error: late } : ok(undefined);
}

async function waitForDecision(folder: ChangeFolder, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while ((await folder.phase()) === 'applied') {
    if (performance.now() > deadline && (await folder.advance('applied', 'reverting'))) {
      await folder.noteProblem({
        code: 'network.not_confirmed',
        message: `the agent did not reach the controller over the changed network within ${timeoutMs / 1000} s`,
      });
      return;
    }
    await sleep(POLL_MS);
  }
}

async function settle(folder: ChangeFolder, record: ChangeRecord): Promise<void> {
  const phase = await folder.phase();
  if (phase === 'confirmed') {
    await folder.commitFiles();
    await removeShadow(record);
    await folder.advance('confirmed', 'committed');
  } else if (phase === 'reverting') {
    await revert(record, folder);
    await folder.advance('reverting', 'reverted');
  }
}

async function revert(record: ChangeRecord, folder: ChangeFolder): Promise<void> {
  const { settings, shadow } = record;
  await folder.dropFiles();
  await removeShadow(record);
  if (shadow !== null) await runProgram(settings, ['netplan', 'apply'], { timeoutMs: NETPLAN_TIMEOUT_MS });
  for (let pass = 0; pass < RESTORE_PASSES; pass += 1) {
    const now = await readKernelState(settings);
    if (!now.ok) break;
    const lines = planRestore(now.value, record.before, record.scope);
    if (lines.length === 0) return;
    await runBatch(settings, lines, { isForced: true });
  }
  await folder.noteProblem(await describeRest(record));
}

async function describeRest({ settings, before, scope }: ChangeRecord): Promise<Problem> {
  const now = await readKernelState(settings);
  const rest = now.ok ? planRestore(now.value, before, scope) : ['the state of the kernel cannot be read'];
  return { code: 'network.not_restored', message: `not everything could be restored: ${rest.slice(0, 5).join('; ')}` };
}

/** Only then the file in /etc counts again. */
async function removeShadow({ shadow }: ChangeRecord): Promise<void> {
  if (shadow !== null) await rm(shadow.path, { force: true });
}

function failure(message: string): Result<never, Problem> {
  return { ok: false, error: { code: 'network.failed', message } };
}
