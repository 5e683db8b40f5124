import { readdir } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import { readText } from './read-text.ts';

export interface UpgradeStatus {
  readonly reboot_required: boolean;
  /** Why. Empty if it is not. */
  readonly reasons: readonly string[];
  readonly running_kernel: string;
  /** Empty: the host does not tell, as in a container. */
  readonly newest_kernel: string;
}

const PACKAGES_MAX = 50;

/** Whether the host has to be restarted to run what is installed. */
export async function readUpgrade(root: string): Promise<UpgradeStatus> {
  const running = release();
  const kernels = await readdir(join(root, 'lib/modules')).catch(() => [] as string[]);
  const newest = kernels.toSorted(compareVersions).at(-1) ?? '';
  const note =
    (await readText(join(root, 'run/reboot-required'))) ?? (await readText(join(root, 'var/run/reboot-required')));
  const packages = (await readText(join(root, 'run/reboot-required.pkgs')))?.split('\n').slice(0, PACKAGES_MAX) ?? [];
  // A container has the kernel of its host, and none of its own.
  const isKernelOld = kernels.includes(running) && newest !== running;
  const reasons = [
    ...(note === undefined
      ? []
      : [packages.length > 0 ? `Packages need it: ${packages.join(', ')}.` : 'The system needs it.']),
    ...(isKernelOld ? [`The kernel ${newest} is installed, and ${running} runs.`] : []),
  ];
  return { reboot_required: reasons.length > 0, reasons, running_kernel: running, newest_kernel: newest };
}

/** Orders `6.1.0-9` before `6.1.0-10`. */
export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
