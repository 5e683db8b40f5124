import type { EventExportSelection } from '@flotilla/contract';
import type { Condition } from '@flotilla/event-store';
import { toFlagBits } from '@flotilla/inventory';
import type { FindingRow } from './finding-store.ts';

/** The words of the store for each decision. A request that no filter has seen was allowed. */
const ACTIONS = { allowed: ['allow', ''], blocked: ['block'], detected: ['detect'] } as const;

/** The conditions of a selection: an event meets all of one of the lists. Undefined: every event. */
export function toConditions({
  decisions,
  min_risk: minRisk,
  flags,
  service_ids: services,
  hosts,
}: EventExportSelection): readonly (readonly Condition[])[] | undefined {
  const narrow: Condition[] = [
    ...(services.length > 0 ? [{ column: 'service', in: services } as const] : []),
    ...(hosts.length > 0 ? [{ column: 'host', in: hosts } as const] : []),
  ];
  if (decisions.length === Object.keys(ACTIONS).length) return narrow.length === 0 ? undefined : [narrow];
  const actions = decisions.flatMap((decision) => ACTIONS[decision]);
  const wanted: Condition[] = [
    ...(actions.length > 0 ? [{ column: 'action', in: actions } as const] : []),
    ...(minRisk === null ? [] : [{ column: 'risk', min: minRisk } as const]),
    ...(flags.length > 0 ? [{ column: 'flags', any: toFlagBits(flags) } as const] : []),
  ];
  return wanted.map((condition) => [condition, ...narrow]);
}

/** A filter that failed and let a request pass has detected something about it. */
export function isSelected(
  { findings, decisions, service_ids: services, hosts }: EventExportSelection,
  { verdict, service_id, host }: Pick<FindingRow, 'verdict' | 'service_id' | 'host'>,
): boolean {
  if (!findings || !decisions.includes(verdict === 'blocked' ? 'blocked' : 'detected')) return false;
  return (services.length === 0 || services.includes(service_id)) && (hosts.length === 0 || hosts.includes(host));
}
