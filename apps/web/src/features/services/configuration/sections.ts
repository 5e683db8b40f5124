import { compareTypes, toKind } from '../resource-kind.ts';
import type { Snapshot } from '../types.ts';

export type SnapshotResource = Snapshot['resources'][number];

export interface SnapshotSection {
  readonly type: string;
  readonly title: string;
  readonly resources: readonly SnapshotResource[];
}

/** Lists resources by type, in the order in which traffic passes them; filtered by name or content. */
export function listSections(resources: readonly SnapshotResource[], text: string): SnapshotSection[] {
  const wanted = text.trim().toLowerCase();
  const fitting = resources.filter((one) => wanted === '' || holds(one, wanted));
  const types = [...new Set(fitting.map(({ type }) => type))].toSorted(compareTypes);
  return types.map((type) => ({
    type,
    title: toKind(type).plural,
    resources: fitting.filter((one) => one.type === type).toSorted((a, b) => a.name.localeCompare(b.name)),
  }));
}

function holds({ name, resource }: SnapshotResource, wanted: string): boolean {
  return name.toLowerCase().includes(wanted) || JSON.stringify(resource).toLowerCase().includes(wanted);
}
