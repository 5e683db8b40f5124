import type { ApiOwnerRule } from '@flotilla/contract';

/** A rule as its form has it: lists are texts. */
export interface RuleValues {
  /** Identifies the rule in the form, so that fields keep their focus when rules move. */
  readonly key: string;
  readonly enabled: boolean;
  readonly name: string;
  readonly listener: string;
  readonly host: string;
  readonly paths: string;
  readonly methods: string[];
  readonly team: string;
  readonly owner: string;
  readonly criticality: ApiOwnerRule['set']['criticality'];
  readonly data: ApiOwnerRule['set']['data_classes'];
  readonly tags: string;
}

export function toValues({ name, enabled, match, set }: ApiOwnerRule, key: string): RuleValues {
  return {
    key,
    enabled,
    name,
    listener: match.listener_name,
    host: match.host_prefix,
    paths: match.path_prefixes.join(' '),
    methods: match.methods,
    team: set.team,
    owner: set.owner,
    criticality: set.criticality,
    data: set.data_classes,
    tags: set.tags.join(', '),
  };
}

export function createValues(key: string): RuleValues {
  const match = { listener_name: '', host_prefix: '', path_prefixes: [], methods: [] };
  const set = { team: '', owner: '', criticality: null, data_classes: [], tags: [] };
  return toValues({ name: '', enabled: true, match, set }, key);
}

export function toRule(values: RuleValues): ApiOwnerRule {
  return {
    name: values.name.trim(),
    enabled: values.enabled,
    match: {
      listener_name: values.listener.trim(),
      host_prefix: values.host.trim(),
      path_prefixes: split(values.paths, /\s+/),
      methods: values.methods as ApiOwnerRule['match']['methods'],
    },
    set: {
      team: values.team.trim(),
      owner: values.owner.trim(),
      criticality: values.criticality,
      data_classes: values.data,
      tags: split(values.tags, ','),
    },
  };
}

function split(text: string, by: string | RegExp): string[] {
  const parts = text.split(by).map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}
