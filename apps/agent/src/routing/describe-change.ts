import type { ConfigLine } from '@flotilla/proto/routing';
import { hideSecrets, type LineChange } from './config-text.ts';

const SHOWN_MAX = 500;

/** A line of the diff as people see it. */
export interface ShownChange {
  readonly kind: 'add' | 'remove';
  /** The lines of the blocks that contain it, from the outermost one. */
  readonly blocks: readonly string[];
  readonly line: string;
}

export function showChanges(changes: readonly LineChange[]): { changes: ShownChange[]; changes_total: number } {
  const shown = changes.slice(0, SHOWN_MAX).map(({ kind, line }) => {
    const hidden = hideSecrets(line);
    return { kind, blocks: hidden.slice(0, -1), line: hidden.at(-1) ?? '' };
  });
  return { changes: shown, changes_total: changes.length };
}

export function describeLine(line: ConfigLine): string {
  return hideSecrets(line).join(' / ');
}
