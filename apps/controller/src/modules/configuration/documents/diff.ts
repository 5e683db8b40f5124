import type { Change } from '@flotilla/contract';
import { formatPath, type JsonValue, listDifferences } from '@flotilla/envoy-api';

const CHANGES_MAX = 200;

/** Lists the differences of two JSON values for the API, up to a maximum. */
export function diffJson(before: JsonValue | undefined, after: JsonValue | undefined): Change[] {
  const changes: Change[] = [];
  for (const { path, ...change } of listDifferences(before, after)) {
    changes.push({ path: formatPath(path), ...change });
    if (changes.length === CHANGES_MAX) break;
  }
  return changes;
}
