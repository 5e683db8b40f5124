import { type CompiledEngine, compileEngine, createArenaBuffer, LimiterArena } from '@flotilla/engines';
import { FakeClock } from '@flotilla/kit';
import {
  digestApiKey,
  type EngineBlock,
  type LoadedPolicies,
  loadPolicyFiles,
  type PolicyFile,
} from '@flotilla/policy';
import { Decision } from '../decision.ts';
import { TrialView } from '../explain/trial-view.ts';
import { headOf, packPolicies } from '../packed-policies.ts';
import { CounterBook } from '../policy-counters.ts';
import type { PolicyRuntime } from '../runtime.ts';
import { buildRuntime, RuntimeBuilder } from '../runtime-builder.ts';

/** The bundle of these `spec`s, one document each, with the files that they refer to. Throws with its problems. */
export function loadSpecs(specs: readonly object[], files: readonly PolicyFile[] = []): LoadedPolicies {
  const documents = specs.map((spec, n) => {
    const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: `p${n}` }, spec };
    return { path: `p${n}.json`, content: JSON.stringify(document) };
  });
  const loaded = loadPolicyFiles([...documents, ...files]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return loaded.value;
}

/** The environment of one filter, with a record of every engine that it creates. */
export class Workshop {
  readonly clock = new FakeClock();
  readonly arena = new LimiterArena(createArenaBuffer(2 ** 24));
  readonly counters = new CounterBook();
  readonly made: EngineBlock['engine'][] = [];
  readonly compile = (block: EngineBlock, id?: number): CompiledEngine => {
    this.made.push(block.engine);
    return compileEngine(block, this.clock, { arena: this.arena, ...(id !== undefined && { id }) });
  };

  options(previous?: PolicyRuntime) {
    const { compile, counters } = this;
    return { nowMs: 0, compile, counters, ...(previous && { previous }) };
  }

  early(loaded: LoadedPolicies, previous?: PolicyRuntime): PolicyRuntime {
    return buildRuntime(loaded, this.options(previous));
  }

  late(loaded: LoadedPolicies, previous?: PolicyRuntime): PolicyRuntime {
    const builder = new RuntimeBuilder(headOf(loaded), this.options(previous));
    for (const piece of packPolicies(loaded.domains)) builder.add(piece);
    return builder.finish();
  }
}

export const KEYED = { api_key: { keys: [{ sha256: digestApiKey('one') }] } };
const LIMITED = { rate_limit: { requests_per_second: 0.001, burst: 1 } };

/** A domain with one host; by default a key and a limit of one request. */
export const domainOf = (host: string, engines: object = { ...KEYED, ...LIMITED }) => ({
  hosts: [host],
  policy: { engines },
});

interface Trial {
  readonly host: string;
  readonly path: string;
  readonly key: string;
  readonly user?: string;
  readonly token?: string;
}

/** Presents the key of `KEYED`. */
export const at = (host: string, path = '/'): Trial => ({ host, path, key: 'one' });

/** Everything that a decision reports. */
export function ask(runtime: PolicyRuntime, { host, path, key, user = '', token = '' }: Trial) {
  const findings: string[] = [];
  const decision = new Decision(runtime, {
    onFinding: ({ policy, engine, verdict, outcome }) =>
      findings.push([policy.name, policy.pathPrefix, outcome, engine, verdict.reason, verdict.status].join(' ')),
    onEngineError: (engine, error) => findings.push(`${engine} threw ${error}`),
  });
  const headers: [string, string][] = [];
  if (key !== '') headers.push(['x-api-key', key]);
  if (user !== '') headers.push(['x-user', user]);
  if (token !== '') headers.push(['authorization', token]);
  const view = new TrialView({ method: 'GET', url: `https://${host}${path}`, headers, source_ip: '192.0.2.1' });
  const answer = decision.decideHeaders(view, true);
  const { grants, blockResponse, bodyMaxBytes } = decision;
  return { answer, findings, grants, blockResponse, bodyMaxBytes };
}
