import type { CallOutput, clientRoutes, commandRoutes, enrolmentRoutes } from '@flotilla/contract';
import { texts } from '../../texts/index.ts';

const text = texts.clients.model;

export type Client = CallOutput<typeof clientRoutes.read>;
export type ClientRow = CallOutput<typeof clientRoutes.list>['items'][number];
export type CommandRow = CallOutput<typeof commandRoutes.list>['items'][number];
export type CommandRecord = CallOutput<typeof commandRoutes.read>;
export type EnrolmentToken = CallOutput<typeof enrolmentRoutes.listTokens>['items'][number];
/** Of an `ApiList`, what tells whether a token is in it. */
export interface EnrolmentTokenList {
  readonly rows: readonly EnrolmentToken[];
  readonly query: { readonly data: unknown; readonly isPlaceholderData: boolean; readonly hasNextPage: boolean };
}
export type CreatedToken = CallOutput<typeof enrolmentRoutes.createToken>;

const REASONS: Readonly<Record<string, string>> = {
  stream_opened: text.streamOpened,
  'agent left': text.agentLeft,
  'connection lost': text.connectionLost,
  'stream failed': text.streamFailed,
  'agent stuck': text.agentStuck,
  displaced: text.displaced,
  'controller stopped': text.controllerStopped,
  controller_stopped: text.controllerStopped,
  controller_lost: text.controllerLost,
  'no hello': text.noHello,
  'hello not stored': text.helloNotStored,
  failure: text.failure,
};

/** Why a connection began or ended, as part of a sentence. */
export function explainReason(reason: string | null): string | undefined {
  if (!reason) return undefined;
  return REASONS[reason] ?? reason.replaceAll('_', ' ');
}
