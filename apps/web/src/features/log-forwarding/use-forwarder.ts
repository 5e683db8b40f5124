import type { CommandName, CommandResultRecord } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { useHostChange, useHostQuestion } from '../../host-commands/index.ts';
import { texts } from './texts.ts';

const WAIT_MS = 60_000;

export type ForwarderType = 'SYSLOG_FWD' | 'LOGSHIPPER';

/** The commands of a forwarder, and the member of their bodies with the configuration. */
export interface ForwarderCommands {
  readonly type: ForwarderType;
  readonly update: CommandName;
  readonly getStatus: string;
  readonly getConfig: string;
  readonly member: string;
}

/** Asks a host about a forwarder. */
export function useForwarderAnswer(clientId: string, type: ForwarderType, subType: string) {
  return useApi(routes.command.dispatch, useHostQuestion(clientId, type, subType));
}

/** Returns a function that changes the forwarder of a host. It rejects with the reason of the host. */
export function useForwarderChange(clientId: string, type: ForwarderType) {
  return useHostChange(clientId, { type, waitMs: WAIT_MS, explain: explainOutcome });
}

export function explainOutcome(result: CommandResultRecord | undefined): string {
  return result?.error?.message ?? texts.noAnswer;
}

/** `LOGSHIPPER UPDATE_FILEBEAT_CONFIG`: the second word. */
export function subTypeOf(command: CommandName): string {
  return command.split(' ')[1] ?? '';
}
