import {
  type CallInput,
  COMMAND_SPECS,
  type CommandName,
  type commandRolloutRoutes,
  mayCommand,
  parseAmount,
  type Role,
  specOf,
} from '@flotilla/contract';
import { nameOf } from '../command-names.ts';

export interface RolloutValues {
  /** The name of a command. */
  readonly what: string;
  readonly service: string;
  readonly version: string;
  /** The version before, of an upgrade. */
  readonly from: string;
  readonly chosenBy: 'service' | 'labels' | 'names';
  readonly labelled: readonly string[];
  /** Ids. */
  readonly named: readonly string[];
  readonly first: string;
  readonly wave: string;
  readonly pause: number | string;
  readonly time: number | string;
  readonly stop: string;
}

export const INITIAL: RolloutValues = {
  what: 'SERVICE SUB_RESTART',
  service: '',
  version: '',
  from: '',
  chosenBy: 'service',
  labelled: [],
  named: [],
  first: '',
  wave: '10%',
  pause: 0,
  time: 600,
  stop: '1',
};

/** Commands whose fields the form has. The others can be rolled out through the API and the command line. */
const OFFERED: readonly CommandName[] = [
  'SERVICE SUB_RESTART',
  'SERVICE SUB_RELOAD',
  'SERVICE SUB_START',
  'SERVICE SUB_STOP',
  'DEPLOY',
  'UNDEPLOY',
  'UPDATE_BOOTSTRAP',
  'SHIELD UPDATE_SHIELD_CONFIG',
  'UPGRADE_LISTENER',
  'DATAPLANE_VERSION SET_VERSION',
  'DATAPLANE_VERSION REMOVE_VERSION',
  'WAF_VERSION SET_VERSION',
  'WAF_VERSION REMOVE_VERSION',
];
export const ROLLOUT_CHOICES = COMMAND_SPECS.filter(({ name }) => OFFERED.includes(name));

export function listChoices(role: Role) {
  return OFFERED.filter((name) => mayCommand(role, name)).map((name) => {
    const { type, subType, operation } = specOf(name);
    return { value: name as string, label: nameOf({ type, sub_type: subType, operation }) };
  });
}

export function specOfChoice(what: string) {
  return ROLLOUT_CHOICES.find(({ name }) => name === what) ?? specOf('SERVICE SUB_RESTART');
}

/** Whether the command names a version. */
export function hasVersion(what: string): boolean {
  return isUpgrade(what) || specOfChoice(what).operation !== '';
}

export function isUpgrade(what: string): boolean {
  return what === 'UPGRADE_LISTENER';
}

const toVersion = (text: string) => text.trim().replace(/^v/, '');

type Body = NonNullable<CallInput<typeof commandRolloutRoutes.start>['body']>;

export function toRequest(values: RolloutValues): Body {
  const { type, subType, operation, service } = specOfChoice(values.what);
  const name = service === 'none' ? '' : values.service.trim();
  const wave = parseAmount(values.wave);
  const stop = parseAmount(values.stop);
  return {
    type,
    sub_type: subType,
    command: {
      ...(name !== '' && { name }),
      ...(operation !== '' && { operation, version: toVersion(values.version) }),
      ...(isUpgrade(values.what) && { from_version: toVersion(values.from), to_version: toVersion(values.version) }),
    },
    ...(values.chosenBy === 'labels' && { labels: [...values.labelled] }),
    ...(values.chosenBy === 'names' && { clients: [...values.named] }),
    ...(values.first !== '' && { first_wave: Number(values.first) }),
    ...(wave && (wave.isShare ? { wave_percent: wave.value } : { wave_size: wave.value })),
    ...(stop && (stop.isShare ? { stop_at_failed_percent: stop.value } : { stop_at_failures: stop.value })),
    pause_s: Number(values.pause),
    wait_s: Number(values.time),
  };
}
