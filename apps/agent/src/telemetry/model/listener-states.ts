import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { RESOURCE_TYPE, type ResourceStatus, type RolloutStatus, type Snapshot } from '@flotilla/xds';

/** Limit of the listeners in a report. */
const LISTENERS_MAX = 1_000;
const ERROR_MAX_CHARS = 1_000;
const ADDRESS_MAX_CHARS = 300;

/** Maps the names of Envoy's active listeners to their addresses. Throws if the response of `/listeners?format=json` is another. */
export function parseListeners(body: string): Map<string, string> {
  const { listener_statuses: statuses = [] } = JSON.parse(body) as { listener_statuses?: readonly ListenerStatus[] };
  return new Map(
    statuses.map(({ name, local_address: first, additional_local_addresses: more = [] }) => [
      name,
      [first, ...more]
        .flatMap((one) => toText(one) ?? [])
        .join(', ')
        .slice(0, ADDRESS_MAX_CHARS),
    ]),
  );
}

/** Returns the state of every listener that the newest snapshot contains. */
export function deriveListenerStates(
  wanted: Snapshot | undefined,
  rollout: RolloutStatus,
  active: ReadonlyMap<string, string>,
): fleet.ListenerState[] {
  const statuses = new Map(
    rollout.resources.filter(({ typeUrl }) => typeUrl === RESOURCE_TYPE.listener).map((one) => [one.name, one]),
  );
  return [...(wanted?.resources.values() ?? [])]
    .filter(({ typeUrl }) => typeUrl === RESOURCE_TYPE.listener)
    .slice(0, LISTENERS_MAX)
    .map(({ name }) => {
      const address = active.get(name);
      const error = address === undefined ? describe(statuses.get(name), rollout).slice(0, ERROR_MAX_CHARS) : '';
      return create(fleet.ListenerStateSchema, { name, serving: address !== undefined, address: address ?? '', error });
    });
}

/** Returns an empty text while the listener may still become active by itself. */
function describe(status: ResourceStatus | undefined, { state: rollout }: RolloutStatus): string {
  const state = status?.state;
  if (state?.kind === 'refused') return state.reason;
  if (state?.kind === 'held') return `${state.reason} (held back by "${state.by.name}")`;
  if (rollout === 'in_progress') return '';
  return 'Envoy has not activated it: something that it refers to is missing';
}

interface ListenerStatus {
  readonly name: string;
  readonly local_address?: Address;
  readonly additional_local_addresses?: readonly Address[];
}

interface Address {
  readonly socket_address?: { readonly address?: string; readonly port_value?: number };
  readonly pipe?: { readonly path?: string };
}

function toText(address: Address | undefined): string | undefined {
  const { address: host = '', port_value: port = 0 } = address?.socket_address ?? {};
  if (address?.socket_address) return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return address?.pipe?.path;
}
