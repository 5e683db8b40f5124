import type { ApiOwnerOverride, ApiOwnerRule, ApiOwnership } from '@flotilla/contract';
import { compileScope, type Place } from '../../api-documents/index.ts';

export interface OwnedPlace extends Place {
  readonly method: string;
}

export interface Evaluation extends ApiOwnership {
  /** Positions of the rules that match, in their order. */
  readonly matched: readonly number[];
  /** Positions of those that say something that no rule before them says. */
  readonly effective: readonly number[];
}

export type Evaluate = (place: OwnedPlace, override?: ApiOwnerOverride) => Evaluation;

interface CompiledRule {
  readonly index: number;
  readonly rule: ApiOwnerRule;
  readonly matchesPath: (path: string) => boolean;
}

const HOSTS_MAX = 4096;

/**
 * Compiles rules into a function that says who owns an operation. The first rule that says something decides; tags of all rules add up. An
 * override replaces what it names. The rules that match a listener, host and method are found once for each of these, so that a hundred
 * thousand operations take little time.
 */
export function compileRules(rules: readonly ApiOwnerRule[]): Evaluate {
  const compiled = rules.map((rule, index) => ({ index, rule, ...compileRule(rule) }));
  const known = new Map<string, readonly CompiledRule[]>();
  const findRules = (place: OwnedPlace): readonly CompiledRule[] => {
    const key = `${place.method}\n${place.host}\n${place.listeners.join('\n')}`;
    let found = known.get(key);
    if (found === undefined) {
      found = compiled.filter((one) => one.rule.enabled && one.matchesElsewhere(place));
      if (known.size < HOSTS_MAX) known.set(key, found);
    }
    return found;
  };
  return (place, override) => {
    const matched = findRules(place).filter(({ matchesPath }) => matchesPath(place.path));
    return applyOverride(combine(matched), override);
  };
}

function compileRule({ match: { listener_name, host_prefix, path_prefixes, methods } }: ApiOwnerRule) {
  const host_prefixes = host_prefix === '' ? [] : [host_prefix];
  const elsewhere = compileScope({ listener_name, host_prefixes, path_prefixes: [] });
  const paths = compileScope({ listener_name: '', host_prefixes: [], path_prefixes });
  const wanted = new Set<string>(methods);
  return {
    matchesElsewhere: (place: OwnedPlace) =>
      (wanted.size === 0 || wanted.has(place.method)) && elsewhere.matches(place),
    matchesPath: (path: string) => paths.matches({ host: '', listeners: [], path }),
  };
}

function combine(matched: readonly CompiledRule[]): Evaluation {
  const values = { team: '', owner: '', criticality: null as ApiOwnership['criticality'] };
  let dataClasses: ApiOwnership['data_classes'] = [];
  const tags = new Set<string>();
  const effective: number[] = [];
  for (const { index, rule } of matched) {
    const { team, owner, criticality, data_classes, tags: more } = rule.set;
    const before = tags.size;
    for (const tag of more) tags.add(tag);
    const isNew = [
      tags.size > before,
      values.team === '' && team !== '',
      values.owner === '' && owner !== '',
      values.criticality === null && criticality !== null,
      dataClasses.length === 0 && data_classes.length > 0,
    ];
    if (isNew.includes(true)) effective.push(index);
    values.team ||= team;
    values.owner ||= owner;
    values.criticality ??= criticality;
    if (dataClasses.length === 0) dataClasses = data_classes;
  }
  return {
    ...values,
    data_classes: dataClasses,
    tags: [...tags],
    matched: matched.map(({ index }) => index),
    effective,
  };
}

/** An empty value of an override says that there is none. */
function applyOverride(evaluation: Evaluation, override: ApiOwnerOverride | undefined): Evaluation {
  if (override === undefined) return evaluation;
  const { team, owner, criticality, data_classes, tags } = override;
  return {
    ...evaluation,
    team: team ?? evaluation.team,
    owner: owner ?? evaluation.owner,
    criticality: criticality === undefined ? evaluation.criticality : criticality,
    data_classes: data_classes ?? evaluation.data_classes,
    tags: tags ?? evaluation.tags,
  };
}
