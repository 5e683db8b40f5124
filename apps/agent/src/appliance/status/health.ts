import { readdir, stat, statfs } from 'node:fs/promises';
import { cpus, freemem, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { HEALTH_SEVERITIES, type HealthSeverity } from '@flotilla/proto/commands';
import type { HealthItem } from '../types.ts';
import { ask } from './block.ts';
import { readText } from './read-text.ts';

const MIB = 1024 ** 2;
/** Shares of what is used. */
const DISK = { WARN: 0.85, CRIT: 0.95 } as const;
const MEMORY = { WARN: 0.9, CRIT: 0.97 } as const;
/** Waiting programs per processor. */
const LOAD = { WARN: 2, CRIT: 5 } as const;
/** Degrees Celsius. */
const TEMPERATURE = { WARN: 80, CRIT: 95 } as const;

export interface HealthSources {
  /** The folders whose disks count. */
  readonly folders: readonly string[];
  /** Services that do not run as they should, with the reason. */
  readonly failing: ReadonlyArray<{ readonly service: string; readonly error: string }>;
}

/** Measures the health of the host. Areas that cannot be measured are left out. The worst is first. */
export async function readHealth({ folders, failing }: HealthSources): Promise<HealthItem[]> {
  const items = await Promise.all([
    readDisks(folders),
    readMemory(),
    readLoad(),
    readUnits(),
    readClock(),
    readTemperature(),
  ]);
  const services = failing.map(({ service, error }) => item('services', 'CRIT', `${service}: ${error}`));
  const rank = ({ severity }: HealthItem) => HEALTH_SEVERITIES.indexOf(severity);
  return [...items.flat(), ...services].toSorted((a, b) => rank(b) - rank(a));
}

async function readDisks(folders: readonly string[]): Promise<HealthItem[]> {
  const seen = new Set<number>();
  const items: HealthItem[] = [];
  for (const folder of folders) {
    const facts = await statfs(folder).catch(() => undefined);
    if (!facts || facts.blocks === 0) continue;
    const { dev } = await stat(folder);
    if (seen.has(dev)) continue;
    seen.add(dev);
    // Some blocks are reserved for the system, and count neither as used nor as free.
    const taken = facts.blocks - facts.bfree;
    const used = taken / Math.max(1, taken + facts.bavail);
    const free = Math.floor((facts.bavail * facts.bsize) / MIB);
    items.push(
      item('disk', judge(used, DISK), `The disk of ${folder} is ${percent(used)} full; ${free} MiB are free.`),
    );
    if (facts.files === 0) continue;
    const files = 1 - facts.ffree / facts.files;
    if (files > DISK.WARN)
      items.push(
        item('disk', judge(files, DISK), `The disk of ${folder} has used ${percent(files)} of its file entries.`),
      );
  }
  return items;
}

async function readMemory(): Promise<HealthItem[]> {
  const available = /^MemAvailable:\s+(\d+) kB/m.exec((await readText('/proc/meminfo')) ?? '')?.[1];
  const free = available === undefined ? freemem() : Number(available) * 1024;
  const used = 1 - free / totalmem();
  return [item('memory', judge(used, MEMORY), `${percent(used)} of the memory are used.`)];
}

async function readLoad(): Promise<HealthItem[]> {
  const [, load = 0] = loadavg();
  const perCore = load / Math.max(1, cpus().length);
  return [
    item('load', judge(perCore, LOAD), `The load of 5 minutes is ${load.toFixed(2)} on ${cpus().length} processors.`),
  ];
}

async function readUnits(): Promise<HealthItem[]> {
  const listed = await ask(['systemctl', '--no-pager', '--plain', '--no-legend', 'list-units', '--failed']);
  if (!listed.ok) return [];
  const units = listed.value.split('\n').flatMap((line) => /^(\S+\.\w+)/.exec(line.trim())?.[1] ?? []);
  if (units.length === 0) return [item('units', 'OK', 'No unit of systemd has failed.')];
  return [item('units', 'WARN', `Units of systemd have failed: ${units.slice(0, 20).join(', ')}.`)];
}

async function readClock(): Promise<HealthItem[]> {
  const shown = await ask(['timedatectl', 'show', '-p', 'NTPSynchronized', '--value']);
  if (!shown.ok) return [];
  const isSet = shown.value.trim() === 'yes';
  return [
    item('clock', isSet ? 'OK' : 'WARN', isSet ? 'The clock is synchronized.' : 'The clock is not synchronized.'),
  ];
}

async function readTemperature(): Promise<HealthItem[]> {
  const zones = await readdir('/sys/class/thermal').catch(() => [] as string[]);
  const degrees: number[] = [];
  for (const zone of zones.filter((name) => name.startsWith('thermal_zone'))) {
    const text = await readText(join('/sys/class/thermal', zone, 'temp'));
    if (text !== undefined && /^-?\d+$/.test(text)) degrees.push(Number(text) / 1000);
  }
  if (degrees.length === 0) return [];
  const highest = Math.max(...degrees);
  return [item('temperature', judge(highest, TEMPERATURE), `The highest temperature is ${highest.toFixed(0)} °C.`)];
}

export function judge(value: number, { WARN, CRIT }: { readonly WARN: number; readonly CRIT: number }): HealthSeverity {
  if (value >= CRIT) return 'CRIT';
  return value >= WARN ? 'WARN' : 'OK';
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function item(area: string, severity: HealthSeverity, message: string): HealthItem {
  return { area, severity, message };
}
