import type { ApiDocumentScope } from '@flotilla/contract';
import { texts } from './texts.ts';

/** The scope in a few words. */
export function describeScope({
  host_prefixes: hosts,
  path_prefixes: paths,
  listener_name: listener,
}: ApiDocumentScope): string {
  return [hosts.join(', ') || texts.scope.any, ...paths, listener].filter((part) => part !== '').join(' · ');
}

/** One entry per line; null: nothing was written. */
export function readLines(text: string): string[] | null {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.length === 0 ? null : [...new Set(lines)];
}
