import type { CallOutput, clientRoutes, commandRoutes, enrolmentRoutes } from '@flotilla/contract';

export type Client = CallOutput<typeof clientRoutes.read>;
export type ClientRow = CallOutput<typeof clientRoutes.list>['items'][number];
export type CommandRow = CallOutput<typeof commandRoutes.list>['items'][number];
export type CommandRecord = CallOutput<typeof commandRoutes.read>;
export type EnrolmentToken = CallOutput<typeof enrolmentRoutes.listTokens>['items'][number];
export type CreatedToken = CallOutput<typeof enrolmentRoutes.createToken>;

const REASONS: Readonly<Record<string, string>> = {
  stream_opened: 'the agent opened a stream',
  'agent left': 'the agent ended',
  'connection lost': 'the connection was lost',
  'stream failed': 'the connection failed',
  'agent stuck': 'the agent did not read what it was sent',
  displaced: 'the agent came back by a newer connection',
  'controller stopped': 'the controller was stopped',
  controller_stopped: 'the controller was stopped',
  controller_lost: 'the controller that it was connected to does not answer',
  'no hello': 'the agent did not say who it is',
  'hello not stored': 'the controller could not store what the agent said',
  failure: 'the controller failed at something that the agent said',
};

/** Why a connection began or ended, as part of a sentence. */
export function explainReason(reason: string | null): string | undefined {
  if (!reason) return undefined;
  return REASONS[reason] ?? reason.replaceAll('_', ' ');
}
