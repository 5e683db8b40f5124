import type { ApiBreakingChange, ApiBreakingKind } from '@flotilla/contract';
import { toTemplate } from '@flotilla/inventory';
import type { DocumentOperation, OperationFacts, ParameterFacts, Server } from './document.ts';

export interface ComparedVersion {
  readonly servers: readonly Server[];
  readonly operations: readonly DocumentOperation[];
}

export interface VersionChanges {
  readonly changes: readonly ApiBreakingChange[];
  readonly added: number;
}

/** Finds what clients of the older version may not do with the newer one. Schemas of bodies are not compared. */
export function compareVersions(older: ComparedVersion, newer: ComparedVersion): VersionChanges {
  const now = byShape(newer.operations);
  const before = byShape(older.operations);
  const changes = [...before].flatMap(([key, operation]) => compareOperation(operation, now.get(key)));
  const bases = new Set(newer.servers.map(({ base }) => base));
  const gone = [...new Set(older.servers.map(({ base }) => base))].filter((base) => !bases.has(base));
  const removed = gone.map((base) => ({
    kind: 'base_path_removed' as const,
    method: '',
    path: base || '/',
    detail: '',
  }));
  return { changes: [...removed, ...changes], added: [...now.keys()].filter((key) => !before.has(key)).length };
}

/** Names of path parameters mean nothing to clients. */
function byShape(operations: readonly DocumentOperation[]): Map<string, DocumentOperation> {
  const found = new Map<string, DocumentOperation>();
  for (const operation of operations) {
    const shape = (toTemplate('', operation.path) ?? operation.path).replaceAll(/\{[^{}]*\}/g, '{}');
    const key = `${operation.method} ${shape}`;
    // The first of two that mean the same counts, as when they are compared with traffic.
    if (!found.has(key)) found.set(key, operation);
  }
  return found;
}

function compareOperation(older: DocumentOperation, newer: DocumentOperation | undefined): ApiBreakingChange[] {
  const { method, path } = older;
  const change = (kind: ApiBreakingKind, detail = '') => ({ kind, method, path, detail });
  if (newer === undefined) return [change('operation_removed')];
  const [before, now] = [older.facts, newer.facts];
  return [
    ...compareParameters(before, now).map(({ kind, detail }) => change(kind, detail)),
    ...compareBodies(before, now).map(({ kind, detail }) => change(kind, detail)),
    ...before.statuses
      .filter((code) => code.startsWith('2') && !now.statuses.includes(code) && !now.openStatuses)
      .map((code) => change('success_status_removed', code)),
    ...(now.secured && !before.secured ? [change('security_added')] : []),
  ];
}

interface Difference {
  readonly kind: ApiBreakingKind;
  readonly detail: string;
}

function compareParameters(before: OperationFacts, now: OperationFacts): Difference[] {
  const named = (facts: OperationFacts) =>
    new Map(facts.parameters.filter((one) => one.in !== 'path').map((one) => [nameOf(one), one]));
  const [older, newer] = [named(before), named(now)];
  const removed = [...older].flatMap(([name, parameter]): Difference[] => {
    const after = newer.get(name);
    if (after === undefined)
      return now.openQuery && parameter.in === 'query' ? [] : [{ kind: 'parameter_removed', detail: name }];
    if (parameter.type !== '' && after.type !== '' && parameter.type !== after.type)
      return [{ kind: 'parameter_type_changed', detail: `${name}: ${parameter.type} → ${after.type}` }];
    return [];
  });
  const required = [...newer].flatMap(([name, parameter]): Difference[] =>
    parameter.required && older.get(name)?.required !== true ? [{ kind: 'parameter_required', detail: name }] : [],
  );
  return [...removed, ...required];
}

/** Names of headers have no case. */
function nameOf({ in: place, name }: ParameterFacts): string {
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`;
}

function compareBodies({ body: before }: OperationFacts, { body: now }: OperationFacts): Difference[] {
  const differences: Difference[] = [];
  if (now?.required === true && before?.required !== true) differences.push({ kind: 'body_required', detail: '' });
  if (before === null || now === null || now.media.length === 0 || now.media.includes('*/*')) return differences;
  for (const media of before.media)
    if (!now.media.includes(media)) differences.push({ kind: 'media_type_removed', detail: media });
  return differences;
}
