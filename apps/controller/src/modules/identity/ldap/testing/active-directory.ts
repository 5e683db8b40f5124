import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { BerReader, BerWriter, type Filter, FilterParser } from 'ldapts';

interface FakeEntry {
  readonly dn: string;
  readonly attributes: Readonly<Record<string, readonly (string | Buffer)[]>>;
}

/** A referral to another server (RFC 4511, 4.1.10). */
interface Referral {
  readonly referral: string;
}

/** A truncated result (RFC 4511, 4.1.9). */
interface CutShort {
  readonly cutShort: readonly FakeEntry[];
}

export interface FakeDirectory {
  readonly url: string;
  /** The received search filters, in order. */
  readonly filters: readonly Filter[];
  /** The received operations, by the tags of RFC 4511. */
  readonly operations: readonly number[];
  /** Raw data from the connection. */
  readonly received: readonly Buffer[];
  close(): Promise<void>;
}

const [BIND, SEARCH] = [0x60, 0x63];
const [BOUND, ENTRY, DONE] = [0x61, 0x64, 0x65];
const [SIZE_LIMIT_EXCEEDED, REFERRAL, INVALID_CREDENTIALS] = [4, 10, 49];

/**
 * A directory on loopback that answers like Active Directory, because slapd has neither its matching rule nor its
 * attributes. It accepts one password for everybody; `find` decides which entries a search returns.
 */
export async function startFakeDirectory(
  password: string,
  find: (filter: Filter) => readonly FakeEntry[] | Referral | CutShort,
): Promise<FakeDirectory> {
  const filters: Filter[] = [];
  const operations: number[] = [];
  const received: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received.push(chunk);
      // The client sends one small request at a time.
      const reader = new BerReader(chunk);
      reader.readSequence();
      const id = reader.readInt() ?? 0;
      const operation = reader.readSequence() ?? 0;
      operations.push(operation);
      if (operation === BIND) {
        reader.readInt();
        reader.readString();
        const given = reader.readString(0x80);
        return socket.write(toResult(id, BOUND, given === password ? 0 : INVALID_CREDENTIALS));
      }
      if (operation !== SEARCH) return socket.end();
      reader.readString();
      for (let i = 0; i < 2; i += 1) reader.readEnumeration();
      for (let i = 0; i < 2; i += 1) reader.readInt();
      reader.readBoolean();
      const filter = FilterParser.parse(reader);
      filters.push(filter);
      const found = find(filter);
      if ('referral' in found) return socket.write(toResult(id, DONE, REFERRAL, found.referral));
      const isCutShort = 'cutShort' in found;
      for (const entry of isCutShort ? found.cutShort : found) socket.write(toEntry(id, entry));
      return socket.write(toResult(id, DONE, isCutShort ? SIZE_LIMIT_EXCEEDED : 0));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`,
    filters,
    operations,
    received,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toResult(id: number, operation: number, code: number, referral?: string): Buffer {
  return toMessage(id, operation, (writer) => {
    writer.writeEnumeration(code);
    writer.writeString('');
    writer.writeString('');
    if (referral === undefined) return;
    writer.startSequence(0xa3);
    writer.writeString(referral);
    writer.endSequence();
  });
}

function toEntry(id: number, { dn, attributes }: FakeEntry): Buffer {
  return toMessage(id, ENTRY, (writer) => {
    writer.writeString(dn);
    writer.startSequence();
    for (const [name, values] of Object.entries(attributes)) {
      writer.startSequence();
      writer.writeString(name);
      writer.startSequence(0x31);
      for (const value of values) writer.writeBuffer(Buffer.from(value), 0x04);
      writer.endSequence();
      writer.endSequence();
    }
    writer.endSequence();
  });
}

/** LDAPMessage (RFC 4511, 4.1.1). */
function toMessage(id: number, operation: number, write: (writer: BerWriter) => void): Buffer {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  writer.startSequence(operation);
  write(writer);
  writer.endSequence();
  writer.endSequence();
  return writer.buffer;
}
