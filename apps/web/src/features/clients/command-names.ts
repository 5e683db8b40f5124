import type { CommandOutcome } from '@flotilla/contract';
import type { Filter, Tone } from '../../ui/index.ts';
import type { CommandRow } from './model.ts';

const NAMES: Readonly<Record<string, string>> = {
  CLIENT_STATS: 'Read statistics',
  DEPLOY: 'Deploy',
  UNDEPLOY: 'Undeploy',
  UPDATE_BOOTSTRAP: 'Update bootstrap',
  'SERVICE SUB_START': 'Start',
  'SERVICE SUB_STOP': 'Stop',
  'SERVICE SUB_RESTART': 'Restart',
  'SERVICE SUB_RELOAD': 'Reload',
  'SERVICE SUB_STATUS': 'Read status',
  'SERVICE SUB_LOGS': 'Read logs',
  'SHIELD UPDATE_SHIELD_CONFIG': 'Update filter',
  'SHIELD GET_SHIELD_CONFIG': 'Read filter configuration',
  'SHIELD GET_SHIELD_STATUS': 'Read filter status',
  'DATAPLANE_VERSION GET_VERSIONS': 'List Envoy versions',
  'DATAPLANE_VERSION SET_VERSION': 'Set Envoy version',
};

type Named = Pick<CommandRow, 'type' | 'sub_type' | 'operation'>;

/** `SERVICE SUB_START`: the command as the API has it. */
export function codeOf({ type, sub_type, operation }: Named): string {
  return [type, sub_type, operation].filter((part) => part !== '').join(' ');
}

export function nameOf(command: Named): string {
  return NAMES[codeOf(command)] ?? codeOf(command);
}

export interface OutcomeLook {
  readonly word: string;
  readonly tone: Tone;
  readonly shape: 'full' | 'half' | 'ring' | 'arc' | 'triangle' | 'square';
  readonly why: string;
}

const OUTCOMES: Readonly<Record<CommandOutcome, OutcomeLook>> = {
  done: { word: 'Done', tone: 'good', shape: 'full', why: 'It happened; the client says so' },
  failed: { word: 'Failed', tone: 'bad', shape: 'triangle', why: 'It did not happen' },
  refused: { word: 'Refused', tone: 'warn', shape: 'triangle', why: 'It was not tried' },
  pending: { word: 'Pending', tone: 'busy', shape: 'ring', why: 'The client is offline; it follows when it is back' },
  running: { word: 'Running', tone: 'busy', shape: 'arc', why: 'Not ended yet' },
  unknown: {
    word: 'Unknown',
    tone: 'warn',
    shape: 'ring',
    why: 'The client did not say in time; it may have happened',
  },
};

export function lookOf(outcome: CommandOutcome): OutcomeLook {
  return OUTCOMES[outcome];
}

/** Questions have types of their own: worth a choice only where they are shown. */
export const listFilters = (withQuestions: boolean): readonly Filter[] => [
  {
    name: 'type',
    label: 'Type',
    options: [
      ...['DEPLOY', 'UNDEPLOY', 'UPDATE_BOOTSTRAP', 'SERVICE', 'SHIELD', 'DATAPLANE_VERSION'],
      ...(withQuestions ? ['CLIENT_STATS'] : []),
    ].map((type) => ({ value: type, label: type })),
  },
  {
    name: 'outcome',
    label: 'Outcome',
    options: Object.entries(OUTCOMES).map(([value, { word }]) => ({ value, label: word })),
  },
];

/** `340 ms`, `4.2 s`, `3 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
}
