import { refOf } from '../../model/any.ts';
import { isList, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { keyOf } from '../../model/names.ts';
import type { Path } from '../../model/path.ts';
import { type AddressText, fromHostText, toHostText } from './address-lines.ts';
import { type CellProblem, hasObjects, listOtherKeys, readMember, writeMember } from './members.ts';
import { texts } from './texts.ts';

const words = texts.endpoints;

export interface EndpointRow extends AddressText {
  /** Settings that the row does not show. */
  readonly others: readonly string[];
  readonly problems: readonly CellProblem<keyof AddressText>[];
}

export type Endpoints =
  | {
      readonly isSimple: true;
      /** Place of the list in the value. */
      readonly path: Path;
      readonly rows: readonly EndpointRow[];
      /** Settings of the group that no row shows. */
      readonly others: readonly string[];
    }
  | { readonly isSimple: false; readonly reason: string };

const SOCKET = ['endpoint', 'address', 'socket_address'];
const FIELDS = {
  host: [...SOCKET, 'address'],
  port: [...SOCKET, 'port_value'],
  weight: ['load_balancing_weight'],
} as const;
export type EndpointCell = keyof AddressText;

const PORT_MAX = 65_535;
const WEIGHT_MAX = 4_294_967_295;
/** Other sources of the endpoints of a group. */
const OTHER_SOURCES = ['load_balancer_endpoints', 'leds_cluster_locality_config'];

/** Reads `ClusterLoadAssignment.endpoints` with at most one group. */
export function readEndpoints(value: Json | undefined): Endpoints {
  const groups = value ?? [];
  if (!isList(groups)) return refuse(words.noList);
  if (groups.length > 1) return refuse(words.groups(groups.length));
  const [group = {}] = groups;
  if (!isObject(group) || refOf(group) !== undefined) return refuse(words.reference);
  if (OTHER_SOURCES.some((field) => readMember(group, [field]) !== undefined)) return refuse(words.otherSource);
  const items = readMember(group, ['lb_endpoints']) ?? [];
  if (!isList(items)) return refuse(words.noListOfGroup);
  const rows: EndpointRow[] = [];
  for (const [index, item] of items.entries()) {
    const reason = refuseItem(item);
    if (reason !== undefined) return refuse(words.refused(index + 1, reason));
    rows.push(toRow(item));
  }
  markTooHeavy(rows);
  const others = listOtherKeys(group, ['lb_endpoints']);
  return { isSimple: true, path: [0, keyOf('lb_endpoints', group)], rows, others };
}

/** Changes one cell of an endpoint and keeps everything else. The text that is shown already changes nothing. */
export function writeEndpoint(item: Json | undefined, cell: EndpointCell, text: string): JsonObject {
  const object = isObject(item) ? item : {};
  if (toRow(object)[cell] === text) return object;
  const value = text === '' ? undefined : cell === 'host' ? fromHostText(text) : toNumber(text);
  return writeMember(object, FIELDS[cell], value);
}

export function createEndpoint(text: AddressText): JsonObject {
  let item: JsonObject = { endpoint: { address: { socket_address: {} } } };
  for (const cell of ['host', 'port', 'weight'] as const) item = writeEndpoint(item, cell, text[cell]);
  return item;
}

function refuse(reason: string): Endpoints {
  return { isSimple: false, reason };
}

function refuseItem(item: Json): string | undefined {
  if (!isObject(item)) return 'is not an object';
  if (refOf(item) !== undefined) return 'is a reference';
  if (readMember(item, ['endpoint_name']) !== undefined) return 'is named elsewhere';
  if (!hasObjects(item, SOCKET)) return 'has an address that is not an object';
  const address = readMember(item, ['endpoint', 'address']);
  if (refOf(readMember(item, ['endpoint'])) !== undefined || refOf(address) !== undefined)
    return 'contains a reference';
  if (listOtherKeys(address, ['socket_address']).length > 0) return 'has an address that is not a host and a port';
  if (readMember(item, [...SOCKET, 'named_port']) !== undefined) return 'has a named port';
  const isShown = Object.values(FIELDS).every((fields) => isText(readMember(item, fields)));
  return isShown ? undefined : 'has a value of a wrong type';
}

function isText(value: Json | undefined): boolean {
  return value === undefined || typeof value === 'string' || typeof value === 'number';
}

function toRow(item: Json): EndpointRow {
  const host = readMember(item, FIELDS.host);
  const row = {
    host: typeof host === 'string' ? toHostText(host) : toText(host),
    port: toText(readMember(item, FIELDS.port)),
    weight: toText(readMember(item, FIELDS.weight)),
  };
  const others = [
    ...listOtherKeys(item, ['endpoint', 'load_balancing_weight']),
    ...listOtherKeys(readMember(item, ['endpoint']), ['address']),
    ...listOtherKeys(readMember(item, SOCKET), ['address', 'port_value']),
  ];
  return { ...row, others, problems: findProblems(row, host) };
}

function findProblems({ host, port, weight }: AddressText, address: Json | undefined): EndpointRow['problems'] {
  const problems: CellProblem<EndpointCell>[] = [];
  if (host === '') problems.push({ cell: 'host', message: words.noHost });
  else if (/\s/.test(host) || (typeof address === 'string' && /[[\]]/.test(address)))
    problems.push({ cell: 'host', message: words.host });
  if (port === '' && host.startsWith('[')) problems.push({ cell: 'port', message: words.brackets });
  else if (!isWhole(port, 0, PORT_MAX)) problems.push({ cell: 'port', message: words.port(PORT_MAX) });
  if (weight !== '' && !isWhole(weight, 1, WEIGHT_MAX))
    problems.push({ cell: 'weight', message: words.weight(WEIGHT_MAX) });
  return problems;
}

/** Envoy adds the weights of a group up; an endpoint without one has the weight 1. */
function markTooHeavy(rows: EndpointRow[]): void {
  let total = 0;
  for (const [index, row] of rows.entries()) {
    total += row.weight === '' ? 1 : isWhole(row.weight, 1, WEIGHT_MAX) ? Number(row.weight) : 0;
    if (total <= WEIGHT_MAX) continue;
    const problem = { cell: 'weight', message: words.weights(WEIGHT_MAX) } as const;
    rows[index] = { ...row, problems: [...row.problems, problem] };
    return;
  }
}

function isWhole(text: string, min: number, max: number): boolean {
  return /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max;
}

/** Text that is not a number stays text, so that nothing typed is lost. */
function toNumber(text: string): Json {
  return /^\d{1,10}$/.test(text) ? Number(text) : text;
}

function toText(value: Json | undefined): string {
  return value === undefined ? '' : String(value);
}
