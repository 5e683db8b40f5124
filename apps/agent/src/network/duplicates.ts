import { sleep } from '@flotilla/kit';
import type { ChangeRecord } from './change-folder.ts';
import { runProgram } from './programs.ts';
import { readKernelState } from './read-state.ts';
import type { KernelState, Problem } from './types.ts';

/** The kernel needs about a second to find out whether an IPv6 address is free. */
const TENTATIVE_WAIT_MS = 5000;
const POLL_MS = 100;
const PROBES = 2;
const PROBE_S = 2;

/** Asks the link for other hosts with the new addresses. Interfaces without a carrier in `state` are skipped. */
export async function findDuplicate(
  { settings }: Pick<ChangeRecord, 'settings'>,
  addresses: ChangeRecord['newAddresses'],
  state: KernelState,
): Promise<Problem | undefined> {
  const asked = addresses.filter(({ dev }) =>
    state.links.some((link) => link.name === dev && link.isUp && link.hasCarrier),
  );
  const results = await Promise.all(
    asked.map(async ({ address, dev }) => {
      const [ip = ''] = address.split('/');
      if (ip.includes(':')) return (await isDuplicate6(settings, { address, dev })) ? toProblem(ip, dev) : undefined;
      const command = ['arping', '-D', '-q', '-c', String(PROBES), '-w', String(PROBE_S), '-I', dev, ip];
      const answer = await runProgram(settings, command);
      if (answer.ok) return undefined;
      // Only an exit without a complaint means that somebody has answered.
      return answer.error.message.endsWith('ended with code 1') ? toProblem(ip, dev) : undefined;
    }),
  );
  return results.find((one) => one !== undefined);
}

async function isDuplicate6(
  settings: ChangeRecord['settings'],
  { address, dev }: { readonly address: string; readonly dev: string },
): Promise<boolean> {
  const deadline = performance.now() + TENTATIVE_WAIT_MS;
  for (;;) {
    const state = await readKernelState(settings);
    const link = state.ok ? state.value.links.find(({ name }) => name === dev) : undefined;
    const found = link?.addresses.find((one) => one.address === address);
    if (found?.isDuplicate) return true;
    if (!found?.isTentative || performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
}

function toProblem(address: string, dev: string): Problem {
  return {
    code: 'network.duplicate_address',
    message: `another host on the link of ${dev} has the address ${address}`,
  };
}
