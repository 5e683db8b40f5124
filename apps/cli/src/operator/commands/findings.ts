import {
  type CallOutput,
  type FindingChange,
  type FindingEvidence,
  type FindingSelection,
  type FindingView,
  findingRoutes,
} from '@flotilla/contract';
import { stringify } from 'yaml';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, get, list, send, type Verb } from '../nouns/verb.ts';
import { age, type Columns, printable } from '../output.ts';
import { DRY_RUN, LIMIT, SERVICE } from './inputs.ts';
import { parseFuture } from './time-argument.ts';

const owners = createLookup(findingRoutes.owners, { one: 'member', id: ({ id }) => id, name: ({ name }) => name });

const FINDING = { flags: '<finding>', help: 'id', to: 'finding_id' } as const;
const NOTE = { flags: '--note <text>', help: 'for the history', to: 'note' } as const;
const REASON = { flags: '--reason <text>', help: 'why the risk is accepted', isRequired: true } as const;
const UNTIL = {
  flags: '--until <time>',
  help: 'when the acceptance ends: a duration such as 90d, or a time',
  read: (text: string) => parseFuture(text, Date.now()),
  isRequired: true,
} as const;

const FILTERS = [
  { flags: '--state <state>', to: 'state' },
  { flags: '--severity <severity>', to: 'severity' },
  { flags: '--flag <flag>', help: 'a risk flag', to: 'risk_flag' },
  { flags: '--owner <name>', help: 'name or id of a member', to: 'owner_id', lookup: owners },
  { flags: '--unassigned', help: 'without an owner', to: 'unassigned', value: 'true' },
  { flags: '--operation <id>', to: 'operation_id' },
  { flags: '--host <prefix>', help: 'start of the host', to: 'host' },
  SERVICE,
  { flags: '-q, --query <text>', help: 'part of the host, path or flag', to: 'q' },
] as const;

const nameOf = ({ method, host, normalized_path: path, operation }: FindingView['operation']) =>
  `${method} ${host}${path}${operation && ` ${operation}`}`;

const COLUMNS: Columns<FindingView> = {
  id: 'id',
  severity: 'severity',
  state: 'state',
  finding: 'title',
  operation: ({ operation }) => nameOf(operation),
  owner: ({ owner }) => owner?.name,
  seen: age('last_seen'),
  evidence: ({ evidence }) => describeEvidence(evidence),
};

/** Says in one line what is missing until the traffic shows that it is fixed. */
function describeEvidence(evidence: FindingEvidence | null): string | null {
  if (evidence === null) return null;
  if (evidence.no_traffic_since !== null) return `no traffic since ${evidence.no_traffic_since}`;
  const parts = [`${evidence.requests} of ${evidence.requests_needed} requests`];
  if (evidence.used_s < evidence.used_s_needed)
    parts.push(`${toDays(evidence.used_s)} of ${toDays(evidence.used_s_needed)} d`);
  if (evidence.condition !== null && !evidence.condition_met) parts.push(`not ${evidence.condition}`);
  return parts.join(', ');
}

const toDays = (seconds: number) => (seconds / 86_400).toFixed(1);

const sayState = ({ title, operation, state }: CallOutput<typeof findingRoutes.setState>) =>
  printable(`${title} of ${nameOf(operation)}: ${state}.`);

/** A command that gives one finding a state. */
function decide(help: string, toChange: (note: string | undefined) => FindingChange): Verb {
  return act<{ note?: string }>(
    { help, inputs: [FINDING, NOTE, DRY_RUN], route: findingRoutes.setState },
    async ({ scope, id, values }, { note }) => {
      const { body } = await scope.connection.call(findingRoutes.setState, {
        params: { finding_id: id('finding') },
        query: { project: scope.project, ...dryRun(values) },
        body: toChange(note),
      });
      return { json: body, text: sayState(body) };
    },
  );
}

const dryRun = (values: Readonly<Record<string, unknown>>) => (values.dryRun ? { dry_run: 'true' as const } : {});
const withNote = (note: string | undefined) => (note === undefined ? {} : { note });

const accept = act<{ reason: string; until: string }>(
  {
    help: 'accept the risk until a date; the finding comes back then',
    inputs: [FINDING, REASON, UNTIL, DRY_RUN],
    route: findingRoutes.setState,
  },
  async ({ scope, id, values }, { reason, until }) => {
    const { body } = await scope.connection.call(findingRoutes.setState, {
      params: { finding_id: id('finding') },
      query: { project: scope.project, ...dryRun(values) },
      body: { state: 'accepted', note: reason, until },
    });
    return { json: body, text: printable(`${body.title} of ${nameOf(body.operation)}: accepted until ${until}.`) };
  },
);

interface Many {
  readonly state?: readonly FindingView['state'][];
  readonly severity?: readonly FindingView['severity'][];
  readonly flag?: readonly FindingView['flag'][];
  readonly operation?: readonly string[];
  readonly host?: string;
  readonly query?: string;
  readonly unassigned?: boolean;
  readonly to: string;
  readonly reason?: string;
  readonly until?: string;
}

const MANY_INPUTS = [
  {
    flags: '--to <change>',
    help: 'the new state',
    choices: ['acknowledged', 'accepted', 'fix_claimed', 'new'],
    isRequired: true,
  },
  { flags: '--reason <text>', help: 'why the risk is accepted, or a note' },
  { flags: '--until <time>', help: 'when the acceptance ends', read: (text: string) => parseFuture(text, Date.now()) },
  ...FILTERS,
  DRY_RUN,
] as const;

const changeMany = act<Many & Record<string, unknown>>(
  {
    help: 'change the state of all findings that the filters choose; --dry-run counts them',
    inputs: MANY_INPUTS,
  },
  async ({ scope, values, id }, many) => {
    const request = {
      query: { project: scope.project, ...dryRun(values) },
      body: { select: { filter: toFilter(many, id) }, change: toChange(many) },
    };
    const { body } = await scope.connection.call(findingRoutes.changeMany, request);
    const rest = body.remaining > 0 ? ` ${body.remaining} more match: send it again.` : '';
    const text = `${body.changed} of ${body.matched} findings ${values.dryRun ? 'would change' : 'changed'}, ${body.unchanged} unchanged, ${body.refused} closed.${rest}`;
    return { json: body, text };
  },
);

type FindingFilter = Extract<FindingSelection, { filter: object }>['filter'];

function toFilter(many: Many & Record<string, unknown>, id: (input: string) => string): FindingFilter {
  const asList = (value: unknown) => (value === undefined ? undefined : [value].flat());
  const filter = {
    state: asList(many.state),
    severity: asList(many.severity),
    risk_flag: asList(many.flag),
    owner_id: many.owner === undefined ? undefined : [id('owner')],
    service_id: many.service === undefined ? undefined : [id('service')],
    operation_id: asList(many.operation),
    host: many.host,
    q: many.query,
    unassigned: many.unassigned ? true : undefined,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as FindingFilter;
}

function toChange({ to, reason, until }: Many): FindingChange {
  if (to !== 'accepted') return { state: to as 'acknowledged', ...withNote(reason) };
  if (reason === undefined || until === undefined)
    throw new CliFailure(EXIT.usage, 'Give --reason and --until to accept findings.');
  return { state: to, note: reason, until };
}

const assign = act<{ to?: string; nobody?: boolean }>(
  {
    help: 'give a finding an owner',
    inputs: [
      FINDING,
      { flags: '--to <member>', help: 'name or id of a member of the project', lookup: owners },
      { flags: '--nobody', help: 'no owner', conflicts: 'to' },
      DRY_RUN,
    ],
    route: findingRoutes.assign,
  },
  async ({ scope, id, values }, { to, nobody }) => {
    if (to === undefined && !nobody) throw new CliFailure(EXIT.usage, 'Give --to or --nobody.');
    const { body } = await scope.connection.call(findingRoutes.assign, {
      params: { finding_id: id('finding') },
      query: { project: scope.project, ...dryRun(values) },
      body: { owner_id: to === undefined ? null : id('to') },
    });
    return {
      json: body,
      text: printable(`${body.title}: ${body.owner === null ? 'no owner' : `owner ${body.owner.name}`}.`),
    };
  },
);

export const FINDINGS: Noun = {
  help: 'risks of operations that people work with',
  place: 'project',
  verbs: {
    list: list(findingRoutes.list, {
      inputs: [...FILTERS, { flags: '--sort <fields>', help: 'such as severity or -last_seen', to: 'sort' }, LIMIT],
      columns: COLUMNS,
    }),
    summary: get(findingRoutes.summary),
    show: get(findingRoutes.get, { inputs: [FINDING], text: (body) => stringify(body) }),
    history: list(findingRoutes.history, {
      inputs: [FINDING, LIMIT],
      columns: { time: 'at', what: 'kind', from: 'from', to: 'to', by: 'by', note: 'note' },
    }),
    acknowledge: decide('say that somebody takes care of a finding', (note) => ({
      state: 'acknowledged',
      ...withNote(note),
    })),
    accept,
    'claim-fixed': decide('say that a finding is fixed; the traffic has to show it', (note) => ({
      state: 'fix_claimed',
      ...withNote(note),
    })),
    reopen: decide('make a finding new again', (note) => ({ state: 'new', ...withNote(note) })),
    assign,
    comment: send(findingRoutes.comment, {
      inputs: [FINDING, { flags: '<text>', to: 'text' }, DRY_RUN],
      text: () => 'The comment is written.',
    }),
    owners: list(findingRoutes.owners, { columns: { id: 'id', name: 'name' } }),
    'change-many': changeMany,
  },
};
