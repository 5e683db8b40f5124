import type { LogEntry } from '@flotilla/access-log';
import type { CompiledSettings } from './settings.ts';
import type { SourceFacts } from './source/sources.ts';

/** Why a request is neither counted nor stored. The words are labels of a metric. */
export type DropReason =
  | 'ingest_filter'
  | 'exclude_method'
  | 'exclude_host'
  | 'exclude_listener'
  | 'exclude_project'
  | 'exclude_source_ip'
  | 'exclude_user_agent';

/** The first rule of the settings that drops the request. */
export function findDropReason(
  entry: LogEntry,
  { listener, source }: { readonly listener: string; readonly source: SourceFacts },
  settings: CompiledSettings,
): DropReason | undefined {
  if (settings.isProjectExcluded) return 'exclude_project';
  if (settings.excludedListeners.has(listener)) return 'exclude_listener';
  if (settings.excludedMethods.has(entry.method)) return 'exclude_method';
  if (source.isExcluded) return 'exclude_source_ip';
  if (settings.isHostExcluded?.(entry.authority.toLowerCase())) return 'exclude_host';
  if (settings.excludedAgents.some((part) => entry.userAgent.includes(part))) return 'exclude_user_agent';
  // A write to such a path is conspicuous, so only reads are dropped.
  const isRead = entry.method === 'GET' || entry.method === 'HEAD';
  return isRead && settings.denied.some((pattern) => pattern.test(entry.path)) ? 'ingest_filter' : undefined;
}
