import { readFile, writeFile } from 'node:fs/promises';

const TCP_MIGRATE_REQ = '/proc/sys/net/ipv4/tcp_migrate_req';

/**
 * Switches `net.ipv4.tcp_migrate_req` (Linux 5.14) on while any Envoy of this host drains next to its successor.
 *
 * When a listening socket closes, Linux resets the connections in its queue, even if another process listens on the same port
 * (SO_REUSEPORT). With this setting, they move to the other socket. The setting is restored afterwards. An agent that is not
 * root cannot change it and continues without it.
 */
export class MigrationSwitch {
  readonly #path: string;
  readonly #holders = new Set<string>();
  #isOurs = false;

  constructor(path: string = TCP_MIGRATE_REQ) {
    this.#path = path;
  }

  async hold(holder: string): Promise<void> {
    this.#holders.add(holder);
    if (this.#isOurs || (await readFile(this.#path, 'utf8').catch(() => '1')).trim() !== '0') return;
    this.#isOurs = await this.#write('1');
  }

  async release(holder: string): Promise<void> {
    if (!this.#holders.delete(holder) || this.#holders.size > 0 || !this.#isOurs) return;
    this.#isOurs = false;
    await this.#write('0');
  }

  async #write(value: string): Promise<boolean> {
    try {
      await writeFile(this.#path, value);
      return true;
    } catch {
      return false;
    }
  }
}
