import type { EditPath } from '../../../yaml/places.ts';
import { asList, asRecord } from '../../../yaml/plain.ts';
import { readText } from '../../../yaml/read-text.ts';
import { ENGINE_FIELDS } from './engine-names.ts';

/** A policy as the form shows it: plain data with the inherited values of each part. */
export interface PolicyView {
  readonly defaults: Members;
  readonly domains: readonly DomainView[];
}

export type Members = Readonly<Record<string, unknown>>;

export interface DomainView {
  readonly path: EditPath;
  readonly hosts: readonly string[];
  /** The mode as it is written; undefined if the defaults apply. */
  readonly mode: unknown;
  readonly effectiveMode: string;
  /** Response to blocked requests, as it is written; undefined if the defaults apply. */
  readonly answer: Members | undefined;
  readonly effectiveAnswer: Members;
  readonly engines: readonly EngineSlot[];
  readonly routes: readonly RouteView[];
}

export interface RouteView {
  readonly path: EditPath;
  /** The field of the match that `prefix` is the value of. */
  readonly matchBy: 'path_prefix' | 'path_template';
  readonly prefix: string;
  readonly mode: unknown;
  readonly effectiveMode: string;
  readonly answer: Members | undefined;
  readonly engines: readonly EngineSlot[];
}

/**
 * - `own`: set here. `inherited`: set by the domain. `off`: the domain's engine is switched off here (`null`).
 * `unused`: set neither here nor by the domain.
 */
export type SlotState = 'own' | 'inherited' | 'off' | 'unused';

export interface EngineSlot {
  readonly name: string;
  readonly state: SlotState;
  readonly path: EditPath;
  /** Effective options, own or inherited; for a switched-off engine, those it would inherit. */
  readonly block: Members | undefined;
  /** Whether the domain has an engine to inherit. */
  readonly isOffered: boolean;
}

/** Returns undefined for a text that is not a policy: the code view shows why. */
export function readPolicyView(text: string): PolicyView | undefined {
  const root = asRecord(readText(text)?.value);
  return root && toView(asRecord(root.spec) ?? {});
}

function toView(spec: Members): PolicyView {
  const defaults = asRecord(spec.defaults) ?? {};
  const mode = textOf(defaults.mode) || 'block';
  const answer = asRecord(defaults.block_response) ?? {};
  return {
    defaults,
    domains: (asList(spec.domains) ?? []).map((domain, index) =>
      toDomain(asRecord(domain) ?? {}, { path: ['spec', 'domains', index], mode }, answer),
    ),
  };
}

interface Place {
  readonly path: EditPath;
  /** Inherited mode. */
  readonly mode: string;
}

function toDomain(domain: Members, { path, mode }: Place, inheritedAnswer: Members): DomainView {
  const policy = asRecord(domain.policy) ?? {};
  const effectiveMode = textOf(policy.mode) || mode;
  const answer = asRecord(policy.block_response);
  const engines = toSlots(asRecord(policy.engines) ?? {}, undefined, path);
  return {
    path,
    hosts: (asList(domain.hosts) ?? []).map(textOf),
    mode: policy.mode,
    effectiveMode,
    answer,
    effectiveAnswer: answer ?? inheritedAnswer,
    engines,
    routes: (asList(domain.routes) ?? []).map((route, index) =>
      toRoute(asRecord(route) ?? {}, engines, { path: [...path, 'routes', index], mode: effectiveMode }),
    ),
  };
}

function toRoute(route: Members, above: readonly EngineSlot[], { path, mode }: Place): RouteView {
  const policy = asRecord(route.policy) ?? {};
  return {
    path,
    matchBy: asRecord(route.match)?.path_template === undefined ? 'path_prefix' : 'path_template',
    prefix: textOf(asRecord(route.match)?.path_template ?? asRecord(route.match)?.path_prefix),
    mode: policy.mode,
    effectiveMode: textOf(policy.mode) || mode,
    answer: asRecord(policy.block_response),
    engines: toSlots(asRecord(policy.engines) ?? {}, above, path),
  };
}

function toSlots(written: Members, above: readonly EngineSlot[] | undefined, path: EditPath): readonly EngineSlot[] {
  return ENGINE_FIELDS.map(({ name }) => {
    const offered = above?.find((slot) => slot.name === name && slot.state === 'own')?.block;
    const slot = { name, path: [...path, 'policy', 'engines', name], isOffered: offered !== undefined };
    const isWritten = Object.hasOwn(written, name);
    if (isWritten && written[name] !== null) return { ...slot, state: 'own', block: asRecord(written[name]) ?? {} };
    if (offered === undefined) return { ...slot, state: 'unused', block: undefined };
    return { ...slot, state: isWritten ? 'off' : 'inherited', block: offered };
  });
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
