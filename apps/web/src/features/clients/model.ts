import type { CallOutput, clientRoutes, commandRoutes, enrolmentRoutes, fleetRoutes } from '@flotilla/contract';
import { texts } from './texts.tsx';

const text = texts.model;

type SeenClient = CallOutput<typeof fleetRoutes.client>;
type WholeServiceHere = WholeClient['services'][number];

/** A client as owners and admins read it. */
export type WholeClient = CallOutput<typeof clientRoutes.read>;
/** A client as every member reads it; only owners and admins get the optional members. */
export type Client = Omit<SeenClient, 'services'> &
  Partial<Omit<WholeClient, keyof SeenClient>> & {
    readonly services: readonly (SeenClient['services'][number] &
      Partial<Pick<WholeServiceHere, 'admin_port' | 'addresses'>>)[];
  };
export type ClientRow = CallOutput<typeof clientRoutes.list>['items'][number];
export type FleetClientRow = CallOutput<typeof fleetRoutes.clients>['items'][number];
export type CommandRow = CallOutput<typeof commandRoutes.list>['items'][number];
export type CommandRecord = CallOutput<typeof commandRoutes.read>;
export type EnrolmentToken = CallOutput<typeof enrolmentRoutes.listTokens>['items'][number];
/** The fields of an `ApiList` that show whether it contains a token. */
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

export function isWhole(client: Client): client is WholeClient {
  return client.hostname !== undefined;
}

/** Explains why a connection began or ended, as part of a sentence. */
export function explainReason(reason: string | null): string | undefined {
  if (!reason) return undefined;
  return REASONS[reason] ?? reason.replaceAll('_', ' ');
}
