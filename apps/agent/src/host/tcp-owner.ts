import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import { CoalescedWork } from '@flotilla/kit';

const LISTENING = '0A';

/** One end of a connection. The address is IPv4. */
export interface TcpEnd {
  readonly address: string;
  readonly port: number;
}

interface Lookup {
  readonly client: TcpEnd;
  readonly server: TcpEnd;
  readonly resolve: (uid: number | undefined) => void;
}

/**
 * Finds the users of connections on loopback. The kernel's table has a row for every connection of the host, and takes longer to
 * read the more connections a service holds open. So it is read by another thread, one reading at a time, and one reading answers
 * all questions that were asked before it began.
 */
export class ConnectionOwners {
  readonly #readTable: (file: string) => Promise<string>;
  #waiting: Lookup[] = [];
  readonly #reading = new CoalescedWork(() => this.#read());

  constructor(read: (file: string) => Promise<string> = readTable) {
    this.#readTable = read;
  }

  /**
   * Returns the user of the local process that holds the client's end. Returns undefined if no process holds it any more; the
   * kernel then shows user 0. A connection to `::ffff:127.0.0.1` reaches an IPv4 listener from an IPv6 socket, whose row is in the
   * other table.
   */
  ownerOf(client: TcpEnd, server: TcpEnd): Promise<number | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ client, server, resolve });
      this.#reading.request();
    });
  }

  async #read(): Promise<void> {
    const asked = this.#waiting;
    this.#waiting = [];
    const table = `${await this.#readTable('/proc/net/tcp')}\n${await this.#readTable('/proc/net/tcp6')}`;
    for (const { client, server, resolve } of asked) resolve(findOwner(table, client, server));
  }
}

/** Returns the user of the local process that listens on this port at any address, or undefined when it is unknown. */
export async function ownerOfListener(port: number): Promise<number | undefined> {
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of (await readTable(file)).split('\n')) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(`:${hex(port)}`) && fields[3] === LISTENING) return Number(fields[7]);
    }
  }
  return undefined;
}

function readTable(file: string): Promise<string> {
  return readFile(file, 'latin1').catch(() => '');
}

/**
 * Finds the user of a connection in the text of /proc/net/tcp or /proc/net/tcp6. Each row has a number, local address:port and
 * remote address:port in hex, state, queues, timers, retransmits, uid, timeout and inode. Inode and user are 0 if the process
 * has closed the connection.
 *
 * The ports alone do not identify the row: a client that connects from the server's own port at another address has the same
 * ports as the server's end, which belongs to another user.
 */
export function findOwner(table: string, client: TcpEnd, server: TcpEnd): number | undefined {
  for (const prefix of ['', MAPPED]) {
    const start = table.indexOf(`: ${prefix}${toText(client)} ${prefix}${toText(server)} `);
    if (start === -1) continue;
    const fields = table.slice(start, start + ROW_MAX_CHARS).split(/\s+/, 10);
    return fields[9] === '0' ? undefined : Number(fields[7]);
  }
  return undefined;
}

/** An IPv4 address in the table of IPv6. The kernel writes addresses in the order of the processor. */
const MAPPED = endianness() === 'LE' ? '0000000000000000FFFF0000' : '00000000000000000000FFFF';
const ROW_MAX_CHARS = 300;

function toText({ address, port }: TcpEnd): string {
  const bytes = address.split('.').map((part) => Number(part).toString(16).toUpperCase().padStart(2, '0'));
  return `${(endianness() === 'LE' ? bytes.toReversed() : bytes).join('')}:${hex(port)}`;
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}
