import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Another one after each start of the kernel. If it cannot be read, each start of the agent counts as one. */
export function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return randomUUID();
  }
}
