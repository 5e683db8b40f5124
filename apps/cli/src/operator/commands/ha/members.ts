import type { HaPair } from '@flotilla/contract';
import { CliFailure, EXIT } from '../../exit-codes.ts';
import type { Scope } from '../../records.ts';
import { fleetClients } from '../lookups.ts';
import { readInteger, splitAssignment } from './inputs.ts';

interface NamedMember {
  readonly client: string;
  readonly priority?: number;
  /** The address on the data network that the member uses instead of the one that was found. */
  readonly address?: string;
}

const FORM = 'CLIENT[=PRIORITY[,ADDRESS]]';
/** The member that is named first serves when both start. */
const PRIORITIES = [200, 100];

/** Parses `edge-1`, `edge-1=200` or `edge-1=200,192.0.2.1`. */
export function parseMember(text: string): NamedMember {
  if (!text.includes('=')) return { client: text };
  const [client, settings] = splitAssignment(text, FORM);
  const [priority = '', address, ...others] = settings.split(',');
  if (others.length > 0 || address === '') throw new CliFailure(EXIT.usage, `"${text}" has not the form ${FORM}`);
  return {
    client,
    ...(priority !== '' && { priority: readInteger(priority) }),
    ...(address !== undefined && { address }),
  };
}

/** Finds the clients of a new pair. */
export async function findMembers(scope: Scope, texts: readonly string[]) {
  const members = [];
  for (const [i, text] of texts.entries()) {
    const { client, priority = PRIORITIES[i] ?? 100, address } = parseMember(text);
    const { id } = await fleetClients.find(scope, client);
    members.push({ client_id: id, priority, ...(address !== undefined && { data_override: address }) });
  }
  return members;
}

interface MemberChanges {
  readonly priority?: readonly string[];
  readonly dataAddress?: readonly string[];
  readonly managementAddress?: readonly string[];
}

/** Reads the changes of members: each text is `client=value`. Returns undefined if there is none. */
export function readMemberChanges(pair: HaPair, changes: MemberChanges) {
  const { priority = [], dataAddress = [], managementAddress = [] } = changes;
  const found = new Map<string, { priority?: number; data_override?: string; mgmt_override?: string }>();
  const note = (texts: readonly string[], read: (value: string) => object) => {
    for (const text of texts) {
      const [name, value] = splitAssignment(text, 'CLIENT=VALUE');
      const id = findMemberOf(pair, name);
      found.set(id, { ...found.get(id), ...read(value) });
    }
  };
  note(priority, (value) => ({ priority: readInteger(value) }));
  note(dataAddress, (value) => ({ data_override: value }));
  note(managementAddress, (value) => ({ mgmt_override: value }));
  return found.size === 0 ? undefined : [...found].map(([client_id, change]) => ({ client_id, ...change }));
}

/** Finds a member by its name or id. */
export function findMemberOf(pair: HaPair, text: string): string {
  const member = pair.members.find(({ name, client_id: id }) => name === text || id === text.toLowerCase());
  if (member) return member.client_id;
  const names = pair.members.map(({ name }) => name).join(' and ');
  throw new CliFailure(EXIT.notFound, `${text} is not a member of ${pair.name}. Its members are ${names}.`);
}

export function nameMember({ members }: HaPair, clientId: string | undefined): string | null {
  return members.find(({ client_id: id }) => id === clientId)?.name ?? clientId ?? null;
}
