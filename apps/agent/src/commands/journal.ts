import { create, fromJsonString, toJsonString } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { isDiskFull } from '../disk-full.ts';
import { JournalFile } from './journal-file.ts';

export interface JournalEntry {
  readonly command: fleet.Command;
  /** Undefined while it runs. */
  result: fleet.CommandResult | undefined;
  /** The controller has stored the result. */
  isStored: boolean;
}

type Record =
  | { readonly kind: 'accepted'; readonly command: string; readonly raisesFence: boolean }
  | { readonly kind: 'finished'; readonly id: string; readonly result: string }
  | { readonly kind: 'stored'; readonly id: string }
  | { readonly kind: 'fence'; readonly service: string; readonly fence: string };

/** Limit of commands whose outcome the controller does not have; above it new ones are refused. */
const OPEN_MAX = 1000;
/** Number of outcomes kept after the controller has stored them, to recognize late copies of a command. */
const STORED_MAX = 1000;
const REWRITE_LINES = 4000;
/** Results may have megabytes, such as the chunks of a support bundle. */
const REWRITE_BYTES = 16 * 1024 ** 2;

/**
 * The commands of this host and their outcomes, on disk.
 *
 * accepted  The command is on disk before anything is done. A copy of it changes nothing.
 * finished  The outcome is on disk before it is reported. It is reported on every new stream until it is stored.
 * stored    The controller has the outcome. The newest STORED_MAX of these are kept.
 *
 * A command that is `accepted` when the journal is opened was running when the agent died: see `interrupted()`.
 */
export class CommandJournal {
  readonly #file: JournalFile;
  readonly #entries = new Map<string, JournalEntry>();
  readonly #fences = new Map<string, bigint>();
  #interrupted: fleet.Command[] = [];

  private constructor(file: JournalFile) {
    this.#file = file;
  }

  static async open(path: string): Promise<CommandJournal> {
    const file = new JournalFile(path);
    const journal = new CommandJournal(file);
    const { records } = await file.read();
    for (const record of records) journal.#replay(record as Record);
    journal.#interrupted = [...journal.#entries.values()].flatMap(({ command, result }) => (result ? [] : [command]));
    // A full disk must not stop running services. The file stays unchanged until there is space.
    await file
      .rewrite(() => journal.#derive())
      .catch((error: unknown) => {
        if (!isDiskFull(error)) throw error;
      });
    return journal;
  }

  interrupted(): readonly fleet.Command[] {
    return this.#interrupted;
  }

  find(commandId: string): JournalEntry | undefined {
    return this.#entries.get(commandId);
  }

  /** Newest accepted fence of the service, or 0. */
  fence(serviceId: string): bigint {
    return this.#fences.get(serviceId) ?? 0n;
  }

  get isFull(): boolean {
    let open = 0;
    for (const { isStored } of this.#entries.values()) if (!isStored) open += 1;
    return open >= OPEN_MAX;
  }

  /** Returns the outcomes that the controller may not have, oldest first. */
  unstored(): fleet.CommandResult[] {
    return [...this.#entries.values()].flatMap(({ result, isStored }) => (result && !isStored ? [result] : []));
  }

  running(): fleet.Command[] {
    return [...this.#entries.values()].flatMap(({ command, result }) => (result ? [] : [command]));
  }

  /** Resolves when the command is on disk. Rejects without any effect if it cannot be written. */
  async accept(command: fleet.Command, { raisesFence }: { raisesFence: boolean }): Promise<void> {
    const { commandId, serviceId, fence } = command;
    await this.#file.append({ kind: 'accepted', command: toJsonString(fleet.CommandSchema, command), raisesFence });
    this.#entries.set(commandId, { command, result: undefined, isStored: false });
    if (raisesFence) this.#raise(serviceId, fence);
  }

  async finish(result: fleet.CommandResult): Promise<void> {
    await this.#file.append({
      kind: 'finished',
      id: result.commandId,
      result: toJsonString(fleet.CommandResultSchema, result),
    });
    const entry = this.#entries.get(result.commandId);
    if (entry) entry.result = result;
  }

  async markStored(commandId: string): Promise<void> {
    const entry = this.#entries.get(commandId);
    if (!entry?.result || entry.isStored) return;
    entry.isStored = true;
    // The payload and the result are no longer needed.
    entry.result = create(fleet.CommandResultSchema, { commandId, outcome: entry.result.outcome });
    this.#forgetOldest();
    await this.#file.append({ kind: 'stored', id: commandId });
    if (this.#file.lines > REWRITE_LINES || this.#file.bytes > REWRITE_BYTES)
      await this.#file.rewrite(() => this.#derive());
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #replay(record: Record): void {
    switch (record.kind) {
      case 'accepted': {
        const command = fromJsonString(fleet.CommandSchema, record.command);
        this.#entries.set(command.commandId, { command, result: undefined, isStored: false });
        if (record.raisesFence) this.#raise(command.serviceId, command.fence);
        return;
      }
      case 'finished': {
        const entry = this.#entries.get(record.id);
        if (entry) entry.result = fromJsonString(fleet.CommandResultSchema, record.result);
        return;
      }
      case 'stored': {
        const entry = this.#entries.get(record.id);
        if (entry) entry.isStored = true;
        return;
      }
      case 'fence':
        this.#raise(record.service, BigInt(record.fence));
    }
  }

  #derive(): Record[] {
    const records: Record[] = [];
    for (const [service, fence] of this.#fences) records.push({ kind: 'fence', service, fence: String(fence) });
    for (const [id, { command, result, isStored }] of this.#entries) {
      const kept = isStored ? create(fleet.CommandSchema, { commandId: id }) : command;
      records.push({ kind: 'accepted', command: toJsonString(fleet.CommandSchema, kept), raisesFence: false });
      if (result) records.push({ kind: 'finished', id, result: toJsonString(fleet.CommandResultSchema, result) });
      if (isStored) records.push({ kind: 'stored', id });
    }
    return records;
  }

  #raise(serviceId: string, fence: bigint): void {
    if (serviceId !== '' && fence > this.fence(serviceId)) this.#fences.set(serviceId, fence);
  }

  #forgetOldest(): void {
    let stored = 0;
    for (const { isStored } of this.#entries.values()) if (isStored) stored += 1;
    for (const [id, { isStored }] of this.#entries) {
      if (stored <= STORED_MAX) return;
      if (isStored && this.#entries.delete(id)) stored -= 1;
    }
  }
}
