import { Buffer } from 'node:buffer';
import { parseAddress } from '../source/address.ts';

export type MmdbValue =
  | string
  | number
  | boolean
  | readonly MmdbValue[]
  | { readonly [name: string]: MmdbValue }
  /** These bytes, as they are. */
  | Buffer;

/** Encodes a value of the data section of the MaxMind DB format. */
export function encodeValue(value: MmdbValue): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (typeof value === 'string') return withControl(2, Buffer.from(value));
  if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0, 7]);
  if (typeof value === 'number') {
    const hex = value.toString(16);
    return withControl(6, Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex'));
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 4]), ...value.map(encodeValue)]);
  const entries = Object.entries(value as Record<string, MmdbValue>).flatMap(([name, member]) => [
    encodeValue(name),
    encodeValue(member),
  ]);
  return Buffer.concat([Buffer.from([(7 << 5) | (entries.length / 2)]), ...entries]);
}

function withControl(type: number, bytes: Buffer): Buffer {
  const head = bytes.length < 29 ? [(type << 5) | bytes.length] : [(type << 5) | 29, bytes.length - 29];
  return Buffer.concat([Buffer.from(head), bytes]);
}

type Node = [number | Node | undefined, number | Node | undefined];

/** A MaxMind DB file (IPv6, IPv4 below `::/96`) with a record for each network. */
export function createGeoFile(
  records: Readonly<Record<string, MmdbValue>>,
  {
    recordBits = 28,
    metadata = {},
  }: { recordBits?: 24 | 28 | 32; metadata?: Readonly<Record<string, MmdbValue>> } = {},
): Buffer {
  const data: Buffer[] = [];
  const root: Node = [undefined, undefined];
  let offset = 0;
  for (const [network, value] of Object.entries(records)) {
    const encoded = encodeValue(value);
    insert(root, network, offset);
    data.push(encoded);
    offset += encoded.length;
  }
  const nodes = listNodes(root);
  const numbers = new Map(nodes.map((node, index) => [node, index]));
  const toRecord = (child: number | Node | undefined) => {
    if (child === undefined) return nodes.length;
    return typeof child === 'number' ? nodes.length + 16 + child : (numbers.get(child) ?? 0);
  };
  const tree = nodes.map(([left, right]) => encodeNode(toRecord(left), toRecord(right), recordBits));
  const described = {
    binary_format_major_version: 2,
    node_count: nodes.length,
    record_size: recordBits,
    ip_version: 6,
    database_type: 'Test-City',
    ...metadata,
  };
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);
  return Buffer.concat([...tree, Buffer.alloc(16), ...data, marker, encodeValue(described)]);
}

function insert(root: Node, network: string, offset: number): void {
  const [text = '', prefix = '0'] = network.split('/');
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`${network} is no network`);
  const bits = address.family === 4 ? BigInt(address.value) : address.value;
  const length = Number(prefix) + (address.family === 4 ? 96 : 0);
  let node = root;
  for (let depth = 0; depth < length; depth += 1) {
    const side = Number((bits >> BigInt(127 - depth)) & 1n) as 0 | 1;
    if (depth === length - 1) node[side] = offset;
    else {
      const child = node[side];
      const next: Node = Array.isArray(child) ? child : [undefined, undefined];
      node[side] = next;
      node = next;
    }
  }
}

function listNodes(root: Node): Node[] {
  const nodes: Node[] = [root];
  for (const node of nodes) for (const child of node) if (Array.isArray(child)) nodes.push(child);
  return nodes;
}

function encodeNode(left: number, right: number, bits: 24 | 28 | 32): Buffer {
  const node = Buffer.alloc(bits / 4);
  if (bits === 32) {
    node.writeUInt32BE(left, 0);
    node.writeUInt32BE(right, 4);
  } else {
    const at = bits === 24 ? 3 : 4;
    node.writeUIntBE(left & 0xffffff, 0, 3);
    node.writeUIntBE(right & 0xffffff, at, 3);
    if (bits === 28) node[3] = ((left >>> 24) << 4) | (right >>> 24);
  }
  return node;
}
