import { readdir, stat } from 'node:fs/promises';
import type { ComplianceItem } from '../types.ts';
import { readText } from './read-text.ts';

const EFI = '/sys/firmware/efi/efivars';
/** Four bytes of attributes come before the value of a variable of the firmware. */
const EFI_VALUE_AT = 4;

/** Checks how the host is hardened. Checks that the kernel does not support are left out. */
export async function readCompliance(dataDir: string): Promise<ComplianceItem[]> {
  const checks = await Promise.all([
    readSecureBoot(),
    readLockdown(),
    readNumber('address_randomization', '/proc/sys/kernel/randomize_va_space', (value) => value === 2),
    readNumber('kernel_pointers_hidden', '/proc/sys/kernel/kptr_restrict', (value) => value >= 1),
    readNumber('kernel_log_restricted', '/proc/sys/kernel/dmesg_restrict', (value) => value === 1),
    readNumber('fips_mode', '/proc/sys/crypto/fips_enabled', (value) => value === 1),
    readAccessControl(),
    readDataFolder(dataDir),
  ]);
  return checks.flatMap((check) => check ?? []);
}

async function readNumber(
  check: string,
  source: string,
  isGood: (value: number) => boolean,
): Promise<ComplianceItem | undefined> {
  const text = await readText(source);
  if (text === undefined || !/^-?\d+$/.test(text)) return undefined;
  return { check, ok: isGood(Number(text)), value: text, source };
}

async function readSecureBoot(): Promise<ComplianceItem | undefined> {
  const names = await readdir(EFI).catch(() => [] as string[]);
  const name = names.find((one) => one.startsWith('SecureBoot-'));
  if (name === undefined) return undefined;
  const text = await readText(`${EFI}/${name}`);
  if (text === undefined) return undefined;
  const isOn = text.charCodeAt(EFI_VALUE_AT) === 1;
  return { check: 'secure_boot', ok: isOn, value: isOn ? 'on' : 'off', source: `${EFI}/${name}` };
}

/** `none [integrity] confidentiality`. */
async function readLockdown(): Promise<ComplianceItem | undefined> {
  const source = '/sys/kernel/security/lockdown';
  const value = /\[(\w+)\]/.exec((await readText(source)) ?? '')?.[1];
  return value === undefined ? undefined : { check: 'kernel_lockdown', ok: value !== 'none', value, source };
}

async function readAccessControl(): Promise<ComplianceItem | undefined> {
  const source = '/sys/kernel/security/lsm';
  const value = await readText(source);
  if (value === undefined) return undefined;
  const ok = /\b(?:selinux|apparmor|smack|tomoyo)\b/.test(value);
  return { check: 'mandatory_access_control', ok, value, source };
}

/** The keys of the agent are in it. */
async function readDataFolder(dataDir: string): Promise<ComplianceItem | undefined> {
  const facts = await stat(`${dataDir}/identity.json`).catch(() => undefined);
  if (!facts) return undefined;
  const mode = (facts.mode & 0o777).toString(8).padStart(4, '0');
  return {
    check: 'agent_keys_private',
    ok: (facts.mode & 0o077) === 0,
    value: mode,
    source: `${dataDir}/identity.json`,
  };
}
