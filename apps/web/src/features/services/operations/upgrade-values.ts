import { DRAIN_TIME } from '@flotilla/contract';
import type { OperationTarget } from './operation-order.ts';
import { isRelease } from './operations.ts';

export interface UpgradeValues {
  readonly from: string;
  readonly to: string;
  /** Seconds; empty: unchanged. */
  readonly drain: number | string;
}

/** The versions that deployed clients should run, the most frequent first. */
export function listWanted(targets: readonly Pick<OperationTarget, 'nodes'>[]): string[] {
  const counts = new Map<string, number>();
  for (const { deployed, wanted } of targets.flatMap(({ nodes }) => nodes)) {
    if (deployed && wanted !== undefined) counts.set(wanted, (counts.get(wanted) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([version]) => version);
}

/** Leaves out the clients that should run another version: an upgrade would refuse them. */
export function limitTo(from: string, targets: readonly OperationTarget[]): OperationTarget[] {
  return targets.map((target) => ({ ...target, nodes: target.nodes.filter(({ wanted }) => wanted === from) }));
}

/** The drain times of the clients, without repetitions. */
export function listDrainTimes(targets: readonly Pick<OperationTarget, 'nodes'>[]): number[] {
  const times = targets.flatMap(({ nodes }) => nodes.flatMap(({ drainTime }) => drainTime ?? []));
  return [...new Set(times)].sort((a, b) => a - b);
}

export function isDrainTime(value: number | string): boolean {
  return (
    value === '' || (Number.isInteger(value) && Number(value) >= DRAIN_TIME.minS && Number(value) <= DRAIN_TIME.maxS)
  );
}

export function isUpgradeReady({ from, to, drain }: UpgradeValues): boolean {
  return isRelease(from) && isRelease(to) && from !== to && isDrainTime(drain);
}
